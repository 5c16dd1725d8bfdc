package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.namespace.CompleteUpload;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.MultipartRules;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Part;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.Upload;
import io.headgate.namespace.codec.Codec;
import io.headgate.namespace.codec.Origin;
import io.lettuce.core.Limit;
import io.lettuce.core.Range.Boundary;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Completes uploads: the manifest is written in steps, the upload sealed, the version committed where the upload is listed, if it is so
 * still, and the upload ended. Whoever finds one sealed goes on with it. Thread-safe.
 */
final class Completions {
    /** With what the place of a manifest begins. */
    static final char PLACE = '\2';

    private static final int PARTS_A_PAGE = 1_000;
    private static final int PARTS_A_STEP = 100;
    private static final int MOST_LOOKS = 100;

    private final Cluster cluster;
    private final Buckets buckets;
    private final Blobs blobs;
    private final Objects objects;
    private final Manifests manifests;
    private final Messages messages;
    private final SlotsInUse slots;
    private final UploadReads reads;
    private final MultipartRules rules;
    private final RandomGenerator random;

    Completions(
            Cluster cluster,
            Buckets buckets,
            Blobs blobs,
            Objects objects,
            Manifests manifests,
            Messages messages,
            SlotsInUse slots,
            UploadReads reads,
            MultipartRules rules,
            RandomGenerator random) {
        this.cluster = cluster;
        this.buckets = buckets;
        this.blobs = blobs;
        this.objects = objects;
        this.manifests = manifests;
        this.messages = messages;
        this.slots = slots;
        this.reads = reads;
        this.rules = rules;
        this.random = random;
    }

    /** The completed uploads of a slot: time and id. */
    static byte[] completed(int slot) {
        return SlotKeys.key(slot, "d");
    }

    Outcome<ObjectVersion> complete(CompleteUpload command) {
        for (int look = 0; look < MOST_LOOKS; look++) {
            List<StoredPart> parts = new ArrayList<>();
            UploadReads.Found found = reads.readAll(command.bucket(), command.key(), command.uploadId(), parts);
            switch (found == null ? 'x' : found.state()) {
                case 'o' -> {
                    Outcome<ObjectVersion> outcome = complete(command, java.util.Objects.requireNonNull(found), parts);
                    if (outcome != null) {
                        return outcome;
                    }
                }
                case 'c' -> settle(command.uploadId());
                case 'd' -> {
                    return new Outcome.Done<>(
                            Ending.read(java.util.Objects.requireNonNull(found).ending())
                                    .version(command.key()));
                }
                default -> {
                    return reads.noSuchUpload(command.bucket(), command.uploadId());
                }
            }
        }
        throw new NamespaceException("an upload changes all the time while it is being completed");
    }

    /** Null if the upload has changed meanwhile. */
    private @Nullable Outcome<ObjectVersion> complete(
            CompleteUpload command, UploadReads.Found found, List<StoredPart> parts) {
        Map<Integer, StoredPart> uploaded = new TreeMap<>();
        Map<Integer, Part> numbers = new HashMap<>();
        for (StoredPart part : parts) {
            uploaded.put(part.part().number(), part);
            numbers.put(part.part().number(), part.part());
        }
        return switch (rules.complete(command, found.upload().checksum(), numbers)) {
            case Outcome.Refused<MultipartRules.Whole>(Refusal reason, String detail) ->
                new Outcome.Refused<>(reason, detail);
            case Outcome.Done<MultipartRules.Whole>(MultipartRules.Whole whole) -> {
                List<StoredPart> named = new ArrayList<>();
                whole.parts().forEach(part -> {
                    StoredPart stored = uploaded.remove(part.number());
                    if (stored != null) {
                        named.add(stored);
                    }
                });
                String manifest = new UUID(random.nextLong(), random.nextLong()).toString();
                ObjectVersion version = new ObjectVersion(
                        command.key(),
                        command.writeId(),
                        command.now().truncatedTo(ChronoUnit.MILLIS),
                        whole.sizeBytes(),
                        whole.etag(),
                        found.upload().attributes(),
                        whole.checksum().map(List::of).orElse(List.of()),
                        new Manifest.Stored(manifest, named.size()));
                Ending ending = new Ending(
                        StoredVersion.write(version, Origin.COMPLETE, AccountNumbers.NONE, Optional.empty()),
                        Objects.condition(command.condition()),
                        command.writeId(),
                        command.now(),
                        List.copyOf(uploaded.keySet()));
                byte[] note = note(command.uploadId(), ending);
                manifests.write(manifest, named, note);
                byte[] sealed = cluster.one(
                        Script.UPLOAD_SEAL,
                        new byte[][] {StoredUpload.key(command.uploadId())},
                        found.changes(),
                        ending.write());
                if (sealed == null || sealed[0] != '1') {
                    manifests.remove(manifest, note);
                    yield null;
                }
                yield end(found.upload(), ending);
            }
        };
    }

