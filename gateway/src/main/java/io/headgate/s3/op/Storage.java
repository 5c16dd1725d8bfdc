package io.headgate.s3.op;

import io.headgate.account.Accounts;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ReadsInFlight;
import io.headgate.namespace.WriteIntents;
import io.headgate.placement.Placement;
import io.headgate.placement.Rejection;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * What the operations work on.
 *
 * @param newId makes a fresh UUID in text
 * @param random draws the account of a write; thread-safe
 * @param maxWait for so long a write waits for an account when rates keep it from all
 * @param maxWaiting so many wait at once
 * @param refused is told of the filters that left a write without an account; thread-safe
 */
public record Storage(
        Namespace namespace,
        WriteIntents intents,
        ReadsInFlight reads,
        Accounts accounts,
        Placement placement,
        InstantSource clock,
        Supplier<String> newId,
        RandomGenerator random,
        Duration maxWait,
        int maxWaiting,
        Consumer<List<Rejection>> refused) {

    /** The clock's time to the millisecond, as versions carry it. */
    Instant now() {
        return clock.instant().truncatedTo(ChronoUnit.MILLIS);
    }
}
