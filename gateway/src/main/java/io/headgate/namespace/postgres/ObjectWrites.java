package io.headgate.namespace.postgres;

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
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Put, Delete and Copy: each names its keys, then decides on what is there, and changes everything or nothing. */
final class ObjectWrites {
    private ObjectWrites() {}

    static void name(KeyBatch batch, PutObject command) {
        batch.name(key(command));
        command.blob()
                .ifPresentOrElse(
                        blob -> {
                            batch.nameBlob(blob.blob());
                            batch.nameIntent(command.intentId());
                        },
                        () -> batch.nameWrite(command.writeId()));
    }

    private static KeyBatch.Key key(PutObject command) {
        return new KeyBatch.Key(command.bucket(), command.key());
    }

    static Outcome<ObjectVersion> put(KeyBatch batch, PutObject command) {
        return command.blob().isPresent()
                ? putBlob(batch, command, command.blob().get())
                : putEmpty(batch, command);
    }

    private static Outcome<ObjectVersion> putBlob(KeyBatch batch, PutObject command, Slice blob) {
        Optional<Integer> known = batch.known(blob.blob());
        if (known.isPresent()) {
            return known.get() < 0
                    ? new Outcome.Done<>(command.version())
                    : new Outcome.Refused<>(Codec.refusal(known.get()));
        }
        Optional<Refusal> refusal = refusal(batch, command);
        if (refusal.isPresent()) {
            batch.makeRefusedBlob(
                    blob, Codec.refusalCode(refusal.get()), command.now().toEpochMilli());
            return new Outcome.Refused<>(refusal.get());
        }
        batch.makeBlob(blob);
        return commit(batch, command, Origin.PUT);
    }

    /** An empty object has no blob that would tell its repeat; its write id does. */
    private static Outcome<ObjectVersion> putEmpty(KeyBatch batch, PutObject command) {
        Versions.Head current = batch.current(key(command));
        boolean repeated = current != null && current.writeId().equals(command.writeId());
        if (repeated || batch.isReplaced(command.writeId())) {
            return new Outcome.Done<>(command.version());
        }
        Optional<Refusal> refusal = refusal(batch, command);
        return refusal.isPresent() ? new Outcome.Refused<>(refusal.get()) : commit(batch, command, Origin.PUT_EMPTY);
    }

    private static Optional<Refusal> refusal(KeyBatch batch, PutObject command) {
        if (batch.bucketId(command.bucket()) == null) {
            return Optional.of(Refusal.NO_SUCH_BUCKET);
        }
        Versions.Head current = batch.current(key(command));
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
                || batch.isStanding(command.intentId(), command.now().toEpochMilli());
        return standing ? Optional.empty() : Optional.of(Refusal.INTENT_EXPIRED);
    }

    private static Outcome<ObjectVersion> commit(KeyBatch batch, PutObject command, Origin origin) {
        ObjectVersion version = command.version();
        batch.replace(key(command), version, origin, command.attempt());
        return new Outcome.Done<>(version);
    }

    static void name(KeyBatch batch, BucketName bucket, List<DeleteObject> commands) {
        batch.name(bucket);
        commands.forEach(command -> batch.name(new KeyBatch.Key(bucket, command.key())));
    }

    static List<Outcome<Boolean>> delete(KeyBatch batch, BucketName bucket, List<DeleteObject> commands, Instant now) {
        List<Outcome<Boolean>> outcomes = new ArrayList<>(commands.size());
        for (DeleteObject command : commands) {
            outcomes.add(
                    batch.bucketId(bucket) == null
                            ? Buckets.noSuchBucket(bucket)
                            : delete(batch, new KeyBatch.Key(bucket, command.key()), command, now));
        }
        return outcomes;
    }

    private static Outcome<Boolean> delete(KeyBatch batch, KeyBatch.Key key, DeleteObject command, Instant now) {
        Versions.Head current = batch.current(key);
        Optional<Refusal> refusal = command.condition().check(current == null ? null : current.etag());
        if (refusal.isPresent()) {
            return new Outcome.Refused<>(refusal.get());
        }
        if (current != null) {
            batch.delete(key, now.toEpochMilli());
        }
        return new Outcome.Done<>(current != null);
    }

    static Outcome<ObjectVersion> copy(Tx tx, CopyObject command) throws SQLException {
        KeyBatch batch = new KeyBatch(tx);
        KeyBatch.Key key = new KeyBatch.Key(command.bucket(), command.key());
        KeyBatch.Key sourceKey = new KeyBatch.Key(command.sourceBucket(), command.sourceKey());
        batch.name(key);
        batch.name(sourceKey);
        batch.nameWrite(command.writeId());
        batch.load();
        Versions.Head current = batch.current(key);
        if (current != null && current.writeId().equals(command.writeId())) {
            return Versions.current(tx.session(), command.bucket(), command.key());
        }
        ObjectVersion remembered = batch.remembered(command.writeId(), command.key());
        if (remembered != null) {
            return new Outcome.Done<>(remembered);
        }
        if (batch.bucketId(command.bucket()) == null) {
            return Buckets.noSuchBucket(command.bucket());
        }
        Outcome<ObjectVersion> found =
                command.sourceCondition().source(source(batch, sourceKey), command.expectedSourceWriteId());
        return switch (found) {
            case Outcome.Refused<ObjectVersion> refused -> refused;
            case Outcome.Done<ObjectVersion>(ObjectVersion source) -> commit(batch, command, key, current, source);
        };
    }

    /** A version that the batch has locked: it stays the current one, and its bytes stay referred to, until the end. */
    static Outcome<ObjectVersion> source(KeyBatch batch, KeyBatch.Key key) throws SQLException {
        if (batch.bucketId(key.bucket()) == null) {
            return Buckets.noSuchBucket(key.bucket());
        }
        return batch.current(key) == null
                ? Versions.noSuchKey(key.key())
                : Versions.current(batch.tx().session(), key.bucket(), key.key());
    }

    private static Outcome<ObjectVersion> commit(
            KeyBatch batch, CopyObject command, KeyBatch.Key key, Versions.@Nullable Head current, ObjectVersion source)
            throws SQLException {
        Optional<Refusal> refusal = command.condition().check(current == null ? null : current.etag());
        if (refusal.isPresent()) {
            return new Outcome.Refused<>(refusal.get());
        }
        ObjectVersion version = command.version(source);
        batch.retain(version.manifest());
        batch.replace(key, version, Origin.COPY, Optional.empty());
        batch.write();
        return new Outcome.Done<>(version);
    }
}
