package io.headgate.namespace.postgres;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ByteRange;
import io.headgate.domain.Checksum;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.CompleteUpload;
import io.headgate.namespace.CopyPart;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.MultipartRules;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Part;
import io.headgate.namespace.PutPart;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.Upload;
import io.headgate.namespace.codec.Codec;
import io.headgate.namespace.codec.Origin;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The writes of multipart uploads: each reads, decides, and changes everything or nothing. */
final class UploadWrites {
    /** The most slices of an object: parts that are copied from multipart objects have many. Bounds the time of a Complete. */
    static final long MAX_SLICES = 100_000;

    private UploadWrites() {}

    static Outcome<Part> putPart(Tx tx, PutPart command) throws SQLException {
        Part part = command.part().toMillis();
        long now = part.lastModified().toEpochMilli();
        Slice blob = command.blob().orElse(null);
        List<Uploads.Row> found = new ArrayList<>();
        List<BlobId> replaced = new ArrayList<>();
        Map<Long, Intents.State> intents = new HashMap<>();
        List<Integer> known = new ArrayList<>();
        Pipeline pipeline = tx.session().pipeline();
        Uploads.lock(pipeline, command.bucket(), command.key(), command.uploadId(), found);
        Uploads.blobs(pipeline, command.uploadId(), Column.integer().add(part.number()), replaced);
        if (blob != null) {
            pipeline.query(
                    Intents.HOLD,
                    row -> intents.put(row.getLong(1), Intents.readState(row)),
                    Column.bigint().add(command.intentId()));
            pipeline.query(
                    Blobs.FIND,
                    row -> known.add(row.getObject(2) == null ? -1 : row.getInt(2)),
                    Blobs.ids(List.of(blob.blob())));
        }
        pipeline.run();
        if (!known.isEmpty()) {
            return known.getFirst() < 0
                    ? new Outcome.Done<>(part)
                    : new Outcome.Refused<>(Codec.refusal(known.getFirst()));
        }
        if (found.isEmpty()) {
            return refuse(tx, Uploads.missing(tx.session(), command.bucket(), command.uploadId()), blob, now);
        }
        Intents.State intent = intents.get(command.intentId());
        if (blob != null && (intent == null || !intent.isStanding(now))) {
            return refuse(tx, new Outcome.Refused<>(Refusal.INTENT_EXPIRED), blob, now);
        }
        write(tx, found.getFirst().seq(), part, blob, replaced);
        return new Outcome.Done<>(part);
    }

    /** The blob of a refused part becomes garbage. */
    private static Outcome<Part> refuse(Tx tx, Outcome<Part> outcome, @Nullable Slice blob, long nowMillis)
            throws SQLException {
        if (blob != null && outcome instanceof Outcome.Refused<Part>(Refusal reason, String detail)) {
            Blobs.Fresh refused = new Blobs.Fresh(blob.account(), sizeOf(blob));
            refused.refs = 0;
            refused.releasedAt = tx.releaseTime(nowMillis);
            refused.refusal = Codec.refusalCode(reason);
            tx.counters().addGarbage(blob.account(), 1, sizeOf(blob));
            Pipeline pipeline = tx.session().pipeline();
            Blobs.insert(pipeline, Map.of(blob.blob(), refused));
            pipeline.run();
            return new Outcome.Refused<>(reason);
        }
        return outcome;
    }

    private static void write(Tx tx, long upload, Part part, @Nullable Slice blob, List<BlobId> replaced)
            throws SQLException {
        Pipeline pipeline = tx.session().pipeline();
        if (blob != null) {
            Blobs.insert(pipeline, Map.of(blob.blob(), new Blobs.Fresh(blob.account(), sizeOf(blob))));
            tx.counters().addLive(blob.account(), 1, sizeOf(blob));
        }
        Uploads.putPart(pipeline, upload, part, blob == null ? List.of() : List.of(blob));
        Map<BlobId, Blobs.Change> changes = new LinkedHashMap<>();
        long releasedAt = tx.releaseTime(part.lastModified().toEpochMilli());
        replaced.forEach(id -> release(changes, id, releasedAt));
        count(pipeline, tx, changes);
        tx.last(pipeline);
    }

