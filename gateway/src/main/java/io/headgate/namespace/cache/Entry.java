package io.headgate.namespace.cache;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.codec.Codec;
import io.headgate.namespace.codec.PackedReader;
import io.headgate.namespace.codec.PackedWriter;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** What stands in Redis, by its first byte. */
final class Entry {
    private static final byte VERSION = 'v';
    private static final byte BUCKET = 'B'; // 'b' was one without settings
    private static final byte NOTHING = 'n';
    private static final byte ACCOUNT = 'a';
    private static final byte RESERVATION = 'f';
    private static final byte UNKNOWN = '?';

    private Entry() {}

    /** What was found at a key. */
    enum Kind {
        /** Nothing at all. */
        ABSENT,
        /** The entry says that there is no such thing. */
        NOTHING,
        /** The entry says what there is. */
        SOMETHING,
        /** No entry, and it is not for this reader to make one. */
        TAKEN
    }

    static Kind kind(byte @Nullable [] value) {
        if (value == null || value.length == 0) {
            return Kind.ABSENT;
        }
        return switch (value[0]) {
            case VERSION, BUCKET, ACCOUNT -> Kind.SOMETHING;
            case NOTHING -> Kind.NOTHING;
            default -> Kind.TAKEN;
        };
    }

    static byte[] nothing() {
        return new byte[] {NOTHING};
    }

    /** For who must not make an entry, and has to leave one that says so. */
    static byte[] unknown() {
        return new byte[] {UNKNOWN};
    }

    static byte[] version(ObjectVersion version) {
        return tagged(VERSION, Codec.snapshot(version));
    }

    /** @throws NamespaceException if it is not the entry of a version */
    static ObjectVersion version(byte[] entry, ObjectKey key) {
        return Codec.snapshot(untagged(VERSION, entry), key);
    }

    static byte[] bucket(Bucket bucket) {
        byte[] settings = Codec.settings(bucket.settings());
        return tagged(
                BUCKET,
                new PackedWriter()
                        .number(bucket.createdAt().toEpochMilli())
                        .string(bucket.owner())
                        .string(bucket.location())
                        .bytes(settings == null ? new byte[0] : settings)
                        .toBytes());
    }

    /** @throws NamespaceException if it is not the entry of a bucket */
    static Bucket bucket(byte[] entry, BucketName name) {
        PackedReader in = new PackedReader(untagged(BUCKET, entry));
        Instant createdAt = Instant.ofEpochMilli(in.number());
        return new Bucket(name, in.string(), in.string(), createdAt, Codec.settings(in.bytes()));
    }

    static byte[] account(String name) {
        return tagged(ACCOUNT, utf8(name));
    }

    static String account(byte[] entry) {
        return new String(untagged(ACCOUNT, entry), StandardCharsets.UTF_8);
    }

    static byte[] reservation(byte[] token) {
        return tagged(RESERVATION, token);
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static byte[] tagged(byte tag, byte[] rest) {
        byte[] entry = new byte[rest.length + 1];
        entry[0] = tag;
        System.arraycopy(rest, 0, entry, 1, rest.length);
        return entry;
    }

    private static byte[] untagged(byte tag, byte[] entry) {
        if (entry[0] != tag) {
            throw new NamespaceException("the cache holds an entry of another kind than it should");
        }
        return Arrays.copyOfRange(entry, 1, entry.length);
    }
}
