package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Attempt;
import io.headgate.namespace.CopyObject;
import io.headgate.namespace.DeleteObject;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.WriteCondition;
import io.headgate.namespace.codec.Codec;
import io.headgate.namespace.codec.Origin;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Look-ups and writes of current versions. A put whose blob's id names the slot of its key is one script; of any other the blob is made
 * known in its own slot first, and what a script must have released elsewhere it queues in its slot and answers. Thread-safe.
 */
final class Objects {
    /** Deletes in one script. */
    private static final int DELETES_A_SCRIPT = 100;
    /** How often a copy looks at a source that changes meanwhile. */
    private static final int MOST_LOOKS = 100;

    private static final byte[] NOTHING = Blobs.NOTHING;

    private final Cluster cluster;
    private final Buckets buckets;
    private final Blobs blobs;
    private final Manifests manifests;
    private final Messages messages;
    private final Intents intents;
    private final AccountNumbers accounts;
    private final RandomGenerator random;

    Objects(
            Cluster cluster,
            Buckets buckets,
            Blobs blobs,
            Manifests manifests,
            Messages messages,
            Intents intents,
            AccountNumbers accounts,
            RandomGenerator random) {
        this.cluster = cluster;
        this.buckets = buckets;
        this.blobs = blobs;
        this.manifests = manifests;
        this.messages = messages;
        this.intents = intents;
        this.accounts = accounts;
        this.random = random;
    }

    private byte[][] keys(Range range) {
        return blobs.keys(range.slot(), range.root(), range.records(), range.uploads(), range.changes());
    }

    private static byte[] slot(Range range) {
        return Script.number(range.slot());
    }

    Outcome<ObjectVersion> current(BucketName bucket, ObjectKey key) {
        byte[] encoded = KeyCodec.encode(key.bytes());
        Outcome<ObjectVersion> found = buckets.inRange(bucket, encoded, range -> {
            byte[] answer = cluster.one(Script.CURRENT, keys(range), range.epochBytes(), slot(range), encoded);
            if (Buckets.isMoved(answer)) {
                return null;
            }
            return answer == null ? noSuchKey(key) : new Outcome.Done<>(located(key, answer));
        });
        return found == null ? Buckets.noSuchBucket(bucket) : found;
    }

    private static <T> Outcome<T> noSuchKey(ObjectKey key) {
        return new Outcome.Refused<>(Refusal.NO_SUCH_KEY, key.value());
    }

    /** The version that a look-up has answered: two bytes of the account's number, then the record. */
    private ObjectVersion located(ObjectKey key, byte[] answer) {
        ByteBuffer record = ByteBuffer.wrap(answer, 2, answer.length - 2).slice();
        int account = ByteBuffer.wrap(answer).getShort() & 0xFFFF;
        if (account != AccountNumbers.NONE) {
            return StoredVersion.read(key, record, accounts.name(account));
        }
        Optional<BlobId> blob = StoredVersion.blob(record);
        if (blob.isEmpty()) {
            return StoredVersion.read(key, record, "");
        }
        Map<BlobId, String> elsewhere = blobs.accountsOf(List.of(blob.get()));
        return StoredVersion.read(key, record, elsewhere.getOrDefault(blob.get(), ""));
    }

