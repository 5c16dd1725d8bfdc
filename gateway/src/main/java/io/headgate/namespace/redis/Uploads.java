package io.headgate.namespace.redis;

import static io.headgate.namespace.redis.Manifests.ascii;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.domain.BucketName;
import io.headgate.domain.ByteRange;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.CompleteUpload;
import io.headgate.namespace.CopyPart;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.MultipartRules;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Part;
import io.headgate.namespace.PartsPage;
import io.headgate.namespace.PutPart;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.Upload;
import io.headgate.namespace.Upload.UploadChecksum;
import io.headgate.namespace.codec.Codec;
import io.headgate.namespace.codec.Origin;
import io.headgate.namespace.codec.PackedReader;
import io.headgate.namespace.codec.PackedWriter;
import io.lettuce.core.Limit;
import io.lettuce.core.Range.Boundary;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Multipart uploads, each with its parts in the slot of its id, and listed in the range of its key: as long as it is listed there it is in
 * progress, and what ends it takes it from the list. Thread-safe.
 */
final class Uploads {
    /** The most slices of an object: parts that are copied from multipart objects have many. */
    private static final long MAX_SLICES = 100_000;

    /** With what the place of a part begins, and that of a version does not. */
    static final char PLACE = '\1';

    private static final int PARTS_A_PAGE = 1_000;
    private static final int PARTS_A_STEP = 100;
    private static final int MOST_LOOKS = 100;
    private static final byte[] YES = {'1'};
    private static final byte[] NO = {'0'};

    private final Cluster cluster;
    private final Buckets buckets;
    private final Blobs blobs;
    private final Objects objects;
    private final Manifests manifests;
    private final Messages messages;
    private final Intents intents;
    private final SlotsInUse slots;
    private final MultipartRules rules;
    private final RandomGenerator random;

    Uploads(
            Cluster cluster,
            Buckets buckets,
            Blobs blobs,
            Objects objects,
            Manifests manifests,
            Messages messages,
            Intents intents,
            SlotsInUse slots,
            MultipartRules rules,
            RandomGenerator random) {
        this.cluster = cluster;
        this.buckets = buckets;
        this.blobs = blobs;
        this.objects = objects;
        this.manifests = manifests;
        this.messages = messages;
        this.intents = intents;
        this.slots = slots;
        this.rules = rules;
        this.random = random;
    }

    static int slot(String id) {
        return Slots.of(id);
    }

    static byte[] key(String id) {
        return SlotKeys.key(slot(id), "U" + id);
    }

    static byte[] partsKey(String id) {
        return SlotKeys.key(slot(id), "P" + id);
    }

    private static byte[] completed(int slot) {
        return SlotKeys.key(slot, "d");
    }

