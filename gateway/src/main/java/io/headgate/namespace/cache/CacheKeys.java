package io.headgate.namespace.cache;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.codec.Codec;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/** The keys in Redis: of the format of entries, the namespace and the generation, so that none is ever taken for another's. */
final class CacheKeys {
    /** Changes with the form of the entries. */
    private static final String FORMAT = "hg1:";

    private final String namespace;

    CacheKeys(String namespaceId) {
        this.namespace = FORMAT + namespaceId + ":";
    }

    byte[] bucket(long generation, BucketName name) {
        return text(generation, "b" + name.value());
    }

    byte[] object(long generation, BucketName bucket, ObjectKey key) {
        return text(generation, "o" + bucket.value() + "/" + key.value());
    }

    /** Where a blob lives that has moved lately. */
    byte[] blob(long generation, BlobId blob) {
        byte[] prefix = text(generation, "m");
        byte[] id = Codec.blobId(blob);
        byte[] key = Arrays.copyOf(prefix, prefix.length + id.length);
        System.arraycopy(id, 0, key, prefix.length, id.length);
        return key;
    }

    /** There while entries may name accounts that blobs have left. */
    byte[] moves(long generation) {
        return text(generation, "M");
    }

    private byte[] text(long generation, String rest) {
        return (namespace + Long.toString(generation, Character.MAX_RADIX) + ":" + rest)
                .getBytes(StandardCharsets.UTF_8);
    }
}
