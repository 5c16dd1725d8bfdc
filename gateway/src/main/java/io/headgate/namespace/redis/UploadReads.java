package io.headgate.namespace.redis;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.Upload;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads uploads and their parts, page by page. Thread-safe. */
final class UploadReads {
    private static final int PARTS_A_PAGE = 1_000;

    private final Cluster cluster;
    private final Buckets buckets;

    UploadReads(Cluster cluster, Buckets buckets) {
        this.cluster = cluster;
        this.buckets = buckets;
    }

    /** What stands of an upload. */
    @SuppressWarnings("ArrayRecordComponent")
    record Found(char state, byte[] changes, Upload upload, byte[] ending, List<StoredPart> parts) {
        boolean isInProgress() {
            return state == 'o' || state == 'c';
        }
    }

    @Nullable Found find(BucketName bucket, ObjectKey key, String id, int afterNumber, int limit) {
        Found found = read(id, afterNumber, limit);
        return found != null
                        && found.upload.bucket().equals(bucket)
                        && found.upload.key().equals(key)
                ? found
                : null;
    }

    /** Shows an upload and its parts, page by page; how it was found first. */
    Optional<Found> each(String id, Consumer<Found> reader) {
        Found first = null;
        for (int after = 0; ; ) {
            Found page = read(id, after, PARTS_A_PAGE);
            if (page == null) {
                return Optional.ofNullable(first);
            }
            first = first == null ? page : first;
            reader.accept(page);
            if (page.parts.size() < PARTS_A_PAGE) {
                return Optional.of(first);
            }
            after = page.parts.getLast().part().number();
        }
    }

    @Nullable Found read(String id, int afterNumber, int limit) {
        List<byte[]> answer = cluster.many(
                Script.UPLOAD_PARTS,
                new byte[][] {StoredUpload.key(id), StoredUpload.partsKey(id)},
                Script.number(afterNumber),
                Script.number(limit));
        if (answer.isEmpty()) {
            return null;
        }
        return new Found(
                (char) answer.getFirst()[0],
                answer.get(1),
                StoredUpload.read(id, answer.get(2)),
                answer.get(3),
                answer.subList(4, answer.size()).stream().map(StoredPart::read).toList());
    }

    /** The upload as of before its parts were read; null if it is not there. */
    @Nullable Found readAll(BucketName bucket, ObjectKey key, String id, List<StoredPart> parts) {
        Found first = null;
        int after = 0;
        while (true) {
            Found page = find(bucket, key, id, after, PARTS_A_PAGE);
            if (page == null) {
                return null;
            }
            first = first == null ? page : first;
            parts.addAll(page.parts);
            if (page.parts.size() < PARTS_A_PAGE) {
                return first;
            }
            after = page.parts.getLast().part().number();
        }
    }

    <T> Outcome<T> noSuchUpload(BucketName bucket, String id) {
        return buckets.find(bucket).isEmpty()
                ? Buckets.noSuchBucket(bucket)
                : new Outcome.Refused<>(Refusal.NO_SUCH_UPLOAD, id);
    }
}
