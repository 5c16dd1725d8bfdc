package io.headgate.namespace.postgres;

import java.sql.SQLException;

/** A transaction that writes: its session, and what it adds to the counters, which is written once, at its end. */
final class Tx {
    private final Session session;
    private final long startedAtMillis;
    private final Counters counters;

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

    /**
     * When what a command releases is released. A command may wait long for its turn or be sent again, and until it commits, reads may
     * begin of what it releases: they must not seem to have begun later.
     */
    long releaseTime(long commandMillis) {
        return Math.max(commandMillis, startedAtMillis);
    }

    /** Writes the counters: the last thing before the commit, as others may wait for their rows. */
    void finish() throws SQLException {
        Pipeline pipeline = session.pipeline();
        counters.addTo(pipeline);
        pipeline.run();
    }
}
