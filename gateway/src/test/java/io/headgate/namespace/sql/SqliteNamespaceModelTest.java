package io.headgate.namespace.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceModelTest;
import io.headgate.namespace.NamespaceSuite;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.junit.jupiter.api.io.TempDir;

/** The embedded engine against the model, with a look at its tables now and then. */
final class SqliteNamespaceModelTest extends NamespaceModelTest {
    private static final String REFERENCES = """
            (SELECT blob, COUNT(*) AS refs FROM
              (SELECT blob FROM objects WHERE blob IS NOT NULL UNION ALL
               SELECT blob FROM manifest_slices UNION ALL
               SELECT blob FROM part_slices) GROUP BY blob)""";

    @TempDir
    Path directory;

    @Override
    protected Namespace open() {
        return SqliteNamespace.open(
                directory.resolve("namespace.db"),
                SqliteOptions.defaults()
                        .withMinPartBytes(NamespaceSuite.MIN_PART_BYTES)
                        .withFlush(false));
    }

    @Override
    protected Namespace reopen() {
        return open();
    }

    @Override
    protected void checkInside() throws SQLException {
        assertNone("SELECT 1 FROM blobs b LEFT JOIN " + REFERENCES
                + " r ON r.blob = b.id WHERE b.refs <> COALESCE(r.refs, 0)");
        assertNone("SELECT 1 FROM " + REFERENCES + " r WHERE r.blob NOT IN (SELECT id FROM blobs)");
        assertNone("SELECT 1 FROM blobs WHERE refs = 0 AND released_at IS NULL");
        assertNone("""
                SELECT 1 FROM manifests m LEFT JOIN
                  (SELECT manifest, COUNT(*) AS refs FROM objects WHERE manifest IS NOT NULL GROUP BY manifest) o
                  ON o.manifest = m.id WHERE m.refs <> COALESCE(o.refs, 0)""");
        assertNone("SELECT 1 FROM manifests WHERE refs = 0 AND id NOT IN (SELECT id FROM orphans WHERE kind = 0)");
        assertNone("SELECT 1 FROM manifest_parts WHERE manifest NOT IN (SELECT id FROM manifests)");
        assertNone("SELECT 1 FROM manifest_slices WHERE manifest NOT IN (SELECT id FROM manifests)");
        assertNone("""
                SELECT 1 FROM parts WHERE upload NOT IN (SELECT seq FROM uploads)
                AND upload NOT IN (SELECT id FROM orphans WHERE kind = 1)""");
        assertNone("""
                SELECT 1 FROM bucket_usage u LEFT JOIN
                  (SELECT bucket, COUNT(*) AS objects, SUM(size) AS bytes FROM objects GROUP BY bucket) o
                  ON o.bucket = u.bucket
                WHERE u.objects <> COALESCE(o.objects, 0) OR u.bytes <> COALESCE(o.bytes, 0)""");
        assertNone("SELECT 1 FROM objects WHERE bucket NOT IN (SELECT id FROM buckets)");
        assertNone("SELECT 1 FROM bucket_usage WHERE bucket NOT IN (SELECT id FROM buckets)");
        assertNone("""
                SELECT 1 FROM account_usage u LEFT JOIN
                  (SELECT account, SUM(refs > 0) AS blobs, SUM(CASE WHEN refs > 0 THEN size ELSE 0 END) AS live,
                          SUM(refs = 0) AS garbage, SUM(CASE WHEN refs = 0 THEN size ELSE 0 END) AS dead
                   FROM blobs GROUP BY account) b ON b.account = u.account
                WHERE u.blobs <> COALESCE(b.blobs, 0) OR u.live_bytes <> COALESCE(b.live, 0)
                  OR u.garbage_blobs <> COALESCE(b.garbage, 0) OR u.garbage_bytes <> COALESCE(b.dead, 0)""");
    }

    private void assertNone(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("namespace.db"));
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).as(sql).isFalse();
        }
    }
}
