package io.headgate.namespace.sql;

import io.headgate.domain.BucketName;
import io.headgate.domain.Slice;
import io.headgate.namespace.CopyObject;
import io.headgate.namespace.DeleteObject;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.codec.Codec;
import io.headgate.namespace.codec.Origin;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Put, Delete and Copy: each reads, decides, and changes everything or nothing. */
final class ObjectWrites {
    private ObjectWrites() {}

    static Outcome<ObjectVersion> put(Batch batch, PutObject command) throws SQLException {
        return command.blob().isPresent()
                ? putBlob(batch, command, command.blob().get())
                : putEmpty(batch, command);
    }

    private static Outcome<ObjectVersion> putBlob(Batch batch, PutObject command, Slice blob) throws SQLException {
        return switch (Blobs.commit(batch, blob)) {
            case Blobs.Known.Committed() -> new Outcome.Done<>(command.version());
            case Blobs.Known.Refused(Refusal reason) -> new Outcome.Refused<>(reason);
            case Blobs.Known.Fresh() -> {
                Long bucket = batch.bucketId(command.bucket());
                Versions.Head current = bucket == null
                        ? null
                        : Versions.head(batch.session(), bucket, command.key().bytes());
                Optional<Refusal> refusal = refusal(batch, command, bucket, current);
                if (refusal.isPresent() || bucket == null) {
                    Refusal reason = refusal.orElse(Refusal.NO_SUCH_BUCKET);
                    Blobs.refuse(batch, blob, reason, command.now().toEpochMilli());
                    yield new Outcome.Refused<>(reason);
                }
                yield commit(batch, command, bucket, current, Origin.PUT);
            }
        };
    }

    /** An empty object has no blob that would tell its repeat; its write id does. */
    private static Outcome<ObjectVersion> putEmpty(Batch batch, PutObject command) throws SQLException {
        Long bucket = batch.bucketId(command.bucket());
        byte[] writeId = Codec.writeId(command.writeId());
        Versions.Head current = bucket == null
                ? null
                : Versions.head(batch.session(), bucket, command.key().bytes());
        if (current != null && current.isBy(writeId)) {
            return new Outcome.Done<>(command.version());
        }
        if (Versions.remembered(batch.session(), writeId, command.key()) != null) {
            return new Outcome.Done<>(command.version());
        }
        Optional<Refusal> refusal = refusal(batch, command, bucket, current);
        return refusal.isPresent() || bucket == null
                ? new Outcome.Refused<>(refusal.orElse(Refusal.NO_SUCH_BUCKET))
                : commit(batch, command, bucket, current, Origin.PUT_EMPTY);
    }

    private static Optional<Refusal> refusal(
            Batch batch, PutObject command, @Nullable Long bucket, Versions.@Nullable Head current)
            throws SQLException {
        if (bucket == null) {
            return Optional.of(Refusal.NO_SUCH_BUCKET);
        }
        if (current != null
                && command.attempt().isPresent()
                && current.supersedes(command.attempt().get())) {
            return Optional.of(Refusal.SUPERSEDED);
        }
        Optional<Refusal> refusal = command.condition().check(current == null ? null : current.etag());
        if (refusal.isPresent()) {
            return refusal;
        }
        boolean standing = command.blob().isEmpty()
                || batch.standing(command.intentId(), command.now().toEpochMilli());
        return standing ? Optional.empty() : Optional.of(Refusal.INTENT_EXPIRED);
    }

    private static Outcome<ObjectVersion> commit(
            Batch batch, PutObject command, long bucket, Versions.@Nullable Head current, Origin origin)
            throws SQLException {
        ObjectVersion version = command.version();
        Versions.replace(batch, bucket, current, version, origin, command.attempt());
        return new Outcome.Done<>(version);
    }

    static List<Outcome<Boolean>> delete(Batch batch, BucketName name, List<DeleteObject> commands, Instant now)
            throws SQLException {
        Long bucket = batch.bucketId(name);
        List<Outcome<Boolean>> outcomes = new ArrayList<>(commands.size());
        for (DeleteObject command : commands) {
            outcomes.add(bucket == null ? Buckets.noSuchBucket(name) : delete(batch, bucket, command, now));
        }
        return outcomes;
    }

    private static Outcome<Boolean> delete(Batch batch, long bucket, DeleteObject command, Instant now)
            throws SQLException {
        Versions.Head current =
                Versions.head(batch.session(), bucket, command.key().bytes());
        Optional<Refusal> refusal = command.condition().check(current == null ? null : current.etag());
        if (refusal.isPresent()) {
            return new Outcome.Refused<>(refusal.get());
        }
        if (current == null) {
            return new Outcome.Done<>(false);
        }
        Versions.delete(batch, bucket, command.key(), current, now.toEpochMilli());
        return new Outcome.Done<>(true);
    }

    static Outcome<ObjectVersion> copy(Batch batch, CopyObject command) throws SQLException {
        Session session = batch.session();
        byte[] writeId = Codec.writeId(command.writeId());
        Long bucket = batch.bucketId(command.bucket());
        Versions.Head current = bucket == null
                ? null
                : Versions.head(session, bucket, command.key().bytes());
        if (bucket != null && current != null && current.isBy(writeId)) {
            return new Outcome.Done<>(Objects.requireNonNull(Versions.find(session, bucket, command.key())));
        }
        ObjectVersion remembered = Versions.remembered(session, writeId, command.key());
        if (remembered != null) {
            return new Outcome.Done<>(remembered);
        }
        if (bucket == null) {
            return Buckets.noSuchBucket(command.bucket());
        }
        return switch (command.sourceCondition()
                .source(
                        Versions.current(session, command.sourceBucket(), command.sourceKey()),
                        command.expectedSourceWriteId())) {
            case Outcome.Refused<ObjectVersion> refused -> refused;
            case Outcome.Done<ObjectVersion>(ObjectVersion source) -> {
                Optional<Refusal> refusal = command.condition().check(current == null ? null : current.etag());
                if (refusal.isPresent()) {
                    yield new Outcome.Refused<>(refusal.get());
                }
                ObjectVersion version = command.version(source);
                Versions.retain(batch, version.manifest());
                Versions.replace(batch, bucket, current, version, Origin.COPY, Optional.empty());
                yield new Outcome.Done<>(version);
            }
        };
    }
}