    Outcome<ObjectVersion> put(PutObject command) {
        byte[] key = KeyCodec.encode(command.key().bytes());
        boolean standing = command.blob().isEmpty() || intents.isStanding(command.intentId(), command.now());
        Tried tried = new Tried(command.writeId(), command.blob().isPresent());
        boolean[] registered = new boolean[1];
        boolean[] uncertain = new boolean[1];
        Outcome<ObjectVersion> outcome = buckets.inRange(command.bucket(), key, range -> {
            Optional<Slice> blob = command.blob();
            if (blob.isPresent() && blob.get().blob().slot() != range.slot() && !registered[0]) {
                switch (register(command, blob.get(), standing)) {
                    case Blobs.Registered.Fresh(), Blobs.Registered.Unknown() -> {}
                    case Blobs.Registered.Uncertain() -> uncertain[0] = true;
                    case Blobs.Registered.Done() -> {
                        return new Outcome.Done<>(command.version());
                    }
                    case Blobs.Registered.Refused(Refusal reason) -> {
                        return new Outcome.Refused<>(reason);
                    }
                }
                registered[0] = true;
            }
            return put(command, range, key, standing, tried);
        });
        if (outcome == null) {
            outcome = Buckets.noSuchBucket(command.bucket());
            if (!uncertain[0]) {
                command.blob().ifPresent(blob -> refuse(command, blob, Refusal.NO_SUCH_BUCKET));
            }
        } else if (registered[0]) {
            Slice blob = command.blob().orElseThrow();
            switch (outcome) {
                case Outcome.Done<ObjectVersion> done ->
                    blobs.confirm(blob.blob(), command.writeId(), place(command.bucket(), key), command.now());
                case Outcome.Refused<ObjectVersion>(Refusal reason, String detail) -> {
                    if (!uncertain[0]) {
                        refuse(command, blob, reason);
                    }
                }
            }
        }
        return outcome;
    }

    private void refuse(PutObject command, Slice blob, Refusal reason) {
        byte[] place = place(command.bucket(), KeyCodec.encode(command.key().bytes()));
        blobs.refuse(blob, command.writeId(), place, reason, command.now());
    }

    private Blobs.Registered register(PutObject command, Slice blob, boolean standing) {
        byte[] place = place(command.bucket(), KeyCodec.encode(command.key().bytes()));
        return blobs.register(blob, command.writeId(), place, command.intentId(), standing, command.now());
    }

