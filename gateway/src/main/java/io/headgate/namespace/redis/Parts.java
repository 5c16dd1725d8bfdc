package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.domain.BucketName;
import io.headgate.domain.ByteRange;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.CopyPart;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.MultipartRules;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Part;
import io.headgate.namespace.PutPart;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.Upload;
import io.headgate.namespace.codec.Codec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Parts of uploads: put from a blob, or copied by sharing what an object holds. Thread-safe.
 */
final class Parts {
    /** The most slices of an object: parts that are copied from multipart objects have many. */
    private static final long MAX_SLICES = 100_000;

    /** With what the place of a part begins, and that of a version does not. */
    static final char PLACE = '\1';

    private static final int PARTS_A_PAGE = 1_000;
    private static final int MOST_LOOKS = 100;

    private final Cluster cluster;
    private final Buckets buckets;
    private final Blobs blobs;
    private final Objects objects;
    private final Manifests manifests;
    private final Messages messages;
    private final Intents intents;
    private final SlotsInUse slots;
    private final UploadReads reads;
    private final Completions completions;
    private final RandomGenerator random;

    Parts(
            Cluster cluster,
            Buckets buckets,
            Blobs blobs,
            Objects objects,
            Manifests manifests,
            Messages messages,
            Intents intents,
            SlotsInUse slots,
            UploadReads reads,
            Completions completions,
            RandomGenerator random) {
        this.cluster = cluster;
        this.buckets = buckets;
        this.blobs = blobs;
        this.objects = objects;
        this.manifests = manifests;
        this.messages = messages;
        this.intents = intents;
        this.slots = slots;
        this.reads = reads;
        this.completions = completions;
        this.random = random;
    }

    Outcome<Part> put(PutPart command) {
        Part part = command.part().toMillis();
        Instant now = part.lastModified();
        Optional<Slice> blob = command.blob();
        boolean local = blob.isPresent() && blob.get().blob().slot() == StoredUpload.slot(command.uploadId());
        boolean standing = blob.isEmpty() || intents.isStanding(command.intentId(), now);
        byte[] place = place(command.uploadId());
        String holder = blob.map(slice -> Codec.writeId(StoredVersion.bytes(slice.blob())))
                .orElse("");
        boolean uncertain = false;
        if (blob.isPresent() && !local) {
            switch (blobs.register(blob.get(), holder, place, command.intentId(), standing, now)) {
                case Blobs.Registered.Fresh(), Blobs.Registered.Unknown() -> {}
                case Blobs.Registered.Uncertain() -> uncertain = true;
                case Blobs.Registered.Done() -> {
                    return new Outcome.Done<>(part);
                }
                case Blobs.Registered.Refused(Refusal reason) -> {
                    return new Outcome.Refused<>(reason);
                }
            }
        }
        List<HeldSlice> slices = blob.map(
                        slice -> List.of(new HeldSlice(holder, slice.blob(), slice.offsetBytes(), slice.lengthBytes())))
                .orElse(List.of());
        Outcome<Part> outcome = put(command, new StoredPart(part, slices), local ? blob.get() : null, standing);
        if (blob.isPresent() && !local) {
            switch (outcome) {
                case Outcome.Done<Part> done -> blobs.confirm(blob.get().blob(), holder, place, now);
                case Outcome.Refused<Part>(Refusal reason, String detail) -> {
                    if (!uncertain) {
                        blobs.refuse(blob.get(), holder, place, reason, now);
                    }
                }
            }
        }
        return outcome;
    }

    private static byte[] place(String uploadId) {
        return (PLACE + uploadId).getBytes(UTF_8);
    }

    /** Whether what was to hold something as a part does so, or as a slice of the object that the upload was completed to. */
    boolean holds(String id, String holder) {
        boolean held = findHolder(id, holder);
        cluster.settle(StoredUpload.slot(id));
        return held;
    }

    private boolean findHolder(String id, String holder) {
        for (int after = 0; ; ) {
            List<byte[]> answer = cluster.many(
                    Script.UPLOAD_PARTS,
                    new byte[][] {StoredUpload.key(id), StoredUpload.partsKey(id)},
                    Script.number(after),
                    Script.number(PARTS_A_PAGE));
            if (answer.isEmpty()) {
                return false;
            }
            if (answer.getFirst()[0] == 'd') {
                return manifests.holds(Ending.read(answer.get(3)).manifest(), holder);
            }
            List<StoredPart> parts = answer.subList(4, answer.size()).stream()
                    .map(StoredPart::read)
                    .toList();
            if (parts.stream()
                    .anyMatch(part -> part.slices().stream()
                            .anyMatch(slice -> slice.holder().equals(holder)))) {
                return true;
            }
            if (parts.size() < PARTS_A_PAGE) {
                return false;
            }
            after = parts.getLast().part().number();
        }
    }