    private static void release(Map<BlobId, Blobs.Change> changes, BlobId blob, long releasedAtMillis) {
        Blobs.Change change = changes.computeIfAbsent(blob, id -> new Blobs.Change());
        change.refs--;
        change.releasedAt = Math.max(change.releasedAt, releasedAtMillis);
    }

    private static void count(Pipeline pipeline, Tx tx, Map<BlobId, Blobs.Change> changes) {
        if (!changes.isEmpty()) {
            Blobs.count(pipeline, tx.counters(), changes);
        }
    }

    private static long sizeOf(Slice whole) {
        return whole.offsetBytes() + whole.lengthBytes();
    }

    static Outcome<Part> copyPart(Tx tx, CopyPart command) throws SQLException {
        Session session = tx.session();
        Buckets.hold(session, command.sourceBucket()); // Before the upload, as everyone does.
        Outcome<Uploads.Row> locked = Uploads.lock(session, command.bucket(), command.key(), command.uploadId());
        if (locked instanceof Outcome.Refused<Uploads.Row>(Refusal reason, String detail)) {
            return new Outcome.Refused<>(reason, detail);
        }
        Uploads.Row upload = ((Outcome.Done<Uploads.Row>) locked).value();
        KeyBatch batch = new KeyBatch(tx);
        KeyBatch.Key sourceKey = new KeyBatch.Key(command.sourceBucket(), command.sourceKey());
        batch.name(sourceKey);
        batch.load();
        Outcome<ObjectVersion> found = command.sourceCondition()
                .source(ObjectWrites.source(batch, sourceKey), command.expectedSourceWriteId());
        return switch (found) {
            case Outcome.Refused<ObjectVersion>(Refusal reason, String detail) -> new Outcome.Refused<>(reason, detail);
            case Outcome.Done<ObjectVersion>(ObjectVersion source) -> {
                Optional<ByteRange.Resolved> range = command.rangeIn(source.sizeBytes());
                yield range.isEmpty()
                        ? new Outcome.Refused<>(Refusal.INVALID_RANGE)
                        : share(tx, command, upload.seq(), source, range.get());
            }
        };
    }

    private static Outcome<Part> share(
            Tx tx, CopyPart command, long upload, ObjectVersion source, ByteRange.Resolved range) throws SQLException {
        Session session = tx.session();
        List<Slice> slices = slices(session, source, range);
        if (Uploads.slices(session, upload) + slices.size() > MAX_SLICES) {
            return new Outcome.Refused<>(
                    Refusal.ENTITY_TOO_LARGE, "An object is made of at most " + MAX_SLICES + " slices");
        }
        Part part = new Part(
                command.partNumber(),
                range.lengthBytes(),
                MultipartRules.copiedPartETag(source.etag(), source.sizeBytes(), range),
                command.checksum(),
                command.now().truncatedTo(ChronoUnit.MILLIS));
        List<BlobId> replaced = new ArrayList<>();
        Pipeline reading = session.pipeline();
        Uploads.blobs(reading, command.uploadId(), Column.integer().add(part.number()), replaced);
        reading.run();
        Map<BlobId, Blobs.Change> changes = new LinkedHashMap<>();
        slices.forEach(slice -> changes.computeIfAbsent(slice.blob(), id -> new Blobs.Change()).refs++);
        long releasedAt = tx.releaseTime(part.lastModified().toEpochMilli());
        replaced.forEach(id -> release(changes, id, releasedAt));
        Pipeline pipeline = session.pipeline();
        Uploads.putPart(pipeline, upload, part, slices);
        count(pipeline, tx, changes);
        tx.last(pipeline);
        return new Outcome.Done<>(part);
    }

    private static List<Slice> slices(Session session, ObjectVersion source, ByteRange.Resolved range)
            throws SQLException {
        if (range.lengthBytes() == 0) {
            return List.of();
        }
        return switch (source.manifest()) {
            case Manifest.Inline(Optional<Slice> slice) ->
                List.of(slice.orElseThrow().sub(range.offsetBytes(), range.lengthBytes()));
            case Manifest.Stored stored ->
                Manifests.cut(session, Manifests.number(stored), range.offsetBytes(), range.lengthBytes());
        };
    }

