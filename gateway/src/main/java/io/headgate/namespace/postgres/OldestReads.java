package io.headgate.namespace.postgres;

import java.sql.SQLException;
import java.time.Instant;

/** How far back the reads through each gateway go. */
final class OldestReads {
    private static final String FORGET = "DELETE FROM oldest_reads WHERE told_at < ?";
    private static final String TELL = """
            INSERT INTO oldest_reads (gateway, oldest, told_at) VALUES (?, ?, ?)
            ON CONFLICT (gateway) DO UPDATE SET oldest = excluded.oldest, told_at = excluded.told_at""";
    private static final String OLDEST = "SELECT min(oldest) FROM oldest_reads";

    private OldestReads() {}

    static Instant exchange(Session session, String gateway, Instant oldest, Instant now, Instant silentSince)
            throws SQLException {
        session.update(TELL, gateway, oldest.toEpochMilli(), now.toEpochMilli());
        session.update(FORGET, silentSince.toEpochMilli());
        Long ofAll = session.first(OLDEST, row -> row.getLong(1));
        return ofAll == null ? oldest : Instant.ofEpochMilli(ofAll);
    }
}
