package io.headgate.namespace.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** Looks whether the rows of all tables fit together: references are exact, counters are sums, nothing is left behind. */
final class Tables {
    private static final String REFERENCES = """
            (SELECT blob, COUNT(*) AS refs FROM
              (SELECT blob FROM objects WHERE blob IS NOT NULL UNION ALL
               SELECT blob FROM manifest_slices UNION ALL
               SELECT blob FROM part_slices) every GROUP BY blob)""";

    private Tables() {}

    static void check(PostgresOptions options) throws SQLException {
        try (Connection connection = Postgres.connect(options);
                Statement statement = connection.createStatement()) {
            check(statement);
        }
    }

    private static void check(Statement statement) throws SQLException {
        assertNone(
                statement,
                "SELECT 1 FROM blobs b LEFT JOIN " + REFERENCES
                        + " r ON r.blob = b.id WHERE b.refs <> COALESCE(r.refs, 0)");
        assertNone(statement, "SELECT 1 FROM " + REFERENCES + " r WHERE r.blob NOT IN (SELECT id FROM blobs)");
        assertNone(statement, "SELECT 1 FROM blobs WHERE refs = 0 AND released_at IS NULL");
        assertNone(statement, """
                SELECT 1 FROM manifests m LEFT JOIN
                  (SELECT manifest, COUNT(*) AS refs FROM objects WHERE manifest IS NOT NULL GROUP BY manifest) o
                  ON o.manifest = m.id WHERE m.refs <> COALESCE(o.refs, 0)""");
        assertNone(
                statement,
                "SELECT 1 FROM manifests WHERE refs = 0 AND id NOT IN (SELECT id FROM orphans WHERE kind = 0)");
        assertNone(statement, "SELECT 1 FROM manifest_parts WHERE manifest NOT IN (SELECT id FROM manifests)");
        assertNone(statement, "SELECT 1 FROM manifest_slices WHERE manifest NOT IN (SELECT id FROM manifests)");
        assertNone(statement, """
                SELECT 1 FROM parts WHERE upload NOT IN (SELECT seq FROM uploads)
                AND upload NOT IN (SELECT id FROM orphans WHERE kind = 1)""");
        assertNone(statement, """
                SELECT 1 FROM
                  (SELECT bucket, SUM(objects) AS objects, SUM(bytes) AS bytes FROM bucket_usage GROUP BY bucket) u
                  FULL JOIN
                  (SELECT bucket, COUNT(*) AS objects, SUM(size) AS bytes FROM objects GROUP BY bucket) o
                  ON o.bucket = u.bucket
                WHERE COALESCE(u.objects, 0) <> COALESCE(o.objects, 0) OR COALESCE(u.bytes, 0) <> COALESCE(o.bytes, 0)""");
        assertNone(statement, "SELECT 1 FROM objects WHERE bucket NOT IN (SELECT id FROM buckets)");
        assertNone(statement, "SELECT 1 FROM bucket_usage WHERE bucket NOT IN (SELECT id FROM buckets)");
        assertNone(statement, """
                SELECT 1 FROM
                  (SELECT account, SUM(blobs) AS blobs, SUM(live_bytes) AS live, SUM(garbage_blobs) AS garbage,
                          SUM(garbage_bytes) AS dead
                   FROM account_usage GROUP BY account) u
                  FULL JOIN
                  (SELECT account, COUNT(*) FILTER (WHERE alive) AS blobs,
                          COALESCE(SUM(size) FILTER (WHERE alive), 0) AS live,
                          COUNT(*) FILTER (WHERE NOT alive) AS garbage,
                          COALESCE(SUM(size) FILTER (WHERE NOT alive), 0) AS dead
                   FROM (SELECT account, size, refs > 0 AS alive FROM blobs UNION ALL
                         SELECT account, size, false FROM copies WHERE gone_at IS NULL) every
                   GROUP BY account) b ON b.account = u.account
                WHERE COALESCE(u.blobs, 0) <> COALESCE(b.blobs, 0) OR COALESCE(u.live, 0) <> COALESCE(b.live, 0)
                  OR COALESCE(u.garbage, 0) <> COALESCE(b.garbage, 0) OR COALESCE(u.dead, 0) <> COALESCE(b.dead, 0)""");
        assertNone(statement, "SELECT 1 FROM copies c JOIN blobs b ON b.id = c.id AND b.account = c.account");
        assertNone(
                statement,
                "SELECT 1 FROM copies WHERE released_at IS NULL AND (source IS NULL OR gone_at IS NOT NULL)");
    }

    private static void assertNone(Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).as(sql).isFalse();
        }
    }
}