    static Outcome<ObjectVersion> complete(Tx tx, MultipartRules rules, CompleteUpload command) throws SQLException {
        List<Uploads.Row> found = new ArrayList<>();
        List<ObjectVersion> completed = new ArrayList<>();
        List<Part> parts = new ArrayList<>();
        Buckets.hold(tx.session(), command.bucket());
        Pipeline pipeline = tx.session().pipeline();
        Uploads.lock(pipeline, command.bucket(), command.key(), command.uploadId(), found);
        Uploads.completed(pipeline, command.bucket(), command.key(), command.uploadId(), completed);
        Uploads.parts(pipeline, command.uploadId(), parts);
        pipeline.run();
        if (!completed.isEmpty()) {
            return new Outcome.Done<>(completed.getFirst());
        }
        if (found.isEmpty()) {
            return Uploads.missing(tx.session(), command.bucket(), command.uploadId());
        }
        Uploads.Row upload = found.getFirst();
        Map<Integer, Part> uploaded = new HashMap<>();
        parts.forEach(part -> uploaded.put(part.number(), part));
        return switch (rules.complete(command, upload.upload().checksum(), uploaded)) {
            case Outcome.Refused<MultipartRules.Whole>(Refusal reason, String detail) ->
                new Outcome.Refused<>(reason, detail);
            case Outcome.Done<MultipartRules.Whole>(MultipartRules.Whole whole) -> {
                KeyBatch batch = new KeyBatch(tx);
                KeyBatch.Key key = new KeyBatch.Key(command.bucket(), command.key());
                batch.name(key);
                batch.load();
                Versions.Head current = batch.current(key);
                Optional<Refusal> refusal = command.condition().check(current == null ? null : current.etag());
                yield refusal.isPresent()
                        ? new Outcome.Refused<>(refusal.get())
                        : commit(batch, command, upload, uploaded.keySet(), whole);
            }
        };
    }

    private static Outcome<ObjectVersion> commit(
            KeyBatch batch,
            CompleteUpload command,
            Uploads.Row upload,
            Set<Integer> uploaded,
            MultipartRules.Whole whole)
            throws SQLException {
        Session session = batch.tx().session();
        Set<Integer> unnamed = new HashSet<>(uploaded);
        whole.parts().forEach(part -> unnamed.remove(part.number()));
        if (!unnamed.isEmpty()) {
            Column numbers = Column.integer();
            unnamed.forEach(numbers::add);
            List<BlobId> blobs = new ArrayList<>();
            Pipeline pipeline = session.pipeline();
            Uploads.blobs(pipeline, command.uploadId(), numbers, blobs);
            Uploads.deleteParts(pipeline, upload.seq(), numbers);
            pipeline.run();
            long releasedAt = batch.tx().releaseTime(command.now().toEpochMilli());
            blobs.forEach(blob -> batch.release(blob, releasedAt));
        }
        long manifest = Manifests.ofUpload(session, upload.seq());
        List<Checksum> checksums = whole.checksum().map(List::of).orElse(List.of());
        ObjectVersion version = new ObjectVersion(
                command.key(),
                command.writeId(),
                command.now().truncatedTo(ChronoUnit.MILLIS),
                whole.sizeBytes(),
                whole.etag(),
                upload.upload().attributes(),
                checksums,
                new Manifest.Stored(Long.toString(manifest), whole.parts().size()));
        Pipeline pipeline = session.pipeline();
        Uploads.rememberCompleted(pipeline, upload.upload(), version);
        pipeline.run();
        batch.replace(new KeyBatch.Key(command.bucket(), command.key()), version, Origin.COMPLETE, Optional.empty());
        batch.write();
        return new Outcome.Done<>(version);
    }

    static Outcome<Upload> abort(Tx tx, BucketName bucket, ObjectKey key, String id, Instant now) throws SQLException {
        return switch (Uploads.lock(tx.session(), bucket, key, id)) {
            case Outcome.Refused<Uploads.Row>(Refusal reason, String detail) -> new Outcome.Refused<>(reason, detail);
            case Outcome.Done<Uploads.Row>(Uploads.Row upload) -> {
                Uploads.abort(tx, upload.seq(), now.toEpochMilli());
                yield new Outcome.Done<>(upload.upload());
            }
        };
    }
}
