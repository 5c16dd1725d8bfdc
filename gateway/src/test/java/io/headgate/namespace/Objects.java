package io.headgate.namespace;

import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Empty objects in one bucket, told apart by their ETags, through any gateway. */
public final class Objects {
    public static final BucketName BUCKET = new BucketName("photos");
    private static final ObjectAttributes PLAIN =
            new ObjectAttributes(Map.of(), Map.of(), Map.of(), ObjectAttributes.STANDARD);

    private Objects() {}

    /** Makes the bucket. */
    public static Objects in(Namespace namespace) {
        namespace.createBucket(new Bucket(BUCKET, "alice", "", now()));
        return new Objects();
    }

    private static Instant now() {
        return Instant.now().truncatedTo(ChronoUnit.MILLIS);
    }

    public Outcome<ObjectVersion> put(Namespace through, String key, String etag, WriteCondition condition) {
        return through.putObject(new PutObject(
                BUCKET,
                new ObjectKey(key),
                UUID.randomUUID().toString(),
                PLAIN,
                0,
                new ETag(etag),
                List.of(),
                Optional.empty(),
                condition,
                0,
                Optional.empty(),
                now()));
    }

    public void put(Namespace through, String key, String etag) {
        if (put(through, key, etag, WriteCondition.NONE) instanceof Outcome.Refused<ObjectVersion> refused) {
            throw new AssertionError("refused: " + refused);
        }
    }

    void copy(Namespace through, String source, String key) {
        Outcome<ObjectVersion> outcome = through.copyObject(new CopyObject(
                BUCKET,
                new ObjectKey(source),
                Optional.empty(),
                ReadCondition.NONE,
                BUCKET,
                new ObjectKey(key),
                UUID.randomUUID().toString(),
                Optional.empty(),
                Optional.empty(),
                ObjectAttributes.STANDARD,
                Optional.empty(),
                Optional.empty(),
                WriteCondition.NONE,
                now()));
        if (outcome instanceof Outcome.Refused<ObjectVersion> refused) {
            throw new AssertionError("refused: " + refused);
        }
    }

    /** Whether there was one. */
    public boolean delete(Namespace through, String key) {
        return switch (through.deleteObjects(
                        BUCKET, List.of(new DeleteObject(new ObjectKey(key), WriteCondition.NONE)), now())
                .getFirst()) {
            case Outcome.Done<Boolean>(Boolean existed) -> existed;
            case Outcome.Refused<Boolean> refused -> throw new AssertionError("refused: " + refused);
        };
    }

    /** Null if there is no such object. */
    public @Nullable String etag(Namespace through, String key) {
        return switch (through.currentVersion(BUCKET, new ObjectKey(key))) {
            case Outcome.Done<ObjectVersion>(ObjectVersion version) ->
                version.etag().value();
            case Outcome.Refused<ObjectVersion>(Refusal reason, String detail) -> {
                if (reason != Refusal.NO_SUCH_KEY) {
                    throw new AssertionError("refused: " + reason + " " + detail);
                }
                yield null;
            }
        };
    }
}
