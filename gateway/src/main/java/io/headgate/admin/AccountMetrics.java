package io.headgate.admin;

import io.headgate.account.Account;
import io.headgate.account.AccountListener;
import io.headgate.account.CircuitBreaker;
import io.headgate.account.Limits;
import io.headgate.account.Meter;
import io.headgate.account.Rate;
import io.headgate.work.DrainProgress;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;
import java.util.function.ToLongFunction;

/** The meters of the storage accounts. Thread-safe. */
public final class AccountMetrics implements AccountListener {
    private final MeterRegistry registry;
    private final Map<String, Calls> callsByAccount = new ConcurrentHashMap<>();

    /** Meters are registered as accounts are added and used. */
    public AccountMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Exposes what the account's own meter and breaker say. */
    public void add(Account account) {
        counter(account, "headgate.account.requests", "Requests to the account", Meter::requestsTotal);
        counter(account, "headgate.account.bytes.in", "Bytes into the account", Meter::bytesInTotal);
        counter(account, "headgate.account.bytes.out", "Bytes out of the account", Meter::bytesOutTotal);
        gauge(
                account,
                "headgate.account.held.bytes",
                "Bytes of committed blobs",
                a -> a.meter().heldBytes());
        gauge(
                account,
                "headgate.account.reserved.bytes",
                "Bytes of writes in progress",
                a -> a.meter().reservedBytes());
        gauge(
                account,
                "headgate.account.garbage.bytes",
                "Bytes that wait for deletion",
                a -> a.meter().garbageBytes());
        gauge(
                account,
                "headgate.account.usable.bytes",
                "Bytes that the account says it could still take",
                a -> unlessUnlimited(a.usableBytes()));
        gauge(
                account,
                "headgate.account.capacity.bytes",
                "Limit of bytes held",
                a -> unlessUnlimited(a.limits().capacityBytes()));
        gauge(
                account,
                "headgate.account.requests.limit",
                "Limit of requests a second, lowered after throttling",
                a -> a.requestCeilingPerSecond());
        gauge(
                account,
                "headgate.account.ingress.limit.bytes",
                "Limit of bytes in a second",
                a -> unlessUnlimited(a.limits().ingressBytesPerSecond()));
        gauge(
                account,
                "headgate.account.egress.limit.bytes",
                "Limit of bytes out a second",
                a -> unlessUnlimited(a.limits().egressBytesPerSecond()));
        rate(account, "requests", account.meter().requests());
        rate(account, "ingress", account.meter().ingress());
        rate(account, "egress", account.meter().egress());
        gauge(account, "headgate.account.draining", "1 while the account is being emptied", a -> a.draining() ? 1 : 0);
        gauge(
                account,
                "headgate.account.read.only",
                "1 while the account takes no new blobs",
                a -> a.readOnly() ? 1 : 0);
        for (CircuitBreaker.Status status : CircuitBreaker.Status.values()) {
            Gauge.builder("headgate.account.breaker", account, a -> a.breaker().status() == status ? 1 : 0)
                    .description("1 for the state that the account's breaker is in")
                    .tag("account", account.name())
                    .tag("state", lower(status))
                    .strongReference(true)
                    .register(registry);
        }
    }

    /** Forgets the meters of an account's calls. */
    void remove(Account account) {
        callsByAccount.remove(account.name());
    }

    private void rate(Account account, String name, Rate rate) {
        rate(account, name, rate, "grant", "This gateway's part of the account's limit", Rate::limitPerSecond);
        rate(account, name, rate, "demand", "Sent in the last second, or kept away", Rate::demandPerSecond);
        FunctionCounter.builder("headgate.account.kept.away", rate, Rate::missedTotal)
                .description("Requests or bytes of writes that the account would have taken but for its rate")
                .tag("account", account.name())
                .tag("rate", name)
                .register(registry);
    }

    private void rate(
            Account account, String name, Rate rate, String meter, String description, ToDoubleFunction<Rate> figure) {
        Gauge.builder("headgate.account." + meter, rate, figure)
                .description(description)
                .tag("account", account.name())
                .tag("rate", name)
                .strongReference(true)
                .register(registry);
    }