    /** As it is listed in the range of its key. */
    static byte[] member(ObjectKey key, Instant startedAt, String id) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(KeyCodec.encode(key.bytes()));
        out.write(0);
        out.writeBytes(StoredVersion.time(startedAt));
        out.writeBytes(id.getBytes(UTF_8));
        return out.toByteArray();
    }

    private static byte[] write(Upload upload) {
        Integer kind = Codec.checksumKind(upload.checksum());
        return new PackedWriter()
                .string(upload.bucket().value())
                .string(upload.key().value())
                .number(upload.startedAt().toEpochMilli())
                .string(upload.owner())
                .number(kind == null ? 0 : kind)
                .bytes(StoredDetails.write(upload.attributes(), List.of()))
                .toBytes();
    }

    static Upload read(String id, byte[] bytes) {
        PackedReader in = new PackedReader(bytes);
        BucketName bucket = new BucketName(in.string());
        ObjectKey key = new ObjectKey(in.string());
        Instant startedAt = Instant.ofEpochMilli(in.number());
        String owner = in.string();
        long kind = in.number();
        return new Upload(
                id,
                bucket,
                key,
                StoredDetails.read(ByteBuffer.wrap(in.bytes())).attributes(),
                kind == 0 ? Optional.empty() : Optional.of(new UploadChecksum(Codec.algorithm(kind), Codec.type(kind))),
                owner,
                startedAt);
    }

    Outcome<Upload> create(Upload upload) {
        slots.use(slot(upload.id()));
        cluster.one(Script.UPLOAD_CREATE, new byte[][] {key(upload.id())}, write(upload));
        byte[] listed = index(upload, YES);
        if (listed == null) {
            cluster.command(redis -> redis.unlink(key(upload.id())));
            return Buckets.noSuchBucket(upload.bucket());
        }
        cluster.send(redis -> redis.persist(key(upload.id())));
        return new Outcome.Done<>(read(upload.id(), write(upload)));
    }

    /** Lists the upload, or does so no more; whether that was new; null if there is no such bucket. */
    private byte @Nullable [] index(Upload upload, byte[] listed) {
        byte[] member = member(upload.key(), upload.startedAt(), upload.id());
        return buckets.inRange(upload.bucket(), KeyCodec.encode(upload.key().bytes()), range -> {
            byte[] answer = cluster.one(
                    Script.UPLOAD_INDEX,
                    new byte[][] {range.root(), range.uploads()},
                    range.epochBytes(),
                    member,
                    listed);
            return Buckets.isMoved(answer) ? null : answer;
        });
    }

    /** What stands of an upload. */
    @SuppressWarnings("ArrayRecordComponent")
    private record Found(char state, byte[] changes, Upload upload, byte[] ending, List<StoredPart> parts) {}

    private @Nullable Found find(BucketName bucket, ObjectKey key, String id, int afterNumber, int limit) {
        List<byte[]> answer = cluster.many(
                Script.UPLOAD_PARTS, new byte[][] {key(id), partsKey(id)}, ascii(afterNumber), ascii(limit));
        if (answer.isEmpty()) {
            return null;
        }
        Upload upload = read(id, answer.get(2));
        if (!upload.bucket().equals(bucket) || !upload.key().equals(key)) {
            return null;
        }
        return new Found(
                (char) answer.getFirst()[0],
                answer.get(1),
                upload,
                answer.get(3),
                answer.subList(4, answer.size()).stream().map(StoredPart::read).toList());
    }

    private <T> Outcome<T> noSuchUpload(BucketName bucket, String id) {
        return buckets.find(bucket).isEmpty()
                ? Buckets.noSuchBucket(bucket)
                : new Outcome.Refused<>(Refusal.NO_SUCH_UPLOAD, id);
    }

    private static boolean isInProgress(@Nullable Found found) {
        return found != null && (found.state == 'o' || found.state == 'c');
    }

    Outcome<Upload> find(BucketName bucket, ObjectKey key, String id) {
        Found found = find(bucket, key, id, 0, 0);
        return found != null && isInProgress(found) ? new Outcome.Done<>(found.upload) : noSuchUpload(bucket, id);
    }

    Outcome<PartsPage> parts(BucketName bucket, ObjectKey key, String id, int afterNumber, int limit) {
        Found found = find(bucket, key, id, afterNumber, limit + 1);
        if (found == null || !isInProgress(found)) {
            return noSuchUpload(bucket, id);
        }
        List<Part> parts =
                found.parts.stream().map(StoredPart::part).limit(limit).toList();
        return new Outcome.Done<>(new PartsPage(found.upload, parts, found.parts.size() > limit && limit > 0));
    }

    Outcome<Part> put(PutPart command) {
        Part part = command.part().toMillis();
        Instant now = part.lastModified();
        Optional<Slice> blob = command.blob();
        boolean local = blob.isPresent() && blob.get().blob().slot() == slot(command.uploadId());
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
        for (int after = 0; ; ) {
            List<byte[]> answer = cluster.many(
                    Script.UPLOAD_PARTS, new byte[][] {key(id), partsKey(id)}, ascii(after), ascii(PARTS_A_PAGE));
            if (answer.isEmpty()) {
                return false;
            }
            if (answer.getFirst()[0] == 'd') {
                return manifests.holds(Ending.read(answer.get(3)).writeId(), holder);
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
        int slot = slot(command.uploadId());
        slots.use(slot);
        byte[] nowhere = SlotKeys.key(slot, "U");
        while (true) {
            byte[] answer = cluster.one(
                    Script.PART_PUT,
                    blobs.keys(slot, id.isEmpty() ? nowhere : key(id), partsKey(command.uploadId())),
                    ascii(slot),
                    ascii(part.part().number()),
                    part.write(),
                    blobs.since(part.part().lastModified()),
                    local == null
                            ? Blobs.NOTHING
                            : Long.toString(command.intentId()).getBytes(US_ASCII),
                    local == null ? Blobs.NOTHING : Blobs.encoded(local.blob()),
                    local == null
                            ? Blobs.NOTHING
                            : blobs.record(local.account(), local.offsetBytes() + local.lengthBytes()),
                    standing ? YES : NO);
            if (answer == null || answer.length == 0) {
                throw Codec.corrupt();
            }
            switch (answer[0]) {
                case '+' -> {
                    deliver(slot, answer);
                    return new Outcome.Done<>(part.part());
                }
                case '=' -> {
                    return new Outcome.Done<>(part.part());
                }
                case 's' -> settle(command.uploadId());
                default -> {
                    Refusal reason = Blobs.refusal(answer);
                    return reason == Refusal.NO_SUCH_UPLOAD
                            ? noSuchUpload(command.bucket(), command.uploadId())
                            : new Outcome.Refused<>(reason);
                }
            }
        }
    }

    private @Nullable Upload upload(BucketName bucket, ObjectKey key, String id) {
        Found found = find(bucket, key, id, 0, 0);
        return found == null ? null : found.upload;
    }

    private void deliver(int slot, byte[] answer) {
        if (answer.length > 1) {
            messages.deliver(slot, Arrays.copyOfRange(answer, 1, answer.length));
        }
    }

    Outcome<Part> copy(CopyPart command) {
        if (buckets.find(command.bucket()).isEmpty()) {
            return Buckets.noSuchBucket(command.bucket());
        }
        List<StoredPart> uploaded = new ArrayList<>();
        Found upload = readAll(command.bucket(), command.key(), command.uploadId(), uploaded);
        if (!isInProgress(upload)) {
            return noSuchUpload(command.bucket(), command.uploadId());
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

    /** The upload as of before its parts were read; null if it is not there. */
    private @Nullable Found readAll(BucketName bucket, ObjectKey key, String id, List<StoredPart> parts) {
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

    Outcome<ObjectVersion> complete(CompleteUpload command) {
        for (int look = 0; look < MOST_LOOKS; look++) {
            List<StoredPart> parts = new ArrayList<>();
            Found found = readAll(command.bucket(), command.key(), command.uploadId(), parts);
            switch (found == null ? 'x' : found.state) {
                case 'o' -> {
                    Outcome<ObjectVersion> outcome = complete(command, java.util.Objects.requireNonNull(found), parts);
                    if (outcome != null) {
                        return outcome;
                    }
                }
                case 'c' -> settle(command.uploadId());
                case 'd' -> {
                    return new Outcome.Done<>(Ending.read(java.util.Objects.requireNonNull(found).ending)
                            .version(command.key()));
                }
                default -> {
                    return noSuchUpload(command.bucket(), command.uploadId());
                }
            }
        }
        throw new NamespaceException("an upload changes all the time while it is being completed");
    }

    /** Null if the upload has changed meanwhile. */
    private @Nullable Outcome<ObjectVersion> complete(CompleteUpload command, Found found, List<StoredPart> parts) {
        Map<Integer, StoredPart> uploaded = new TreeMap<>();
        Map<Integer, Part> numbers = new HashMap<>();
        for (StoredPart part : parts) {
            uploaded.put(part.part().number(), part);
            numbers.put(part.part().number(), part.part());
        }
        return switch (rules.complete(command, found.upload.checksum(), numbers)) {
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
                ObjectVersion version = new ObjectVersion(
                        command.key(),
                        command.writeId(),
                        command.now().truncatedTo(ChronoUnit.MILLIS),
                        whole.sizeBytes(),
                        whole.etag(),
                        found.upload.attributes(),
                        whole.checksum().map(List::of).orElse(List.of()),
                        new Manifest.Stored(command.writeId(), named.size()));
                Ending ending = new Ending(
                        StoredVersion.write(version, Origin.COMPLETE, AccountNumbers.NONE, Optional.empty()),
                        Objects.condition(command.condition()),
                        command.writeId(),
                        command.now(),
                        List.copyOf(uploaded.keySet()));
                manifests.write(command.writeId(), named);
                byte[] sealed = cluster.one(
                        Script.UPLOAD_SEAL, new byte[][] {key(command.uploadId())}, found.changes, ending.write());
                if (sealed == null || sealed[0] != '1') {
                    manifests.remove(command.writeId());
                    yield null;
                }
                yield end(found.upload, ending);
            }
        };
    }

    /** Makes the object, if the upload is listed still, and then removes the upload; or opens it again, with the reason. */
    private Outcome<ObjectVersion> end(Upload upload, Ending ending) {
        byte[] key = KeyCodec.encode(upload.key().bytes());
        byte[] member = member(upload.key(), upload.startedAt(), upload.id());
        byte[] answer = buckets.inRange(
                upload.bucket(),
                key,
                range ->
                        objects.commitCompleted(range, key, ending.record(), ending.now(), ending.condition(), member));
        if (answer != null && (answer[0] == '+' || answer[0] == '=')) {
            finish(upload.id(), ending);
            return new Outcome.Done<>(ending.version(upload.key()));
        }
        cluster.one(Script.UPLOAD_UNSEAL, new byte[][] {key(upload.id())}, ending.write());
        manifests.remove(ending.writeId());
        if (answer == null) {
            return Buckets.noSuchBucket(upload.bucket());
        }
        Refusal reason = Blobs.refusal(answer);
        return reason == Refusal.NO_SUCH_UPLOAD
                ? noSuchUpload(upload.bucket(), upload.id())
                : new Outcome.Refused<>(reason);
    }

    private void finish(String id, Ending ending) {
        int slot = slot(id);
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
        List<byte[]> arguments =
                new ArrayList<>(List.of(ascii(slot), blobs.since(now), id.getBytes(UTF_8), ascii(PARTS_A_PAGE)));
        numbers.forEach(number -> arguments.add(ascii(number)));
        List<byte[]> answer = cluster.many(
                Script.UPLOAD_FINISH,
                blobs.keys(slot, key(id), partsKey(id), completed(slot)),
                arguments.toArray(byte[][]::new));
        answer.subList(1, answer.size()).forEach(message -> messages.deliver(slot, message));
        return answer.getFirst()[0] == '1';
    }

    /** Goes on with a completion that somebody began. */
    private void settle(String id) {
        List<byte[]> answer =
                cluster.many(Script.UPLOAD_PARTS, new byte[][] {key(id), partsKey(id)}, ascii(0), ascii(0));
        if (!answer.isEmpty() && answer.getFirst()[0] == 'c') {
            end(read(id, answer.get(2)), Ending.read(answer.get(3)));
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
                cluster.command(redis -> redis.unlink(key(id)));
                cluster.command(redis -> redis.zrem(key, member));
                forgotten++;
            }
            if (forgotten == limit) {
                break;
            }
        }
        return forgotten;
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
            members.forEach(member -> orphan(Listed.read(member).id(), now));
            from = members.getLast();
        }
    }

    /** An upload as it is listed in the range of its key. */
    record Listed(ObjectKey key, Instant startedAt, String id) {
        static Listed read(byte[] member) {
            int nul = 0;
            while (member[nul] != 0) {
                nul++;
            }
            ByteBuffer in = ByteBuffer.wrap(member, nul + 1, member.length - nul - 1);
            Instant startedAt = Instant.ofEpochMilli(StoredVersion.get6(in));
            return new Listed(
                    new ObjectKey(ObjectKey.decode(KeyCodec.decode(member, 0, nul))),
                    startedAt,
                    new String(member, in.position(), in.remaining(), UTF_8));
        }
    }

    Outcome<Upload> abort(BucketName bucket, ObjectKey key, String id, Instant now) {
        Found found = find(bucket, key, id, 0, 0);
        if (found == null || found.state == 'd') {
            return noSuchUpload(bucket, id);
        }
        byte[] listed = index(found.upload, NO);
        boolean ours = listed != null && listed[0] == '1';
        if (found.state == 'c' && !ours) {
            settle(id);
            return noSuchUpload(bucket, id);
        }
        orphan(id, now);
        return ours ? new Outcome.Done<>(found.upload) : noSuchUpload(bucket, id);
    }

    /** Takes an upload that is listed no more out of sight; what it has is let go later. */
    private void orphan(String id, Instant now) {
        int slot = slot(id);
        while (true) {
            byte[] answer = cluster.one(
                    Script.UPLOAD_ABORT,
                    blobs.keys(slot, key(id), Orphans.key(slot)),
                    blobs.since(now),
                    id.getBytes(UTF_8));
            if (answer == null || answer[0] != 's') {
                return;
            }
            settle(id);
        }
    }

    /** Lets go of what an aborted upload has. */
    void drop(String id, byte[] since) {
        int slot = slot(id);
        boolean more = true;
        while (more) {
            List<byte[]> answer = cluster.many(
                    Script.UPLOAD_DROP,
                    blobs.keys(slot, key(id), partsKey(id)),
                    ascii(slot),
                    since,
                    ascii(PARTS_A_STEP));
            answer.subList(1, answer.size()).forEach(message -> messages.deliver(slot, message));
            more = answer.getFirst()[0] == '1';
        }
    }
}
