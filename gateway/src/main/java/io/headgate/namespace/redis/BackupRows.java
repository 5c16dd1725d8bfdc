package io.headgate.namespace.redis;

import io.headgate.namespace.codec.Backup;
import io.headgate.namespace.codec.BackupReader;
import io.headgate.namespace.codec.BackupWriter;
import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Writes rows of any table in any order. What fails is an {@link UncheckedIOException}. For one thread. */
final class BackupRows {
    private static final long LONGEST_SILENCE_NANOS = Duration.ofSeconds(10).toNanos();

    private final BackupWriter writer;
    private @Nullable BackupTable current;
    private long passedOnNanos = System.nanoTime();

    BackupRows(OutputStream out, Backup.Header header) throws IOException {
        writer = new BackupWriter(out, header);
    }

    void row(BackupTable table, @Nullable Object... values) {
        row(table, Arrays.asList(values));
    }

    private void row(BackupTable table, List<@Nullable Object> values) {
        try {
            if (table != current) {
                writer.table(table.table(), table.columns());
                current = table;
            }
            writer.row(values);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** Shows whoever waits for rows that they are being looked for: connections on which nothing is heard for long are cut. */
    void stillLooking() {
        long now = System.nanoTime();
        if (now - passedOnNanos < LONGEST_SILENCE_NANOS) {
            return;
        }
        passedOnNanos = now;
        try {
            writer.table(BackupTable.SETTINGS.table(), BackupTable.SETTINGS.columns()); // of which no row follows
            current = BackupTable.SETTINGS;
            writer.flush();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    void end() throws IOException {
        writer.end();
    }

    /** Rows that wait in a temporary file until others are written. */
    static final class Waiting implements AutoCloseable {
        private final Path file;
        private final OutputStream out;
        private final BackupRows rows;

        Waiting(Backup.Header header) throws IOException {
            file = Files.createTempFile("headgate-backup-", ".rows"); // readable by its owner only
            out = new BufferedOutputStream(Files.newOutputStream(file));
            rows = new BackupRows(out, header);
        }

        BackupRows rows() {
            return rows;
        }

        void moveTo(BackupRows to) throws IOException {
            rows.end();
            out.close();
            try (InputStream in = new BufferedInputStream(Files.newInputStream(file))) {
                BackupReader reader = new BackupReader(in);
                BackupTable table = null;
                while (true) {
                    switch (reader.next()) {
                        case Backup.Entry.Table(String name, List<String> columns) ->
                            table = BackupTable.valueOf(name.toUpperCase(Locale.ROOT));
                        case Backup.Entry.Row(List<@Nullable Object> values) -> {
                            if (table != null) {
                                to.row(table, values);
                            }
                        }
                        case Backup.Entry.End end -> {
                            return;
                        }
                    }
                }
            }
        }

        @Override
        public void close() throws IOException {
            out.close();
            Files.deleteIfExists(file);
        }
    }
}