    private static byte[] note(String upload, Ending ending) {
        return note(upload, ending.manifest(), ending.now());
    }

    /** That somebody is to look whether the upload comes to be completed to the manifest. */
    static byte[] note(String upload, String manifest, Instant now) {
        byte[] place = (PLACE + upload).getBytes(UTF_8);
        return Messages.check(Messages.CHECK_WRITTEN, Codec.writeId(manifest), manifest, place, now);
    }

    /** Whether the upload is completed, or being completed, to the manifest. If it is not, nobody who is about to do it can. */
    boolean holds(String upload, String manifest) {
        byte[] ending = cluster.one(Script.UPLOAD_FENCE, new byte[][] {StoredUpload.key(upload)});
        return ending != null && Ending.read(ending).manifest().equals(manifest);
    }

    /** Makes the object, if the upload is listed still, and then removes the upload; or opens it again, with the reason. */
    private Outcome<ObjectVersion> end(Upload upload, Ending ending) {
        byte[] key = KeyCodec.encode(upload.key().bytes());
        byte[] member = StoredUpload.member(upload.key(), upload.startedAt(), upload.id());
        Objects.Tried tried = objects.new Tried(ending.writeId(), false);
        byte[] answer = buckets.inRange(
                upload.bucket(),
                key,
                range -> objects.commitCompleted(
                        range, key, ending.record(), ending.now(), ending.condition(), member, tried));
        if (answer != null && (answer[0] == '+' || answer[0] == '=')) {
            manifests.settled(ending.manifest(), note(upload.id(), ending)); // before the upload may be forgotten
            finish(upload.id(), ending);
            return new Outcome.Done<>(ending.version(upload.key()));
        }
        cluster.one(Script.UPLOAD_UNSEAL, new byte[][] {StoredUpload.key(upload.id())}, ending.write());
        manifests.remove(ending.manifest(), note(upload.id(), ending));
        if (answer == null) {
            return Buckets.noSuchBucket(upload.bucket());
        }
        Refusal reason = Blobs.refusal(answer);
        return reason == Refusal.NO_SUCH_UPLOAD
                ? reads.noSuchUpload(upload.bucket(), upload.id())
                : new Outcome.Refused<>(reason);
    }

    private void finish(String id, Ending ending) {
        int slot = StoredUpload.slot(id);
        List<Integer> unnamed = ending.unnamed();
        for (int from = 0; from < unnamed.size(); from += PARTS_A_STEP) {
            List<Integer> step = unnamed.subList(from, Math.min(unnamed.size(), from + PARTS_A_STEP));
            finishStep(slot, id, ending.now(), step);
        }
        while (finishStep(slot, id, ending.now(), List.of())) {
            // one step more
        }
    }

    private boolean finishStep(int slot, String id, Instant now, List<Integer> numbers) {
        List<byte[]> arguments = new ArrayList<>(
                List.of(Script.number(slot), blobs.since(now), id.getBytes(UTF_8), Script.number(PARTS_A_PAGE)));
        numbers.forEach(number -> arguments.add(Script.number(number)));
        List<byte[]> answer = cluster.many(
                Script.UPLOAD_FINISH,
                blobs.keys(slot, StoredUpload.key(id), StoredUpload.partsKey(id), completed(slot)),
                arguments.toArray(byte[][]::new));
        answer.subList(1, answer.size()).forEach(message -> messages.deliver(slot, message));
        return answer.getFirst()[0] == '1';
    }

    /** Goes on with a completion that somebody began. */
    void settle(String id) {
        List<byte[]> answer = cluster.many(
                Script.UPLOAD_PARTS,
                new byte[][] {StoredUpload.key(id), StoredUpload.partsKey(id)},
                Script.number(0),
                Script.number(0));
        if (!answer.isEmpty() && answer.getFirst()[0] == 'c') {
            end(StoredUpload.read(id, answer.get(2)), Ending.read(answer.get(3)));
        }
    }

    int forgetCompleted(Instant before, int limit) {
        byte[] end = StoredVersion.time(before);
        int forgotten = 0;
        for (int slot : slots.all()) {
            byte[] key = completed(slot);
            int wanted = limit - forgotten;
            List<byte[]> members = cluster.command(redis -> redis.zrangebylex(
                    key,
                    io.lettuce.core.Range.from(Boundary.unbounded(), Boundary.excluding(end)),
                    Limit.create(0, wanted)));
            for (byte[] member : members == null ? List.<byte[]>of() : members) {
                String id = new String(member, 6, member.length - 6, UTF_8);
                cluster.command(redis -> redis.unlink(StoredUpload.key(id)));
                cluster.command(redis -> redis.zrem(key, member));
                forgotten++;
            }
            if (forgotten == limit) {
                break;
            }
        }
        return forgotten;
    }
}