    private static byte[] place(BucketName bucket, byte[] key) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(bucket.value().getBytes(US_ASCII));
        out.write(0);
        out.writeBytes(key);
        return out.toByteArray();
    }

    private @Nullable Outcome<ObjectVersion> put(
            PutObject command, Range range, byte[] key, boolean standing, Tried tried) {
        Optional<Slice> local = command.blob().filter(slice -> slice.blob().slot() == range.slot());
        int account =
                command.blob().map(slice -> accounts.number(slice.account())).orElse(AccountNumbers.NONE);
        byte[] record = StoredVersion.write(
                command.version(),
                command.blob().isPresent() ? Origin.PUT : Origin.PUT_EMPTY,
                account,
                command.attempt());
        byte[] id = local.map(slice -> Blobs.encoded(slice.blob())).orElse(NOTHING);
        byte[] blob = local.map(slice -> blobs.record(slice.account(), slice.offsetBytes() + slice.lengthBytes()))
                .orElse(NOTHING);
        byte[] intent = local.isPresent() ? Script.number(command.intentId()) : NOTHING;
        byte[] answer = commit(
                range,
                key,
                record,
                command.now(),
                condition(command.condition()),
                command.attempt(),
                intent,
                id,
                blob,
                standing,
                NOTHING,
                tried);
        if (answer == null) {
            return null;
        }
        return switch (answer[0]) {
            case '+', '=' -> new Outcome.Done<>(command.version());
            default -> new Outcome.Refused<>(Blobs.refusal(answer));
        };
    }

    /** As a put, if the upload is listed still, which it is not afterwards. */
    byte @Nullable [] commitCompleted(
            Range range, byte[] key, byte[] record, Instant now, byte[] condition, byte[] upload, Tried tried) {
        return commit(
                range, key, record, now, condition, Optional.empty(), NOTHING, NOTHING, NOTHING, true, upload, tried);
    }

    /** What {@code put.lua} answers, after the messages that it answers are delivered; null if the range has moved. */
    private byte @Nullable [] commit(
            Range range,
            byte[] key,
            byte[] record,
            Instant now,
            byte[] condition,
            Optional<Attempt> attempt,
            byte[] intent,
            byte[] id,
            byte[] blob,
            boolean standing,
            byte[] upload,
            Tried tried) {
        byte[] before = tried.elsewhere(range);
        if (before != null) {
            return before;
        }
        tried.sent(range);
        byte[] answer = cluster.one(
                Script.PUT,
                keys(range),
                range.epochBytes(),
                slot(range),
                key,
                record,
                blobs.since(now),
                condition,
                attempt.map(a -> ByteBuffer.allocate(8).putLong(Codec.hash(a)).array())
                        .orElse(NOTHING),
                Script.number(attempt.map(Attempt::number).orElse(0)),
                intent,
                id,
                blob,
                Script.flag(standing),
                upload);
        if (answer == null || answer.length == 0) {
            throw Codec.corrupt();
        }
        if (Buckets.isMoved(answer)) {
            return null;
        }
        if (answer[0] == '+') {
            messages.deliverAnswered(range.slot(), answer);
        }
        return answer;
    }

    /** As {@code versions.lua} reads it. */
    static byte[] condition(WriteCondition condition) {
        return switch (condition) {
            case WriteCondition.None() -> NOTHING;
            case WriteCondition.Absent() -> new byte[] {'a'};
            case WriteCondition.Present() -> new byte[] {'p'};
            case WriteCondition.Matches(Set<ETag> etags) -> condition('m', etags);
            case WriteCondition.Differs(Set<ETag> etags) -> condition('d', etags);
        };
    }

    /** Only if the current version is this one. */
    private static byte[] still(ObjectVersion version) {
        return ByteBuffer.allocate(17)
                .put((byte) 'w')
                .put(Codec.writeId(version.writeId()))
                .array();
    }

    private static byte[] condition(char kind, Set<ETag> etags) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(kind);
        etags.forEach(etag -> out.writeBytes(StoredVersion.etag(etag)));
        return out.toByteArray();
    }

    List<Outcome<Boolean>> delete(BucketName bucket, List<DeleteObject> commands, Instant now) {
        List<@Nullable Outcome<Boolean>> outcomes = new ArrayList<>(Collections.nCopies(commands.size(), null));
        List<Deletion> left = new ArrayList<>(commands.size());
        for (int i = 0; i < commands.size(); i++) {
            left.add(new Deletion(
                    i,
                    KeyCodec.encode(commands.get(i).key().bytes()),
                    condition(commands.get(i).condition())));
        }
        while (!left.isEmpty()) {
            Deletions deletions = new Deletions(left, Script.operation(random), now);
            List<Deletion> done = buckets.inRange(bucket, left.getFirst().key(), deletions::run);
            if (done == null) {
                left.forEach(deletion -> outcomes.set(deletion.at(), Buckets.noSuchBucket(bucket)));
                break;
            }
            deletions.outcomes.forEach(outcomes::set);
            left.removeAll(done);
        }
        return outcomes.stream().map(java.util.Objects::requireNonNull).toList();
    }

    /** One of many that are to be deleted, and which it is. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Deletion(int at, byte[] key, byte[] condition) {}

    /** Those of some deletions that lie in one range. */
    private final class Deletions {
        final Map<Integer, Outcome<Boolean>> outcomes = new HashMap<>();
        private final List<Deletion> left;
        private final byte[] operation;
        private final Instant now;
        private List<Deletion> sent = List.of();
        private @Nullable Range sentTo;

        Deletions(List<Deletion> left, byte[] operation, Instant now) {
            this.left = left;
            this.operation = operation;
            this.now = now;
        }

        /** Deletes those that lie in the range, or the first of them; which they were; null if the range has moved. */
        @Nullable List<Deletion> run(Range range) {
            if (sentTo != null && wereDone(sentTo)) {
                return sent;
            }
            sent = left.stream()
                    .filter(deletion -> range.holds(deletion.key()))
                    .limit(DELETES_A_SCRIPT)
                    .toList();
            sentTo = range;
            List<byte[]> arguments =
                    new ArrayList<>(List.of(range.epochBytes(), slot(range), blobs.since(now), operation));
            sent.forEach(deletion -> {
                arguments.add(deletion.key());
                arguments.add(deletion.condition());
            });
            List<byte[]> answer = cluster.many(Script.DELETE, keys(range), arguments.toArray(byte[][]::new));
            if (answer.size() == 1 && Buckets.isMoved(answer.getFirst())) {
                return null;
            }
            take(range, answer);
            return sent;
        }

        /** Whether they were deleted by an earlier try whose answer was lost, before the range moved. */
        private boolean wereDone(Range range) {
            List<byte[]> answer = cluster.many(Script.DELETED, blobs.keys(range.slot()), operation);
            if (answer.isEmpty()) {
                return false;
            }
            take(range, answer);
            return true;
        }

        private void take(Range range, List<byte[]> answer) {
            answer.subList(sent.size(), answer.size()).forEach(message -> messages.deliver(range.slot(), message));
            for (int i = 0; i < sent.size(); i++) {
                byte[] one = answer.get(i);
                outcomes.put(
                        sent.get(i).at(),
                        switch (one[0]) {
                            case '+' -> new Outcome.Done<>(true);
                            case '-' -> new Outcome.Done<>(false);
                            default -> new Outcome.Refused<>(Blobs.refusal(one));
                        });
            }
        }
    }

    /** A write, and the slots that it was sent to. */
    final class Tried {
        private final byte[] write;
        private final boolean toldByBlob;
        private final Set<Integer> slots = new HashSet<>();

        /** @param toldByBlob whether the record of its blob tells what came of it, so that a slot need not be asked before it is tried */
        Tried(String writeId, boolean toldByBlob) {
            this.write = Codec.writeId(writeId);
            this.toldByBlob = toldByBlob;
        }

        /**
         * What came of the write in slots where it may have been done before the range of its key moved: where it was sent already, or may
         * have been by an earlier call; null if it has not been done.
         */
        byte @Nullable [] elsewhere(Range range) {
            Set<Integer> asked = new HashSet<>(slots);
            if (!toldByBlob) {
                asked.addAll(range.originsSince(blobs.now().minus(Range.REMEMBERED)));
            }
            for (int slot : asked) {
                byte[] answer = cluster.one(Script.REMEMBERED, blobs.keys(slot), write);
                if (answer != null) {
                    return answer;
                }
            }
            return null;
        }

        void sent(Range range) {
            slots.add(range.slot());
        }
    }

    Outcome<ObjectVersion> copy(CopyObject command) {
        byte[] key = KeyCodec.encode(command.key().bytes());
        Tried tried = new Tried(command.writeId(), false);
        Optional<ObjectVersion> before = buckets.inRange(command.bucket(), key, range -> {
            byte[] elsewhere = tried.elsewhere(range);
            byte[] answer = elsewhere != null
                    ? elsewhere
                    : cluster.one(Script.KNOWN, keys(range), range.epochBytes(), key, Codec.writeId(command.writeId()));
            if (Buckets.isMoved(answer)) {
                return null;
            }
            return answer == null || answer.length == 1
                    ? Optional.<ObjectVersion>empty()
                    : Optional.of(again(command.key(), answer));
        });
        if (before == null) {
            return Buckets.noSuchBucket(command.bucket());
        }
        if (before.isPresent()) {
            return new Outcome.Done<>(before.get());
        }
        for (int look = 0; look < MOST_LOOKS; look++) {
            switch (command.sourceCondition()
                    .source(current(command.sourceBucket(), command.sourceKey()), command.expectedSourceWriteId())) {
                case Outcome.Refused<ObjectVersion> refused -> {
                    return refused;
                }
                case Outcome.Done<ObjectVersion>(ObjectVersion source) -> {
                    Outcome<ObjectVersion> outcome = copy(command, key, source, tried);
                    if (outcome != null) {
                        return outcome;
                    }
                }
            }
        }
        throw new NamespaceException("the source of a copy changes all the time");
    }

    /** The version that a write has made that was sent before. */
    private ObjectVersion again(ObjectKey key, byte[] answer) {
        byte[] located = Arrays.copyOf(answer, answer.length + 1);
        System.arraycopy(answer, 1, located, 2, answer.length - 1);
        located[0] = 0;
        located[1] = 0;
        return located(key, located);
    }

    /** Null if the source has changed meanwhile. */
    private @Nullable Outcome<ObjectVersion> copy(CopyObject command, byte[] key, ObjectVersion source, Tried tried) {
        boolean ontoItself = command.expectedSourceWriteId().isPresent()
                && command.sourceBucket().equals(command.bucket())
                && command.sourceKey().equals(command.key());
        if (ontoItself) {
            // The commit looks whether the source is still what it was; what else is asked of it can be decided by
            // that.
            Optional<Refusal> refusal = command.condition().check(source.etag());
            if (refusal.isPresent()) {
                return new Outcome.Refused<>(refusal.get());
            }
        }
        ObjectVersion version = command.version(source);
        byte[] place = place(command.bucket(), key);
        if (!share(version.manifest(), source.writeId(), command, place)) {
            return null;
        }
        int account = version.manifest() instanceof Manifest.Inline(Optional<Slice> slice) && slice.isPresent()
                ? accounts.number(slice.get().account())
                : AccountNumbers.NONE;
        byte[] record = StoredVersion.write(version, Origin.COPY, account, Optional.empty());
        byte[] answer = buckets.inRange(
                command.bucket(),
                key,
                range -> commit(
                        range,
                        key,
                        record,
                        command.now(),
                        ontoItself ? still(source) : condition(command.condition()),
                        Optional.empty(),
                        NOTHING,
                        NOTHING,
                        NOTHING,
                        true,
                        NOTHING,
                        tried));
        boolean done = answer != null && (answer[0] == '+' || answer[0] == '=');
        if (answer == null || answer[0] != '=') { // one that was made before may be gone by now: its note is looked at
            shared(version.manifest(), command, place, done);
        }
        if (answer == null) {
            return Buckets.noSuchBucket(command.bucket());
        }
        if (!done) {
            return new Outcome.Refused<>(Blobs.refusal(answer));
        }
        return new Outcome.Done<>(answer[0] == '=' && answer.length > 1 ? again(command.key(), answer) : version);
    }

    /** Lets the copy hold what its source holds; false if that is gone. */
    private boolean share(Manifest manifest, String holder, CopyObject command, byte[] place) {
        return switch (manifest) {
            case Manifest.Inline(Optional<Slice> slice) ->
                slice.isEmpty() || blobs.share(slice.get().blob(), holder, command.writeId(), place, command.now());
            case Manifest.Stored(String id, int parts) ->
                manifests.share(id, holder, command.writeId(), place, command.now());
        };
    }

    /** Afterwards: the copy has been made, or what it was to hold is let go again. */
    private void shared(Manifest manifest, CopyObject command, byte[] place, boolean done) {
        String holder = command.writeId();
        Instant now = command.now();
        switch (manifest) {
            case Manifest.Inline(Optional<Slice> slice)
            when slice.isPresent() -> {
                if (done) {
                    blobs.confirm(slice.get().blob(), holder, place, now);
                } else {
                    blobs.unshare(slice.get().blob(), holder, place, now);
                }
            }
            case Manifest.Inline empty -> {}
            case Manifest.Stored(String id, int parts) -> {
                if (done) {
                    manifests.confirm(id, holder, place, now);
                } else {
                    manifests.release(
                            id, Codec.writeId(holder), blobs.since(now), Manifests.pending(id, holder, place, now));
                }
            }
        }
    }

    /** Whether the version that a write was to make stands at its place. */
    boolean holds(byte[] place, String writeId) {
        int nul = 0;
        while (place[nul] != 0) {
            nul++;
        }
        BucketName bucket = new BucketName(new String(place, 0, nul, US_ASCII));
        byte[] key = Arrays.copyOfRange(place, nul + 1, place.length);
        boolean held = current(bucket, Groups.key(key)) instanceof Outcome.Done<ObjectVersion>(ObjectVersion version)
                && version.writeId().equals(writeId);
        buckets.slotOf(bucket, key).ifPresent(cluster::settle);
        return held;
    }
}
