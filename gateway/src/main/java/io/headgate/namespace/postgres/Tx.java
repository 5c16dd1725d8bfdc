package io.headgate.namespace.postgres;

import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/** A transaction that writes: its session, and what it adds to the counters, which is written once, at its end. */
final class Tx {
    private static final String COMMIT = "COMMIT";

    private final Session session;
    private final long startedAtMillis;
    private final Counters counters;
    private @Nullable Pipeline last;

    /**
     * @param startedAtMillis the engine's time
     * @param slot the part of each sum that this transaction may add to
     */
    Tx(Session session, long startedAtMillis, int slot) {
        this.session = session;
        this.startedAtMillis = startedAtMillis;
        this.counters = new Counters(slot);
    }

    Session session() {
        return session;
    }

    Counters counters() {
        return counters;
    }

    long startedAtMillis() {
        return startedAtMillis;
    }

    /**
     * When what a command releases is released. A command may wait long for its turn or be sent again, and until it commits, reads may
     * begin of what it releases: they must not seem to have begun later.
     */
    long releaseTime(long commandMillis) {
        return Math.max(commandMillis, startedAtMillis);
    }

    /** Leaves statements, the last of the transaction, to be sent together with the commit. */
    void last(Pipeline pipeline) {
        last = pipeline;
    }

    /** Sends the last statements, the counters, for whose rows others may wait, and the commit, in one round trip. */
    void commit() throws SQLException {
        Pipeline pipeline = last == null ? session.pipeline() : last;
        counters.addTo(pipeline);
        pipeline.update(COMMIT).run();
    }
}
