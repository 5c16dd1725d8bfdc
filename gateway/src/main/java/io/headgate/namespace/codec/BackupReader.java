package io.headgate.namespace.codec;

import io.headgate.namespace.NamespaceException;
import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/**
 * Reads a {@link Backup}. What is not one, or not whole, is a {@link NamespaceException}; whether it is whole is known at its end only. For
 * one thread.
 */
public final class BackupReader {
    private static final int BUFFER_BYTES = 64 << 10;
    private static final int MOST_COLUMNS = 1_000;

    private final MessageDigest digest = BackupWriter.sha256();
    private final DigestInputStream digested;
    private final DataInputStream data;
    private final Backup.Header header;
    private int columns;
    /** Nothing more can be read. */
    private boolean over;

    private long rows;

    /** @param in not closed */
    public BackupReader(InputStream in) throws IOException {
        byte[] first = in.readNBytes(Backup.FIRST_LINE.length());
        String line = new String(first, StandardCharsets.US_ASCII);
        if (!line.equals(Backup.FIRST_LINE)) {
            throw new NamespaceException(
                    line.startsWith("headgate-backup ")
                            ? "the backup was made by a newer Headgate, in a format that this one does not know"
                            : "this is not a backup of a namespace");
        }
        try {
            // Buffered below the digest only, which must see nothing that was not asked for.
            digested = new DigestInputStream(
                    new BufferedInputStream(new GZIPInputStream(in, BUFFER_BYTES), BUFFER_BYTES), digest);
            data = new DataInputStream(digested);
            if (data.readByte() != Backup.HEADER) {
                throw damaged();
            }
            header = new Backup.Header(text(), text(), Instant.ofEpochMilli(data.readLong()));
        } catch (EOFException | ZipException broken) {
            throw broken(broken);
        }
    }

    public Backup.Header header() {
        return header;
    }

    /** The next entry; {@link Backup.Entry.End} once, and nothing may be asked after it. */
    public Backup.Entry next() throws IOException {
        boolean more = false;
        try {
            Backup.Entry entry = switch (data.readByte()) {
                case Backup.TABLE -> table();
                case Backup.ROW -> row();
                case Backup.END -> end();
                default -> throw damaged();
            };
            more = !(entry instanceof Backup.Entry.End);
            return entry;
        } catch (EOFException | ZipException broken) {
            throw broken(broken);
        } finally {
            over = !more;
        }
    }

    /**
     * Reads what is left, for who cannot use what came so far: if the backup is damaged, that is why.
     *
     * @throws NamespaceException if it is
     */
    public void verifyRest() throws IOException {
        while (!over) {
            next();
        }
    }

    private Backup.Entry table() throws IOException {
        String name = text();
        columns = data.readInt();
        if (columns < 1 || columns > MOST_COLUMNS) {
            throw damaged();
        }
        List<String> names = new ArrayList<>();
        for (int i = 0; i < columns; i++) {
            names.add(text());
        }
        return new Backup.Entry.Table(name, names);
    }

    private Backup.Entry row() throws IOException {
        List<@Nullable Object> values = new ArrayList<>(columns);
        for (int i = 0; i < columns; i++) {
            values.add(
                    switch (data.readByte()) {
                        case Backup.NULL -> null;
                        case Backup.NUMBER -> data.readLong();
                        case Backup.BYTES -> bytes();
                        case Backup.TEXT -> text();
                        default -> throw damaged();
                    });
        }
        rows++;
        return new Backup.Entry.Row(values);
    }

    private Backup.Entry end() throws IOException {
        long written = data.readLong();
        byte[] actual = digest.digest();
        digested.on(false);
        byte[] expected = data.readNBytes(actual.length);
        if (expected.length < actual.length) {
            throw new EOFException();
        }
        if (!MessageDigest.isEqual(actual, expected) || written != rows || data.read() >= 0) {
            throw damaged();
        }
        return new Backup.Entry.End(rows);
    }

    private String text() throws IOException {
        return new String(bytes(), StandardCharsets.UTF_8);
    }

    private byte[] bytes() throws IOException {
        int length = data.readInt();
        if (length < 0 || length > Backup.MOST_BYTES) {
            throw damaged();
        }
        byte[] bytes = data.readNBytes(length);
        if (bytes.length < length) {
            throw new EOFException();
        }
        return bytes;
    }

    private static NamespaceException broken(IOException failed) {
        return failed instanceof EOFException
                ? new NamespaceException("the backup is cut off", failed)
                : new NamespaceException("the backup is damaged", failed);
    }

    private static NamespaceException damaged() {
        return new NamespaceException("the backup is damaged");
    }
}
