package io.headgate.namespace.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.withinPercentage;

import io.headgate.domain.BucketName;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectQuery;
import io.headgate.namespace.Outcome;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.ProgressHandler;

/** How much work a page is, in instructions of SQLite's virtual machine: each steps to a row or seeks one. */
final class ListingWorkTest {
    private static final String FILL = """
            INSERT INTO objects (bucket, key, modified_at, size, etag, write_id, origin, details)
            WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i + 1 < ?)
            SELECT ?, CAST(printf('folder-%06d/%d', i / 8, i % 8) AS BLOB), 0, 1, 'etag', x'00', 0, x'00' FROM n""";

    @TempDir
    Path directory;

    @Test
    void a_page_is_the_same_work_in_a_bucket_of_ten_thousand_keys_and_of_a_million() throws Exception {
        SqliteFile.open(
                directory.resolve("namespace.db"), SqliteOptions.defaults().withFlush(false));
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("namespace.db"))) {
            fill(connection, "small", 1, 10_000);
            fill(connection, "large", 2, 1_000_000);

            for (String delimiter : List.of("", "/")) {
                String after = delimiter.isEmpty() ? "folder-000100/3" : "folder-000100/";
                long small = work(connection, new ObjectQuery(new BucketName("small"), "", delimiter, after, 1_000));
                long large = work(connection, new ObjectQuery(new BucketName("large"), "", delimiter, after, 1_000));
                assertThat(large).isCloseTo(small, withinPercentage(1)).isLessThan(50_000);
            }
            long whole = work(connection, new ObjectQuery(new BucketName("large"), "", "r-", "", 1_000));
            assertThat(whole).as("a common prefix of a million keys").isLessThan(200);
        }
    }

    private static void fill(Connection connection, String bucket, long id, int keys) throws SQLException {
        try (Statement statement = connection.createStatement();
                PreparedStatement fill = connection.prepareStatement(FILL)) {
            statement.execute("INSERT INTO buckets (id, name, owner, location, created_at) VALUES (" + id + ", '"
                    + bucket + "', 'alice', '', 0)");
            fill.setInt(1, keys);
            fill.setLong(2, id);
            fill.executeUpdate();
        }
    }

    private static long work(Connection connection, ObjectQuery query) throws SQLException {
        AtomicLong instructions = new AtomicLong();
        ProgressHandler.setHandler(connection, 1, new ProgressHandler() {
            @Override
            protected int progress() {
                instructions.incrementAndGet();
                return 0;
            }
        });
        try {
            ObjectPage page = ((Outcome.Done<ObjectPage>) Listings.objects(new Session(connection), query)).value();
            assertThat(page.entries()).isNotEmpty();
            return instructions.get();
        } finally {
            ProgressHandler.clearHandler(connection);
        }
    }

    @Test
    void a_page_is_read_by_seeking_in_the_table_itself() throws SQLException {
        SqliteFile.open(
                directory.resolve("namespace.db"), SqliteOptions.defaults().withFlush(false));
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + directory.resolve("namespace.db"));
                PreparedStatement explain = connection.prepareStatement("EXPLAIN QUERY PLAN " + Listings.SEEK);
                ResultSet rows = explain.executeQuery()) {
            List<String> plan = new ArrayList<>();
            while (rows.next()) {
                plan.add(rows.getString("detail"));
            }
            assertThat(plan).containsExactly("SEARCH objects USING PRIMARY KEY (bucket=? AND key>? AND key<?)");
        }
    }
}
