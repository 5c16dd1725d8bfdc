package io.headgate.namespace.codec;

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;

/** Writes a {@link Backup}. For one thread. */
public final class BackupWriter {
    private static final int BUFFER_BYTES = 64 << 10;

    private final GZIPOutputStream compressed;
    private final MessageDigest digest = sha256();
    private final DataOutputStream data;
    private long rows;

    /** @param out not closed */
    public BackupWriter(OutputStream out, Backup.Header header) throws IOException {
        out.write(Backup.FIRST_LINE.getBytes(StandardCharsets.US_ASCII));
        compressed = new FastGzip(out);
        data = new DataOutputStream(new BufferedOutputStream(new DigestOutputStream(compressed, digest), BUFFER_BYTES));
        data.writeByte(Backup.HEADER);
        text(header.engine());
        text(header.namespaceId());
        data.writeLong(header.madeAt().toEpochMilli());
    }

    private static final class FastGzip extends GZIPOutputStream {
        FastGzip(OutputStream out) throws IOException {
            super(out, BUFFER_BYTES, true);
            def.setLevel(Deflater.BEST_SPEED);
        }
    }

    static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance(Backup.DIGEST);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("this Java has no " + Backup.DIGEST, missing);
        }
    }

    /** Begins a table. */
    public void table(String name, List<String> columns) throws IOException {
        data.writeByte(Backup.TABLE);
        text(name);
        data.writeInt(columns.size());
        for (String column : columns) {
            text(column);
        }
    }

    /** A row of the table: null, numbers, booleans, texts and bytes, in the order of its columns. */
    public void row(List<@Nullable Object> values) throws IOException {
        data.writeByte(Backup.ROW);
        for (Object value : values) {
            switch (value) {
                case null -> data.writeByte(Backup.NULL);
                case Long number -> number(number);
                case Integer number -> number(number);
                case Boolean flag -> number(flag ? 1 : 0);
                case byte[] bytes -> {
                    data.writeByte(Backup.BYTES);
                    bytes(bytes);
                }
                case String text -> {
                    data.writeByte(Backup.TEXT);
                    text(text);
                }
                default -> throw new IllegalArgumentException("a value of " + value.getClass());
            }
        }
        rows++;
    }

    /** Passes on what has been written. */
    public void flush() throws IOException {
        data.flush();
    }

    /** Ends the backup: without this it is worth nothing. */
    public void end() throws IOException {
        data.writeByte(Backup.END);
        data.writeLong(rows);
        data.flush();
        data.write(digest.digest());
        data.flush();
        compressed.finish();
        compressed.flush();
    }

    private void number(long value) throws IOException {
        data.writeByte(Backup.NUMBER);
        data.writeLong(value);
    }

    private void text(String text) throws IOException {
        bytes(text.getBytes(StandardCharsets.UTF_8));
    }

    private void bytes(byte[] bytes) throws IOException {
        data.writeInt(bytes.length);
        data.write(bytes);
    }
}
