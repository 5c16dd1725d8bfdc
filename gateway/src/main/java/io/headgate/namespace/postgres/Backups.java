package io.headgate.namespace.postgres;

import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.codec.Backup;
import io.headgate.namespace.codec.BackupReader;
import io.headgate.namespace.codec.BackupWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Writes all rows into a backup, and makes rows of one. */
final class Backups {
    static final String ENGINE = "postgres";

    private static final String TABLES = """
            SELECT c.relname::text FROM pg_class c
            WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace ORDER BY 1""";
    private static final String COLUMNS = """
            SELECT a.attname::text, t.typname::text FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid
            WHERE a.attrelid = ?::regclass AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum""";
    /** Counters are kept in parts here; a backup has their sums, which are all that is true. */
    private static final String SLOT = "slot";

    private static final String SEQUENCES = """
            SELECT c.relname::text, a.attname::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
            WHERE a.attidentity <> '' AND c.relnamespace = current_schema()::regnamespace""";
    private static final String OTHERS = """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND application_name = 'headgate' AND pid <> pg_backend_pid()""";

    private static final int ROWS_AT_ONCE = 1_000;

    private Backups() {}

    /** To be called in a transaction that sees one instant. */
    static void write(Session session, String namespaceId, Instant now, OutputStream out) throws SQLException {
        try {
            BackupWriter writer = new BackupWriter(out, new Backup.Header(ENGINE, namespaceId, now));
            for (String table : tables(session)) {
                write(session, table, writer);
            }
            writer.end();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static void write(Session session, String table, BackupWriter writer) throws SQLException, IOException {
        List<String> columns = new ArrayList<>(columns(session, table).keySet());
        boolean inParts = columns.remove(SLOT);
        String select = "SELECT " + String.join(", ", columns) + " FROM " + table;
        if (inParts) {
            select = "SELECT " + columns.getFirst() + ", "
                    + columns.stream()
                            .skip(1)
                            .map(column -> "sum(" + column + ")::bigint")
                            .collect(Collectors.joining(", "))
                    + " FROM " + table + " GROUP BY " + columns.getFirst();
        }
        writer.table(table, columns);
        session.each(select, row -> {
            List<@Nullable Object> values = new ArrayList<>(columns.size());
            for (int i = 1; i <= columns.size(); i++) {
                values.add(row.getObject(i));
            }
            try {
                writer.row(values);
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        });
    }

    private static List<String> tables(Session session) throws SQLException {
        List<String> tables = session.all(TABLES, row -> row.getString(1));
        tables.removeAll(Backup.TRANSIENT_TABLES);
        return tables;
    }

    /** Names and types, in their order. */
    private static Map<String, String> columns(Session session, String table) throws SQLException {
        Map<String, String> columns = new LinkedHashMap<>();
        session.pipeline()
                .query(COLUMNS, row -> columns.put(row.getString(1), row.getString(2)), table)
                .run();
        return columns;
    }

    /** How many connections gateways have to the database. */
    static long others(Session session) throws SQLException {
        Long others = session.first(OTHERS, row -> row.getLong(1));
        return others == null ? 0 : others;
    }

    /** Fills the tables, which are those of a namespace that was never used. To be called in a transaction. */
    static Backup.Header read(Session session, BackupReader reader) throws SQLException, IOException {
        List<String> tables = tables(session);
        if (others(session) > 0) {
            throw new NamespaceException("gateways are connected to the namespace's database: stop them all first");
        }
        for (String table : tables) {
            if (!Backup.NEVER_EMPTY_TABLES.contains(table)
                    && session.first("SELECT 1 FROM " + table + " LIMIT 1", row -> true) != null) {
                throw new NamespaceException("the namespace is in use: a backup is restored into an empty one only");
            }
        }
        for (String table : tables) {
            session.update("DELETE FROM " + table);
        }
        try {
            return fill(session, reader, tables);
        } catch (SQLException | NamespaceException failed) {
            reader.verifyRest();
            throw failed;
        }
    }

    private static Backup.Header fill(Session session, BackupReader reader, List<String> tables)
            throws SQLException, IOException {
        Target target = null;
        while (true) {
            switch (reader.next()) {
                case Backup.Entry.Table(String name, List<String> columns) -> {
                    if (target != null) {
                        target.flush(session);
                    }
                    target = Target.of(session, tables, name, columns, reader.header());
                }
                case Backup.Entry.Row(List<@Nullable Object> values) -> {
                    if (target != null) {
                        target.add(session, values);
                    }
                }
                case Backup.Entry.End _ -> {
                    if (target != null) {
                        target.flush(session);
                    }
                    advanceSequences(session);
                    return reader.header();
                }
            }
        }
    }

    private record Sequence(String table, String column) {}

    private static void advanceSequences(Session session) throws SQLException {
        for (Sequence of : session.all(SEQUENCES, row -> new Sequence(row.getString(1), row.getString(2)))) {
            session.all(
                    "SELECT setval(pg_get_serial_sequence('" + of.table + "', '" + of.column + "'), coalesce(max("
                            + of.column + "), 0) + 1, false) FROM " + of.table,
                    row -> row.getLong(1));
        }
    }

    /** Where rows of the backup go, many at a time. */
    private static final class Target {
        private final String insert;
        private final List<String> types;
        private List<Column> columns;

        private Target(String insert, List<String> types) {
            this.insert = insert;
            this.types = types;
            this.columns = empty();
        }

        private List<Column> empty() {
            return types.stream().map(Column::of).toList();
        }

        static Target of(Session session, List<String> tables, String name, List<String> names, Backup.Header header)
                throws SQLException {
            if (!tables.contains(name)) {
                throw unknown(name, header);
            }
            Map<String, String> known = columns(session, name);
            List<String> types = new ArrayList<>();
            for (String column : names) {
                String type = known.get(column);
                if (type == null) {
                    throw unknown(name + "." + column, header);
                }
                types.add(type);
            }
            boolean inParts = known.containsKey(SLOT);
            String insert = "INSERT INTO " + name + " (" + String.join(", ", names) + (inParts ? ", " + SLOT : "")
                    + ") OVERRIDING SYSTEM VALUE SELECT *" + (inParts ? ", 0" : "") + " FROM unnest("
                    + types.stream().map(type -> "?::" + type + "[]").collect(Collectors.joining(", ")) + ")";
            return new Target(insert, types);
        }

        private static NamespaceException unknown(String what, Backup.Header header) {
            return new NamespaceException("the backup, of a namespace in " + header.engine() + ", holds " + what
                    + ", which this Headgate does not know: was it made by a newer one?");
        }

        void add(Session session, List<@Nullable Object> values) throws SQLException {
            for (int i = 0; i < values.size(); i++) {
                columns.get(i).add(converted(types.get(i), values.get(i)));
            }
            if (columns.getFirst().size() == ROWS_AT_ONCE) {
                flush(session);
            }
        }

        void flush(Session session) throws SQLException {
            if (!columns.getFirst().isEmpty()) {
                session.update(insert, columns.toArray());
                columns = empty();
            }
        }

        /** What one engine keeps as text or number another may keep as bytes or as a truth value. */
        private static @Nullable Object converted(String type, @Nullable Object value) {
            return switch (value) {
                case byte[] bytes when type.equals("text") -> new String(bytes, StandardCharsets.UTF_8);
                case String text when type.equals("bytea") -> text.getBytes(StandardCharsets.UTF_8);
                case Long number when type.equals("bool") -> number != 0;
                case Long number when type.equals("int4") -> Math.toIntExact(number);
                case null, default -> value;
            };
        }
    }
}
