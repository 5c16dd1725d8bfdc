package io.headgate.namespace.sql;

import java.sql.SQLException;
import java.time.Instant;

/** Which gateway does what only one may do at a time. */
final class Leases {
    private static final String TAKE = """
            INSERT INTO leases (name, holder, expires_at) VALUES (?, ?, ?)
            ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
            WHERE leases.holder = excluded.holder OR leases.expires_at <= ?""";

    private static final String FORGET_ALL = "DELETE FROM leases";

    private Leases() {}

    /** Of runs before this one, which have ended: only one process opens the file. */
    static int forgetAll(Session session) throws SQLException {
        return session.update(FORGET_ALL);
    }

    static boolean take(Session session, String name, String holder, Instant now, Instant until) throws SQLException {
        return session.update(TAKE, name, holder, until.toEpochMilli(), now.toEpochMilli()) == 1;
    }
}
