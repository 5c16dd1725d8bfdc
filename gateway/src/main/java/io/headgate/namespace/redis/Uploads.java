package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Part;
import io.headgate.namespace.PartsPage;
import io.headgate.namespace.Upload;
import io.lettuce.core.Limit;
import io.lettuce.core.Range.Boundary;
import java.time.Instant;
import java.util.List;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Multipart uploads, each with its parts in the slot of its id, and listed in the range of its key: as long as it is listed there it is in
 * progress, and what ends it takes it from the list. Thread-safe.
 */
final class Uploads {
    private static final int PARTS_A_STEP = 100;

    private final Cluster cluster;
    private final Buckets buckets;
    private final Blobs blobs;
    private final Messages messages;
    private final SlotsInUse slots;
    private final UploadReads reads;
    private final Completions completions;
    private final RandomGenerator random;

    Uploads(
            Cluster cluster,
            Buckets buckets,
            Blobs blobs,
            Messages messages,
            SlotsInUse slots,
            UploadReads reads,
            Completions completions,
            RandomGenerator random) {
        this.cluster = cluster;
        this.buckets = buckets;
        this.blobs = blobs;
        this.messages = messages;
        this.slots = slots;
        this.reads = reads;
        this.completions = completions;
        this.random = random;
    }

    Outcome<Upload> create(Upload upload) {
        slots.use(StoredUpload.slot(upload.id()));
        cluster.one(Script.UPLOAD_CREATE, new byte[][] {StoredUpload.key(upload.id())}, StoredUpload.write(upload));
        byte[] listed = index(upload, Script.YES);
        if (listed == null) {
            cluster.command(redis -> redis.unlink(StoredUpload.key(upload.id())));
            return Buckets.noSuchBucket(upload.bucket());
        }
        cluster.send(redis -> redis.persist(StoredUpload.key(upload.id())));
        return new Outcome.Done<>(StoredUpload.read(upload.id(), StoredUpload.write(upload)));
    }

    /** Lists the upload, or does so no more; null if there is no such bucket. */
    private byte @Nullable [] index(Upload upload, byte[] listed) {
        byte[] member = StoredUpload.member(upload.key(), upload.startedAt(), upload.id());
        return buckets.inRange(upload.bucket(), KeyCodec.encode(upload.key().bytes()), range -> {
            byte[] answer = cluster.one(
                    Script.UPLOAD_INDEX,
                    new byte[][] {range.root(), range.uploads(), range.changes()},
                    range.epochBytes(),
                    member,
                    listed);
            return Buckets.isMoved(answer) ? null : answer;
        });
    }

    Outcome<Upload> find(BucketName bucket, ObjectKey key, String id) {
        UploadReads.Found found = reads.find(bucket, key, id, 0, 0);
        return found != null && found.isInProgress()
                ? new Outcome.Done<>(found.upload())
                : reads.noSuchUpload(bucket, id);
    }

    Outcome<PartsPage> parts(BucketName bucket, ObjectKey key, String id, int afterNumber, int limit) {
        UploadReads.Found found = reads.find(bucket, key, id, afterNumber, limit + 1);
        if (found == null || !found.isInProgress()) {
            return reads.noSuchUpload(bucket, id);
        }
        List<Part> parts =
                found.parts().stream().map(StoredPart::part).limit(limit).toList();
        return new Outcome.Done<>(
                new PartsPage(found.upload(), parts, found.parts().size() > limit && limit > 0));
    }

    Outcome<Upload> abort(BucketName bucket, ObjectKey key, String id, Instant now) {
        UploadReads.Found found = reads.find(bucket, key, id, 0, 0);
        if (found == null || found.state() == 'd') {
            return reads.noSuchUpload(bucket, id);
        }
        boolean isThere = index(found.upload(), Script.NO) != null; // from now on nobody completes it
        return orphan(id, now) && isThere ? new Outcome.Done<>(found.upload()) : reads.noSuchUpload(bucket, id);
    }

    /** Lets go of all uploads that are listed in a range whose bucket is gone. */
    void dropAll(Range range, Instant now) {
        byte[] from = new byte[0];
        while (true) {
            byte[] start = from;
            List<byte[]> members = cluster.command(redis -> redis.zrangebylex(
                    range.uploads(),
                    io.lettuce.core.Range.from(Boundary.excluding(start), Boundary.unbounded()),
                    Limit.create(0, PARTS_A_STEP)));
            if (members == null || members.isEmpty()) {
                return;
            }
            members.forEach(member -> orphan(StoredUpload.Listed.read(member).id(), now));
            from = members.getLast();
        }
    }

    /** Ends an upload that is not listed: as its completion was to end it, or else it is aborted. */
    void end(String id, Instant now) {
        completions.settle(id);
        orphan(id, now);
    }

    /** Takes an upload that is listed no more out of sight, and what it has is let go later; whether this call has done it. */
    private boolean orphan(String id, Instant now) {
        int slot = StoredUpload.slot(id);
        byte[] operation = Script.operation(random);
        while (true) {
            byte[] answer = cluster.one(
                    Script.UPLOAD_ABORT,
                    blobs.keys(slot, StoredUpload.key(id), Orphans.key(slot)),
                    blobs.since(now),
                    id.getBytes(UTF_8),
                    operation);
            if (answer == null || answer[0] != 's') {
                return answer != null && answer[0] == '1';
            }
            completions.settle(id);
        }
    }

    /** Lets go of what an aborted upload has. */
    void drop(String id, byte[] since) {
        int slot = StoredUpload.slot(id);
        boolean more = true;
        while (more) {
            List<byte[]> answer = cluster.many(
                    Script.UPLOAD_DROP,
                    blobs.keys(slot, StoredUpload.key(id), StoredUpload.partsKey(id)),
                    Script.number(slot),
                    since,
                    Script.number(PARTS_A_STEP));
            answer.subList(1, answer.size()).forEach(message -> messages.deliver(slot, message));
            more = answer.getFirst()[0] == '1';
        }
    }
}