    private Outcome<Part> put(PutPart command, StoredPart part, @Nullable Slice local, boolean standing) {
        Upload upload = upload(command.bucket(), command.key(), command.uploadId());
        String id = upload == null ? "" : command.uploadId(); // of another key: an upload that is not there
        int slot = StoredUpload.slot(command.uploadId());
        slots.use(slot);
        byte[] nowhere = SlotKeys.key(slot, "U");
        while (true) {
            byte[] answer = cluster.one(
                    Script.PART_PUT,
                    blobs.keys(
                            slot,
                            id.isEmpty() ? nowhere : StoredUpload.key(id),
                            StoredUpload.partsKey(command.uploadId())),
                    Script.number(slot),
                    Script.number(part.part().number()),
                    part.write(),
                    blobs.since(part.part().lastModified()),
                    local == null ? Blobs.NOTHING : Script.number(command.intentId()),
                    local == null ? Blobs.NOTHING : Blobs.encoded(local.blob()),
                    local == null
                            ? Blobs.NOTHING
                            : blobs.record(local.account(), local.offsetBytes() + local.lengthBytes()),
                    Script.flag(standing));
            if (answer == null || answer.length == 0) {
                throw Codec.corrupt();
            }
            switch (answer[0]) {
                case '+' -> {
                    messages.deliverAnswered(slot, answer);
                    return new Outcome.Done<>(part.part());
                }
                case '=' -> {
                    return new Outcome.Done<>(part.part());
                }
                case 's' -> completions.settle(command.uploadId());
                default -> {
                    Refusal reason = Blobs.refusal(answer);
                    return reason == Refusal.NO_SUCH_UPLOAD
                            ? reads.noSuchUpload(command.bucket(), command.uploadId())
                            : new Outcome.Refused<>(reason);
                }
            }
        }
    }

    private @Nullable Upload upload(BucketName bucket, ObjectKey key, String id) {
        UploadReads.Found found = reads.find(bucket, key, id, 0, 0);
        return found == null ? null : found.upload();
    }

    Outcome<Part> copy(CopyPart command) {
        if (buckets.find(command.bucket()).isEmpty()) {
            return Buckets.noSuchBucket(command.bucket());
        }
        List<StoredPart> uploaded = new ArrayList<>();
        UploadReads.Found upload = reads.readAll(command.bucket(), command.key(), command.uploadId(), uploaded);
        if (upload == null || !upload.isInProgress()) {
            return reads.noSuchUpload(command.bucket(), command.uploadId());
        }
        long there = uploaded.stream().mapToLong(part -> part.slices().size()).sum();
        for (int look = 0; look < MOST_LOOKS; look++) {
            switch (command.sourceCondition()
                    .source(
                            objects.current(command.sourceBucket(), command.sourceKey()),
                            command.expectedSourceWriteId())) {
                case Outcome.Refused<ObjectVersion>(Refusal reason, String detail) -> {
                    return new Outcome.Refused<>(reason, detail);
                }
                case Outcome.Done<ObjectVersion>(ObjectVersion source) -> {
                    Outcome<Part> outcome = copy(command, source, there);
                    if (outcome != null) {
                        return outcome;
                    }
                }
            }
        }
        throw new NamespaceException("the source of a copied part changes all the time");
    }

    /** Null if the source has changed meanwhile. */
    private @Nullable Outcome<Part> copy(CopyPart command, ObjectVersion source, long there) {
        Optional<ByteRange.Resolved> range = command.rangeIn(source.sizeBytes());
        if (range.isEmpty()) {
            return new Outcome.Refused<>(Refusal.INVALID_RANGE);
        }
        List<HeldSlice> cut = cut(source, range.get());
        if (cut == null) {
            return null;
        }
        if (there + cut.size() > MAX_SLICES) {
            return new Outcome.Refused<>(
                    Refusal.ENTITY_TOO_LARGE, "An object is made of at most " + MAX_SLICES + " slices");
        }
        byte[] place = place(command.uploadId());
        List<HeldSlice> shared = new ArrayList<>();
        for (HeldSlice slice : cut) {
            String holder = new UUID(random.nextLong(), random.nextLong()).toString();
            if (!blobs.share(slice.blob(), slice.holder(), holder, place, command.now())) {
                shared.forEach(given -> blobs.unshare(given.blob(), given.holder(), place, command.now()));
                return null;
            }
            shared.add(slice.sub(holder, 0, slice.lengthBytes()));
        }
        Part part = new Part(
                command.partNumber(),
                range.get().lengthBytes(),
                MultipartRules.copiedPartETag(source.etag(), source.sizeBytes(), range.get()),
                command.checksum(),
                command.now());
        PutPart put =
                new PutPart(command.bucket(), command.key(), command.uploadId(), part.toMillis(), Optional.empty(), 0);
        Outcome<Part> outcome = put(put, new StoredPart(part.toMillis(), shared), null, true);
        switch (outcome) {
            case Outcome.Done<Part> done ->
                shared.forEach(given -> blobs.confirm(given.blob(), given.holder(), place, command.now()));
            case Outcome.Refused<Part> refused ->
                shared.forEach(given -> blobs.unshare(given.blob(), given.holder(), place, command.now()));
        }
        return outcome;
    }

    /** The slices of the range, by those who hold them now; null if they are gone. */
    private @Nullable List<HeldSlice> cut(ObjectVersion source, ByteRange.Resolved range) {
        if (range.lengthBytes() == 0) {
            return List.of();
        }
        return switch (source.manifest()) {
            case Manifest.Inline(Optional<Slice> slice) -> {
                Slice part = slice.orElseThrow().sub(range.offsetBytes(), range.lengthBytes());
                yield List.of(new HeldSlice(source.writeId(), part.blob(), part.offsetBytes(), part.lengthBytes()));
            }
            case Manifest.Stored(String id, int parts) -> {
                List<HeldSlice> cut = new ArrayList<>();
                long position = range.offsetBytes();
                long end = position + range.lengthBytes();
                while (position < end) {
                    List<Manifests.Placed> page = manifests.held(id, position, PARTS_A_PAGE);
                    if (page.isEmpty()) {
                        yield null;
                    }
                    for (Manifests.Placed placed : page) {
                        if (position >= end) {
                            break;
                        }
                        long skip = position - placed.objectOffsetBytes();
                        long take = Math.min(end - position, placed.slice().lengthBytes() - skip);
                        cut.add(placed.slice().sub(placed.slice().holder(), skip, take));
                        position += take;
                    }
                }
                yield cut;
            }
        };
    }
}
