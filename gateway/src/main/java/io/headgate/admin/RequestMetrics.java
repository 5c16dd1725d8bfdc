package io.headgate.admin;

import io.headgate.http.CompletedExchange;
import io.headgate.http.Exchange.Label;
import io.headgate.http.ExchangeObserver;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * Counts S3 requests by operation. The meters of an operation are looked up once and kept, so that a request costs a look-up by name
 * and some additions. Operations and error codes come from our own closed lists, but their number is bounded all the same. Thread-safe.
 */
public final class RequestMetrics implements ExchangeObserver {
    /** Of requests that were refused before they were routed. */
    static final String UNROUTED = "Unrouted";

    static final String OTHER = "Other";
    static final int MAX_NAMES = 200;
    private static final int STATUS_CLASSES = 6;

    private final MeterRegistry registry;
    private final Map<String, OperationMeters> operations = new ConcurrentHashMap<>();
    private final Function<String, OperationMeters> newOperation;
    private final Counter cutShort;

    /** Registers the meters as they are first needed. */
    public RequestMetrics(MeterRegistry registry) {
        this.registry = registry;
        this.newOperation = OperationMeters::new;
        this.cutShort = Counter.builder("headgate.requests.cut.short")
                .description("Requests that broke off: the client hung up or was too slow, or an account failed")
                .register(registry);
    }

    @Override
    public void completed(CompletedExchange exchange) {
        Map<Label, String> labels = exchange.labels();
        String operation = labels.get(Label.OPERATION);
        OperationMeters meters = bounded(operations, operation == null ? UNROUTED : operation, newOperation);
        meters.byStatusClass[Math.clamp(exchange.status() / 100, 0, STATUS_CLASSES - 1)].increment();
        meters.seconds.record(exchange.duration());
        if (exchange.receivedBytes() > 0) {
            meters.bytesIn.increment((double) exchange.receivedBytes());
        }
        if (exchange.sentBytes() > 0) {
            meters.bytesOut.increment((double) exchange.sentBytes());
        }
        String error = labels.get(Label.ERROR_CODE);
        if (error != null) {
            bounded(meters.errors, error, meters.newError).increment();
        }
        if (exchange.cutShort()) {
            cutShort.increment();
        }
    }

    private static <M> M bounded(Map<String, M> map, String name, Function<String, M> maker) {
        M known = map.get(name);
        if (known != null) {
            return known;
        }
        return map.computeIfAbsent(map.size() < MAX_NAMES ? name : OTHER, maker);
    }

    private final class OperationMeters {
        final Counter[] byStatusClass = new Counter[STATUS_CLASSES];
        final Timer seconds;
        final Counter bytesIn;
        final Counter bytesOut;
        final Map<String, Counter> errors = new ConcurrentHashMap<>();
        final Function<String, Counter> newError;

        OperationMeters(String operation) {
            for (int i = 0; i < STATUS_CLASSES; i++) {
                byStatusClass[i] = Counter.builder("headgate.requests")
                        .description("S3 requests by operation and status class")
                        .tag("operation", operation)
                        .tag("status", i == 0 ? "none" : i + "xx")
                        .register(registry);
            }
            seconds = Timer.builder("headgate.request")
                    .description("From the arrival of a request's head to the last byte of its response")
                    .tag("operation", operation)
                    .serviceLevelObjectives(Metrics.REQUEST_BUCKETS)
                    .register(registry);
            bytesIn = bytes(operation, "in");
            bytesOut = bytes(operation, "out");
            newError = code -> Counter.builder("headgate.request.errors")
                    .description("S3 errors by operation and code")
                    .tag("operation", operation)
                    .tag("code", code)
                    .register(registry);
        }

        private Counter bytes(String operation, String direction) {
            return Counter.builder("headgate.request.bytes")
                    .description("Bytes of request and response bodies")
                    .tag("operation", operation)
                    .tag("direction", direction)
                    .register(registry);
        }
    }
}
