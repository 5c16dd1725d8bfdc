package io.headgate.namespace.sql;

import io.headgate.domain.OwnerOnly;
import io.headgate.namespace.NamespaceException;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Properties;

/** The database file: makes it with its tables, or checks that it is ours and brings it up to date, and opens connections to it. Thread-safe. */
final class SqliteFile {
    /** Marks the file as a Headgate namespace, in SQLite's own header: the letters HGns. */
    private static final int APPLICATION_ID = 0x48476E73;

    private static final int SCHEMA_VERSION = 5;
    /** SQLite's default, which is that of file systems too. */
    static final long PAGE_BYTES = 4_096;

    private static final int BUSY_TIMEOUT_MILLIS = 10_000;
    private static final int WRITER_CACHE_KIB = 32 * 1024;
    private static final int READER_CACHE_KIB = 8 * 1024;

    private final Path path;
    private final File wal;
    private final SqliteOptions options;
    private String namespaceId = "";

    private SqliteFile(Path path, SqliteOptions options) {
        this.path = path;
        this.wal = new File(path + "-wal");
        this.options = options;
    }

    /** @throws NamespaceException if the file cannot be opened, is not a namespace, or is one of a newer Headgate */
    static SqliteFile open(Path path, SqliteOptions options) {
        SqliteFile file = new SqliteFile(path.toAbsolutePath(), options);
        try {
            boolean fresh = !Files.exists(file.path);
            if (fresh) {
                // It names every object, and may hold secrets of accounts. What SQLite puts beside it has the same
                // permissions.
                Files.createFile(file.path, OwnerOnly.FILE);
            }
            try (Connection connection = file.connect(WRITER_CACHE_KIB);
                    Statement statement = connection.createStatement()) {
                file.prepare(statement);
            }
            if (fresh) {
                // The new file's name must survive a power cut as well as its bytes.
                try (FileChannel directory = FileChannel.open(file.path.getParent(), StandardOpenOption.READ)) {
                    directory.force(true);
                }
            }
            return file;
        } catch (SQLException | IOException failed) {
            throw new NamespaceException("cannot open the namespace " + file.path + ": " + failed.getMessage(), failed);
        }
    }

    private void prepare(Statement statement) throws SQLException, IOException {
        statement.execute("BEGIN IMMEDIATE");
        try {
            int application = number(statement, "PRAGMA application_id");
            int version = number(statement, "PRAGMA user_version");
            int tables = number(statement, "SELECT COUNT(*) FROM sqlite_schema");
            if (application == 0 && version == 0 && tables == 0) {
                statement.execute("PRAGMA application_id = " + APPLICATION_ID);
                migrate(statement, 0);
            } else if (application != APPLICATION_ID) {
                throw new NamespaceException(path + " is an SQLite database, but not a namespace of Headgate");
            } else if (version > SCHEMA_VERSION) {
                throw new NamespaceException(path + " was made by a newer Headgate: its schema has version " + version
                        + ", the newest known here is " + SCHEMA_VERSION);
            } else {
                migrate(statement, version);
            }
            namespaceId = text(statement, "SELECT value FROM settings WHERE name = 'namespace_id'");
            statement.execute("COMMIT");
        } catch (SQLException | IOException | RuntimeException failed) {
            statement.execute("ROLLBACK");
            throw failed;
        }
    }

    /** Takes the tables from one version to the newest, step by step, within the transaction that is open. */
    private static void migrate(Statement statement, int from) throws SQLException, IOException {
        for (int version = from + 1; version <= SCHEMA_VERSION; version++) {
            for (String sql : step(version).split(";\n", -1)) {
                if (!sql.isBlank()) {
                    statement.execute(sql);
                }
            }
            statement.execute("PRAGMA user_version = " + version);
        }
    }

    /** What leads to a version from the one before. */
    private static String step(int version) throws IOException {
        try (InputStream in = SqliteFile.class.getResourceAsStream("sqlite-" + version + ".sql")) {
            if (in == null) {
                throw new IOException("the schema is missing from the program");
            }
            // Comments go, because one may hold a semicolon.
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replaceAll("--.*", "");
        }
    }

    private static String text(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            if (!row.next()) {
                throw new SQLException("no row: " + sql);
            }
            return row.getString(1);
        }
    }

    private static int number(Statement statement, String sql) throws SQLException {
        try (ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getInt(1) : 0;
        }
    }

    /** Made with the file, and kept in it. */
    String namespaceId() {
        return namespaceId;
    }

    /** The size of the write-ahead log's file. After the log was begun again it is at most the bound, else as long as the log. */
    long walBytes() {
        return wal.length();
    }

    Session writer() throws SQLException {
        return new Session(connect(WRITER_CACHE_KIB));
    }

    Session reader() throws SQLException {
        Connection connection = connect(READER_CACHE_KIB);
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA query_only = 1");
        }
        return new Session(connection);
    }

    /** One for reads that sort more than fits into memory: SQLite does that in files in its directory for temporary ones. */
    Session bulkReader() throws SQLException {
        Session session = reader();
        session.update("PRAGMA temp_store = FILE");
        return session;
    }

    /** A connection that leaves transactions to whoever says BEGIN and COMMIT. */
    private Connection connect(int cacheKib) throws SQLException {
        Properties driver = new Properties();
        // Else every INSERT is followed by a query for the row's number, parsed anew.
        driver.setProperty("jdbc.get_generated_keys", "false");
        Connection connection = DriverManager.getConnection("jdbc:sqlite:" + path, driver);
        try (Statement statement = connection.createStatement()) {
            statement.execute("PRAGMA busy_timeout = " + BUSY_TIMEOUT_MILLIS);
            statement.execute("PRAGMA journal_mode = WAL");
            statement.execute("PRAGMA synchronous = " + (options.flush() ? "FULL" : "OFF"));
            statement.execute("PRAGMA wal_autocheckpoint = 0");
            statement.execute("PRAGMA journal_size_limit = " + options.walLimitBytes());
            statement.execute("PRAGMA temp_store = MEMORY");
            statement.execute("PRAGMA cache_size = -" + cacheKib);
            if (options.maxFileBytes() > 0) {
                statement.execute("PRAGMA max_page_count = " + options.maxFileBytes() / PAGE_BYTES);
            }
            // With JDBC's auto-commit on, the driver tries BEGIN and COMMIT after every statement; with it off, it has
            // begun a
            // transaction already, which is ended here, and never begins another by itself.
            connection.setAutoCommit(false);
            statement.execute("COMMIT");
            return connection;
        } catch (SQLException failed) {
            connection.close();
            throw failed;
        }
    }
}
