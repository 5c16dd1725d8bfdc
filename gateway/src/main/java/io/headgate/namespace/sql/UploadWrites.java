package io.headgate.namespace.sql;

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
import io.headgate.namespace.codec.Origin;
import java.sql.SQLException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The writes of multipart uploads: each reads, decides, and changes everything or nothing. */
final class UploadWrites {
    /**
     * The most slices of an object: parts that are copied from multipart objects have many. Bounds the time that a Complete keeps
     * the other writes waiting.
     */
    static final long MAX_SLICES = 100_000;

    private UploadWrites() {}

    static Outcome<Part> putPart(Batch batch, PutPart command) throws SQLException {
        Part part = command.part().toMillis();
        Slice blob = command.blob().orElse(null);
        if (blob != null) {
            switch (Blobs.commit(batch, blob)) {
                case Blobs.Known.Fresh() -> {}
                case Blobs.Known.Committed() -> {
                    return new Outcome.Done<>(part);
                }
                case Blobs.Known.Refused(Refusal reason) -> {
                    return new Outcome.Refused<>(reason);
                }
            }
        }
        long now = part.lastModified().toEpochMilli();
        Long bucket = batch.bucketId(command.bucket());
        Uploads.Row upload = bucket == null
                ? null
                : Uploads.row(batch.session(), command.bucket(), bucket, command.key(), command.uploadId());
        Optional<Refusal> refusal = bucket == null
                ? Optional.of(Refusal.NO_SUCH_BUCKET)
                : upload == null
                        ? Optional.of(Refusal.NO_SUCH_UPLOAD)
                        : blob == null || batch.standing(command.intentId(), now)
                                ? Optional.empty()
                                : Optional.of(Refusal.INTENT_EXPIRED);
        if (refusal.isPresent() || upload == null) {
            Refusal reason = refusal.orElse(Refusal.NO_SUCH_UPLOAD);
            if (blob != null) {
                Blobs.refuse(batch, blob, reason, now);
            }
            return new Outcome.Refused<>(reason);
        }
        Uploads.putPart(batch, upload.seq(), part, blob == null ? List.of() : List.of(blob));
        return new Outcome.Done<>(part);
    }

    static Outcome<Part> copyPart(Batch batch, CopyPart command) throws SQLException {
        Session session = batch.session();
        Long bucket = batch.bucketId(command.bucket());
        if (bucket == null) {
            return Buckets.noSuchBucket(command.bucket());
        }
        Uploads.Row upload = Uploads.row(session, command.bucket(), bucket, command.key(), command.uploadId());
        if (upload == null) {
            return Uploads.noSuchUpload(command.uploadId());
        }
        Outcome<ObjectVersion> found = command.sourceCondition()
                .source(
                        Versions.current(session, command.sourceBucket(), command.sourceKey()),
                        command.expectedSourceWriteId());
        return switch (found) {
            case Outcome.Refused<ObjectVersion>(Refusal reason, String detail) -> new Outcome.Refused<>(reason, detail);
            case Outcome.Done<ObjectVersion>(ObjectVersion source) -> {
                Optional<ByteRange.Resolved> range = command.rangeIn(source.sizeBytes());
                yield range.isEmpty()
                        ? new Outcome.Refused<>(Refusal.INVALID_RANGE)
                        : share(batch, command, upload.seq(), source, range.get());
            }
        };
    }

    private static Outcome<Part> share(
            Batch batch, CopyPart command, long upload, ObjectVersion source, ByteRange.Resolved range)
            throws SQLException {
        List<Slice> slices = slices(batch.session(), source, range);
        if (Uploads.slices(batch.session(), upload) + slices.size() > MAX_SLICES) {
            return new Outcome.Refused<>(
                    Refusal.ENTITY_TOO_LARGE, "An object is made of at most " + MAX_SLICES + " slices");
        }
        Part part = new Part(
                command.partNumber(),
                range.lengthBytes(),
                MultipartRules.copiedPartETag(source.etag(), source.sizeBytes(), range),
                command.checksum(),
                command.now().truncatedTo(ChronoUnit.MILLIS));
        for (Slice slice : slices) {
            Blobs.retain(batch, slice.blob());
        }
        Uploads.putPart(batch, upload, part, slices);
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

    static Outcome<ObjectVersion> complete(Batch batch, MultipartRules rules, CompleteUpload command)
            throws SQLException {
        Session session = batch.session();
        ObjectVersion completed = Uploads.completed(session, command.bucket(), command.key(), command.uploadId());
        if (completed != null) {
            return new Outcome.Done<>(completed);
        }
        Long bucket = batch.bucketId(command.bucket());
        if (bucket == null) {
            return Buckets.noSuchBucket(command.bucket());
        }
        Uploads.Row upload = Uploads.row(session, command.bucket(), bucket, command.key(), command.uploadId());
        if (upload == null) {
            return Uploads.noSuchUpload(command.uploadId());
        }
        Map<Integer, Part> uploaded = new HashMap<>();
        for (Part part : Uploads.parts(session, upload.seq(), 0, MultipartRules.MAX_PARTS)) {
            uploaded.put(part.number(), part);
        }
        return switch (rules.complete(command, upload.upload().checksum(), uploaded)) {
            case Outcome.Refused<MultipartRules.Whole>(Refusal reason, String detail) ->
                new Outcome.Refused<>(reason, detail);
            case Outcome.Done<MultipartRules.Whole>(MultipartRules.Whole whole) -> {
                Versions.Head current =
                        Versions.head(session, bucket, command.key().bytes());
                Optional<Refusal> refusal = command.condition().check(current == null ? null : current.etag());
                yield refusal.isPresent()
                        ? new Outcome.Refused<>(refusal.get())
                        : commit(batch, command, bucket, upload, uploaded.keySet(), whole, current);
            }
        };
    }

    private static Outcome<ObjectVersion> commit(
            Batch batch,
            CompleteUpload command,
            long bucket,
            Uploads.Row upload,
            Set<Integer> uploaded,
            MultipartRules.Whole whole,
            Versions.@Nullable Head current)
            throws SQLException {
        Session session = batch.session();
        Set<Integer> unnamed = new HashSet<>(uploaded);
        whole.parts().forEach(part -> unnamed.remove(part.number()));
        for (int number : unnamed) {
            Uploads.deletePart(batch, upload.seq(), number, command.now().toEpochMilli());
        }
        long manifest = Manifests.ofUpload(session, upload.seq());
        Uploads.delete(session, upload.seq());
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
        Versions.replace(batch, bucket, current, version, Origin.COMPLETE, Optional.empty());
        Uploads.rememberCompleted(session, upload.upload(), version);
        return new Outcome.Done<>(version);
    }

    static Outcome<Upload> abort(Batch batch, BucketName name, ObjectKey key, String id, Instant now)
            throws SQLException {
        Long bucket = batch.bucketId(name);
        if (bucket == null) {
            return Buckets.noSuchBucket(name);
        }
        Uploads.Row upload = Uploads.row(batch.session(), name, bucket, key, id);
        if (upload == null) {
            return Uploads.noSuchUpload(id);
        }
        Uploads.abort(batch, upload.seq(), now.toEpochMilli());
        return new Outcome.Done<>(upload.upload());
    }
}
