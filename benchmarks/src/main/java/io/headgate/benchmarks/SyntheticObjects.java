package io.headgate.benchmarks;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.WriteCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** Puts objects of 4 KiB into a namespace, without bytes in an account. Thread-safe. */
final class SyntheticObjects {
    private static final int OBJECT_BYTES = 4096;

    private final Namespace namespace;
    private final String account;
    private final long intent;

    /**
     * @param account that the objects are said to be in
     * @param lifetime how long it will be used
     */
    SyntheticObjects(Namespace namespace, String account, Duration lifetime) {
        this.namespace = namespace;
        this.account = account;
        Instant now = Instant.now();
        this.intent = namespace
                .openIntent("bench", now, now.plus(lifetime), now.plus(lifetime.multipliedBy(2)))
                .id();
    }

    /**
     * As a gateway does it.
     *
     * @param ids of the caller alone
     */
    void put(BucketName bucket, String name, SplittableRandom ids) {
        Instant now = Instant.now();
        ObjectKey key = new ObjectKey(name);
        int slot = namespace.blobSlot(bucket, key).orElseGet(() -> ids.nextInt(BlobId.SLOTS));
        BlobId blob = BlobId.of(now.getEpochSecond(), slot, ids.nextLong(), ids.nextLong());
        Outcome<?> outcome = namespace.putObject(new PutObject(
                bucket,
                key,
                blob.toString(),
                new ObjectAttributes(
                        Map.of("content-type", "image/jpeg"), Map.of(), Map.of(), ObjectAttributes.STANDARD),
                OBJECT_BYTES,
                new ETag("%016x%016x".formatted(ids.nextLong(), ids.nextLong())),
                List.of(),
                Optional.of(new Slice(blob, account, 0, OBJECT_BYTES)),
                WriteCondition.NONE,
                intent,
                Optional.empty(),
                now));
        if (!(outcome instanceof Outcome.Done<?>)) {
            throw new IllegalStateException("a put was refused: " + outcome);
        }
    }
}