    /** Exposes how the draining of the account goes. */
    void add(Account account, DrainProgress drain) {
        moves(account, drain, "blobs.moved", "Blobs moved away from the account", DrainProgress::movedBlobs);
        moves(account, drain, "bytes.moved", "Bytes moved away from the account", DrainProgress::movedBytes);
        moves(account, drain, "copies.failed", "Copies given up, to be tried again", DrainProgress::failedCopies);
        moves(account, drain, "blobs.missing", "Live blobs found missing: corruption", DrainProgress::missingBlobs);
        gauge(
                account,
                "headgate.drain.bytes.per.second",
                "Bytes moved away from the account a second, lately",
                _ -> drain.bytesPerSecond());
        gauge(
                account,
                "headgate.drain.remaining.seconds",
                "How long draining goes on, by what moved lately; not a number if that is unknown",
                a -> remainingSeconds(a, drain));
    }

    private void moves(
            Account account,
            DrainProgress drain,
            String name,
            String description,
            ToLongFunction<DrainProgress> count) {
        FunctionCounter.builder("headgate.drain." + name, drain, count::applyAsLong)
                .description(description)
                .tag("account", account.name())
                .register(registry);
    }

    private static double remainingSeconds(Account account, DrainProgress drain) {
        if (!account.draining()) {
            return 0;
        }
        return drain.expected(0, account.meter().heldBytes())
                .map(rest -> (double) rest.toSeconds())
                .orElse(Double.NaN);
    }

    @Override
    public void operation(String account, Operation operation, Result result, long accountNanos) {
        Calls calls = callsByAccount.get(account);
        if (calls == null) {
            calls = callsByAccount.computeIfAbsent(account, Calls::new);
        }
        calls.count(operation, result, accountNanos);
    }

    @Override
    public void breakerChanged(String account, CircuitBreaker.Status from, CircuitBreaker.Status to) {
        Counter.builder("headgate.account.breaker.changes")
                .description("Changes of the account's breaker by its new state")
                .tag("account", account)
                .tag("state", lower(to))
                .register(registry)
                .increment();
    }

    private void counter(Account account, String name, String description, ToLongFunction<Meter> value) {
        FunctionCounter.builder(name, account, a -> value.applyAsLong(a.meter()))
                .description(description)
                .tag("account", account.name())
                .register(registry);
    }

    private void gauge(Account account, String name, String description, ToDoubleFunction<Account> value) {
        Gauge.builder(name, account, value)
                .description(description)
                .tag("account", account.name())
                .strongReference(true)
                .register(registry);
    }

    private static double unlessUnlimited(long limit) {
        return limit == Limits.UNLIMITED ? Double.POSITIVE_INFINITY : limit;
    }

    private static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** The meters of one account's calls, filled as they are first needed, as each histogram is many series. */
    private final class Calls {
        private final String account;
        private final Map<Operation, Timer> seconds = new ConcurrentHashMap<>();
        private final Map<Operation, Map<Result, Counter>> counts = new EnumMap<>(Operation.class);

        Calls(String account) {
            this.account = account;
            for (Operation operation : Operation.values()) {
                counts.put(operation, new ConcurrentHashMap<>());
            }
        }

        void count(Operation operation, Result result, long nanos) {
            Map<Result, Counter> byResult = Objects.requireNonNull(counts.get(operation));
            Counter count = byResult.get(result);
            if (count == null) {
                count = byResult.computeIfAbsent(result, r -> counter(operation, r));
            }
            count.increment();
            if (result != Result.REJECTED) {
                Timer timer = seconds.get(operation);
                if (timer == null) {
                    timer = seconds.computeIfAbsent(operation, this::timer);
                }
                timer.record(nanos, TimeUnit.NANOSECONDS);
            }
        }

        private Counter counter(Operation operation, Result result) {
            return Counter.builder("headgate.account.calls")
                    .description("Calls of the account by result")
                    .tag("account", account)
                    .tag("call", lower(operation))
                    .tag("result", lower(result))
                    .register(registry);
        }

        private Timer timer(Operation operation) {
            return Timer.builder("headgate.account.call")
                    .description("Time that the account took, without waiting for the client")
                    .tag("account", account)
                    .tag("call", lower(operation))
                    .serviceLevelObjectives(Metrics.REQUEST_BUCKETS)
                    .register(registry);
        }
    }
}
