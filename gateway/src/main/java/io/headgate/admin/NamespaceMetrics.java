package io.headgate.admin;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The meters of the namespace, one of each for an operation. Thread-safe. */
final class NamespaceMetrics {
    /** What is measured: the methods of the namespace. */
    enum Call {
        CHANGE_BUCKET,
        CREATE_BUCKET,
        BUCKET,
        DELETE_BUCKET,
        LIST_BUCKETS,
        BUCKET_USAGE,
        PUT_OBJECT,
        CURRENT_VERSION,
        DELETE_OBJECTS,
        COPY_OBJECT,
        LIST_OBJECTS,
        SLICES,
        PARTS,
        CREATE_UPLOAD,
        UPLOAD,
        PUT_PART,
        COPY_PART,
        COMPLETE_UPLOAD,
        ABORT_UPLOAD,
        LIST_PARTS,
        LIST_UPLOADS,
        OPEN_INTENT,
        RENEW_INTENTS,
        CLOSE_INTENTS,
        TAKE_EXPIRED_INTENTS,
        STANDING_INTENTS,
        UNKNOWN_BLOBS,
        DISCARD,
        DUE_GARBAGE,
        GARBAGE_DELETED,
        ACCOUNT_USAGE,
        LIVE_BLOBS,
        BEGIN_MOVES,
        FINISH_MOVES,
        ABANDON_MOVES,
        MOVES_UNDER_WAY,
        LEASE,
        UPKEEP,
        OLDEST_READ,
        SHARE_ACCOUNTS,
        ACCOUNT_MODES,
        SET_DRAINING,
        SET_READ_ONLY,
        REBALANCE,
        SET_REBALANCING,
        ADDED_ACCOUNTS,
        ADD_ACCOUNT,
        REMOVE_ACCOUNT,
        BUCKET_NAMES,
        BUCKET_RANGES,
        GARBAGE,
        AUDIT,
        CORRECT,
        HOLDERS,
        BACKUP,
        FORGET_COMPLETED_UPLOADS,
        PING
    }

    private final MeterRegistry registry;
    /** Filled as calls are first made, as each histogram is many series. */
    private final Map<Call, Timer> seconds = new ConcurrentHashMap<>();

    NamespaceMetrics(MeterRegistry registry) {
        this.registry = registry;
    }

    void answered(Call call, long startedNanos) {
        Timer timer = seconds.get(call);
        if (timer == null) {
            timer = seconds.computeIfAbsent(call, this::timer);
        }
        timer.record(System.nanoTime() - startedNanos, TimeUnit.NANOSECONDS);
    }

    void failed(Call call) {
        Counter.builder("headgate.namespace.failures")
                .description("Calls that the namespace could not answer")
                .tag("call", label(call))
                .register(registry)
                .increment();
    }

    private Timer timer(Call call) {
        return Timer.builder("headgate.namespace.call")
                .description("Time that the namespace took")
                .tag("call", label(call))
                .serviceLevelObjectives(Metrics.REQUEST_BUCKETS)
                .register(registry);
    }

    private static String label(Call call) {
        return call.name().toLowerCase(Locale.ROOT);
    }
}
