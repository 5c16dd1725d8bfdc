package io.headgate.namespace.redis;

import io.headgate.namespace.NamespaceException;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is seen of blobs and manifests on a way through everything: short records, brought together by what they are of. More than fit in
 * memory wait in temporary files, a part of the subjects in each, so that one part is sorted at a time. Adding is thread-safe.
 */
final class Facts implements AutoCloseable {
    /** Of what a fact is. */
    static final byte BLOB = 'b';

    static final byte MANIFEST = 'm';

    private static final int ID_BYTES = 16;
    private static final int BYTES = 1 + ID_BYTES + 1 + 16 + 8;
    private static final int PARTS = 256;
    private static final int MOST_IN_MEMORY = 250_000;
    private static final int BUFFER_BYTES = 16 << 10;

    /** What is of interest; null for all. */
    private final @Nullable Set<Subject> wanted;

    private List<byte[]> held = new ArrayList<>();
    private @Nullable Path directory;
    private final @Nullable OutputStream[] files = new @Nullable OutputStream[PARTS];

    /** Everything is of interest. */
    Facts() {
        this.wanted = null;
    }

    /** Facts of others are not kept. */
    Facts(Set<Subject> wanted) {
        this.wanted = Set.copyOf(wanted);
    }

    /**
     * A blob or a manifest.
     *
     * @param kind {@link #BLOB} or {@link #MANIFEST}
     */
    record Subject(byte kind, long high, long low) {
        static Subject of(byte kind, byte[] id) {
            ByteBuffer in = ByteBuffer.wrap(id);
            return new Subject(kind, in.getLong(), in.getLong());
        }

        byte[] id() {
            return ByteBuffer.allocate(ID_BYTES).putLong(high).putLong(low).array();
        }
    }

    /**
     * One thing seen.
     *
     * @param kind a letter of who adds and reads it
     * @param name 16 bytes, such as a holder's
     */
    @SuppressWarnings("ArrayRecordComponent")
    record Fact(byte kind, byte[] name, long number) {}

    void add(Subject of, int kind, byte[] name, long number) {
        if (wanted != null && !wanted.contains(of)) {
            return;
        }
        byte[] fact = ByteBuffer.allocate(BYTES)
                .put(of.kind)
                .putLong(of.high)
                .putLong(of.low)
                .put((byte) kind)
                .put(name)
                .putLong(number)
                .array();
        synchronized (this) {
            held.add(fact);
            if (held.size() >= MOST_IN_MEMORY) {
                spill();
            }
        }
    }

    private void spill() {
        try {
            if (directory == null) {
                directory = Files.createTempDirectory("headgate-audit-");
            }
            for (byte[] fact : held) {
                int part = Math.floorMod(Arrays.hashCode(Arrays.copyOf(fact, 1 + ID_BYTES)), PARTS);
                OutputStream file = files[part];
                if (file == null) {
                    file = new BufferedOutputStream(Files.newOutputStream(file(directory, part)), BUFFER_BYTES);
                    files[part] = file;
                }
                file.write(fact);
            }
        } catch (IOException failed) {
            throw failed(failed);
        }
        held = new ArrayList<>();
    }

    private static Path file(Path directory, int part) {
        return directory.resolve("part-" + part);
    }

    private static NamespaceException failed(IOException cause) {
        return new NamespaceException("a temporary file failed: " + cause.getMessage(), cause);
    }

    interface Reader {
        /** Hears of each subject once, with all facts of it, in the order of their kinds. */
        void read(Subject subject, List<Fact> facts);
    }

    /** To be called once, after the last {@link #add}. */
    void each(Reader reader) {
        if (directory == null) {
            read(held, reader);
            return;
        }
        spill();
        try {
            for (int part = 0; part < PARTS; part++) {
                OutputStream file = files[part];
                if (file != null) {
                    file.close();
                    files[part] = null;
                    byte[] all = Files.readAllBytes(file(directory, part));
                    List<byte[]> facts = new ArrayList<>(all.length / BYTES);
                    for (int at = 0; at < all.length; at += BYTES) {
                        facts.add(Arrays.copyOfRange(all, at, at + BYTES));
                    }
                    Files.delete(file(directory, part));
                    read(facts, reader);
                }
            }
        } catch (IOException failed) {
            throw failed(failed);
        }
    }

    private static void read(List<byte[]> facts, Reader reader) {
        facts.sort(Arrays::compareUnsigned);
        Subject subject = null;
        List<Fact> group = new ArrayList<>();
        for (byte[] bytes : facts) {
            ByteBuffer in = ByteBuffer.wrap(bytes);
            Subject of = new Subject(in.get(), in.getLong(), in.getLong());
            if (subject != null && !of.equals(subject)) {
                reader.read(subject, group);
                group = new ArrayList<>();
            }
            subject = of;
            byte kind = in.get();
            byte[] name = new byte[16];
            in.get(name);
            group.add(new Fact(kind, name, in.getLong()));
        }
        if (subject != null) {
            reader.read(subject, group);
        }
    }

    @Override
    public void close() {
        Path temporary = directory;
        if (temporary == null) {
            return;
        }
        try {
            for (int part = 0; part < PARTS; part++) {
                OutputStream file = files[part];
                if (file != null) {
                    file.close();
                }
                Files.deleteIfExists(file(temporary, part));
            }
            Files.delete(temporary);
        } catch (IOException failed) {
            throw failed(failed);
        }
    }
}
