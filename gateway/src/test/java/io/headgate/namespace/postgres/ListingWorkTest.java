package io.headgate.namespace.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.headgate.domain.BucketName;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.ObjectQuery;
import io.headgate.namespace.UploadQuery;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** How much of the database a page touches, in blocks of 8 KiB, by the server's own count. */
final class ListingWorkTest {
    private static final int SMALL = 10_000;
    private static final int LARGE = 1_000_000;
    private static final int PAGE = 1_000;
    private static final PostgresOptions OPTIONS = Postgres.fresh();
    private static final Pattern BLOCKS = Pattern.compile("\"Shared (?:Hit|Read) Blocks\": (\\d+)");

    private static Connection connection;

    @BeforeAll
    static void fill() throws SQLException {
        try (PostgresNamespace namespace = PostgresNamespace.open(OPTIONS, InstantSource.system())) {
            for (String bucket : List.of("small", "large")) {
                namespace.createBucket(new Bucket(new BucketName(bucket), "alice", "", Instant.EPOCH));
            }
        }
        connection = Postgres.connect(OPTIONS);
        try (Statement statement = connection.createStatement()) {
            fillObjects(statement, "small", SMALL);
            fillObjects(statement, "large", LARGE);
            fillUploads(statement, "small", SMALL);
            fillUploads(statement, "large", LARGE / 5);
            statement.execute("VACUUM ANALYZE objects, uploads");
            statement.execute(Pool.settings(OPTIONS));
        }
    }

    /** Eight keys a folder, in an order that has nothing to do with that of the keys. */
    private static final String KEY = "convert_to('folder-' || lpad((i / 8)::text, 6, '0') || '/' || i % 8, 'UTF8')";

    private static String rows(String bucket, int keys) {
        return """
                FROM (SELECT id FROM buckets WHERE name = '%s') b,
                  (SELECT (n::bigint * 7919) %% %d AS i FROM generate_series(1, %d) n) s""".formatted(bucket, keys, keys);
    }

    private static void fillObjects(Statement statement, String bucket, int keys) throws SQLException {
        statement.execute("""
                INSERT INTO objects (bucket, key, modified_at, size, etag, write_id, origin, details)
                SELECT b.id, %s, 0, 1, md5(i::text), '\\x00', 0, '\\x00' %s""".formatted(KEY, rows(bucket, keys)));
    }

    private static void fillUploads(Statement statement, String bucket, int keys) throws SQLException {
        statement.execute("""
                INSERT INTO uploads (id, bucket, key, started_at, owner, details)
                SELECT convert_to(b.id || '-' || i, 'UTF8'), b.id, %s, 0, 'alice', '\\x0100000000' %s""".formatted(KEY, rows(bucket, keys)));
    }

    @AfterAll
    static void close() throws SQLException {
        connection.close();
    }

    private static ObjectQuery objects(String bucket, String delimiter, String after, int limit) {
        return new ObjectQuery(new BucketName(bucket), "", delimiter, after, limit);
    }

    private static UploadQuery uploads(String bucket, String delimiter, String after, int limit) {
        return new UploadQuery(new BucketName(bucket), "", delimiter, after, "", limit);
    }

    /** Blocks that the statement touched, each as often as it did. */
    private static long work(Listings.Statement query) throws SQLException {
        String plan = plan(query);
        Matcher blocks = BLOCKS.matcher(plan);
        long touched = 0;
        for (int i = 0; i < 2 && blocks.find(); i++) {
            touched += Long.parseLong(blocks.group(1)); // The first two are the whole statement's.
        }
        assertThat(touched).as(plan).isPositive();
        assertThat(plan).doesNotContain("Seq Scan").doesNotContain("Bitmap");
        return touched;
    }

    private static String plan(Listings.Statement query) throws SQLException {
        try (PreparedStatement explain =
                connection.prepareStatement("EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) " + query.sql())) {
            for (int i = 0; i < query.arguments().size(); i++) {
                explain.setObject(i + 1, query.arguments().get(i));
            }
            try (ResultSet rows = explain.executeQuery()) {
                rows.next();
                return rows.getString(1);
            }
        }
    }

    @Test
    void a_page_of_objects_reads_one_range_of_the_index_and_nothing_else() throws SQLException {
        String after = "folder-000100/3";
        long small = work(Listings.statement(objects("small", "", after, PAGE)));
        long large = work(Listings.statement(objects("large", "", after, PAGE)));

        assertThat(large)
                .as(plan(Listings.statement(objects("large", "", after, PAGE))))
                .isLessThan(60)
                .isCloseTo(small, within(10L));
        assertThat(work(Listings.statement(objects("large", "", after, PAGE / 10))))
                .isLessThan(large / 2);
        assertThat(plan(Listings.statement(objects("large", "", after, PAGE))))
                .contains("Index Only Scan")
                .contains("\"Heap Fetches\": 0");
    }

    @Test
    void a_page_of_common_prefixes_seeks_once_for_each() throws SQLException {
        String after = "folder-000100/";
        long small = work(Listings.statement(objects("small", "/", after, PAGE)));
        long large = work(Listings.statement(objects("large", "/", after, PAGE)));

        assertThat(large).isLessThan(5 * PAGE).isLessThan(small * 3 / 2);
        assertThat(work(Listings.statement(objects("large", "/", after, PAGE / 10))))
                .isLessThan(large / 5);
        assertThat(work(Listings.statement(objects("large", "r-", "", PAGE))))
                .as("a common prefix of all keys")
                .isLessThan(30);
        assertThat(plan(Listings.statement(objects("large", "/", after, PAGE)))).contains("Index Only Scan");
    }

    @Test
    void a_page_of_uploads_costs_what_it_holds() throws SQLException {
        for (String delimiter : List.of("", "/")) {
            String after = delimiter.isEmpty() ? "folder-000100/3" : "folder-000100/";
            long small = work(Listings.statement(uploads("small", delimiter, after, PAGE)));
            long large = work(Listings.statement(uploads("large", delimiter, after, PAGE)));

            assertThat(large).isLessThan(6 * PAGE).isLessThan(small * 3 / 2);
            assertThat(work(Listings.statement(uploads("large", delimiter, after, PAGE / 10))))
                    .isLessThan(large / 5);
        }
        assertThat(work(Listings.statement(uploads("large", "r-", "", PAGE)))).isLessThan(30);
    }
}
