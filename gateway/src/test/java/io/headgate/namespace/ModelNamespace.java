package io.headgate.namespace;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ByteRange;
import io.headgate.domain.Checksum;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Outcome.Done;
import io.headgate.namespace.Outcome.Refused;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The namespace as plain collections: what engines are compared with. It counts nothing; whether a blob is garbage it finds out after
 * each step by looking at everything that refers to blobs. It never forgets the outcome of a command. One call at a time.
 */
final class ModelNamespace implements Namespace {
    private final MultipartRules rules;
    private final InstantSource clock;
    private final TreeMap<BucketName, BucketState> buckets = new TreeMap<>();
    private final TreeMap<String, UploadState> uploads = new TreeMap<>();
    private final TreeMap<String, ObjectVersion> completed = new TreeMap<>();
    private final TreeMap<Integer, ManifestState> manifests = new TreeMap<>();
    private final Map<BlobId, BlobState> blobs = new HashMap<>();
    private final Map<String, Outcome<ObjectVersion>> writes = new HashMap<>();
    private final Map<BlobId, Outcome<Part>> partWrites = new HashMap<>();
    private final TreeMap<Long, IntentState> intents = new TreeMap<>();
    private final Map<CopyName, CopyState> copies = new HashMap<>();
    private final Map<String, AccountMode> modes = new HashMap<>();
    private int manifestsMade;
    private long intentsMade;

    private record BucketState(Bucket bucket, TreeMap<ObjectKey, Current> objects) {}

    private record Current(ObjectVersion version, Optional<Attempt> attempt) {}

    private record UploadState(Upload upload, TreeMap<Integer, PartState> parts) {}

    private record PartState(Part part, List<Slice> slices) {}

    private static final class ManifestState {
        final List<ManifestPart> parts = new ArrayList<>();
        final List<ManifestSlice> slices = new ArrayList<>();
        Instant orphanedAt;
    }

    private static final class BlobState {
        final Slice whole;
        String account;
        long references;
        Instant releasedAt = Instant.MIN;
        Instant queuedAt;

        BlobState(Slice whole) {
            this.whole = whole;
            this.account = whole.account();
        }

        boolean livesIn(String name) {
            return queuedAt == null && account.equals(name);
        }
    }

    private record CopyName(BlobId blob, String account) {}

    private static final class CopyState {
        final long sizeBytes;
        /** Where the blob lives while this is being made; null afterwards. */
        String movingFrom;

        Instant queuedAt;
        Instant goneAt;

        CopyState(long sizeBytes) {
            this.sizeBytes = sizeBytes;
        }

        boolean isGarbage() {
            return queuedAt != null && goneAt == null;
        }
    }

    private record IntentState(Intent intent, boolean taken) {}

    ModelNamespace(long minPartBytes, InstantSource clock) {
        this.rules = new MultipartRules(minPartBytes);
        this.clock = clock;
    }

    private Instant released(Instant commandTime) {
        Instant engineTime = clock.instant();
        return engineTime.isAfter(commandTime) ? engineTime : commandTime;
    }

    private static Instant millis(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MILLIS);
    }

    @Override
    public String id() {
        return "model";
    }

    @Override
    public BucketClaim createBucket(Bucket bucket) {
        Bucket made = new Bucket(bucket.name(), bucket.owner(), bucket.location(), millis(bucket.createdAt()));
        boolean taken = buckets.putIfAbsent(bucket.name(), new BucketState(made, new TreeMap<>())) != null;
        return new BucketClaim(buckets.get(bucket.name()).bucket, !taken);
    }

    @Override
    public Optional<Bucket> bucket(BucketName name) {
        return Optional.ofNullable(buckets.get(name)).map(BucketState::bucket);
    }

    @Override
    public Outcome<Bucket> deleteBucket(BucketName name, Instant now) {
        BucketState bucket = buckets.get(name);
        if (bucket == null) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        if (!bucket.objects.isEmpty()) {
            return new Refused<>(Refusal.BUCKET_NOT_EMPTY);
        }
        List<UploadState> aborted = uploads.values().stream()
                .filter(upload -> upload.upload.bucket().equals(name))
                .toList();
        aborted.forEach(upload -> orphan(upload, now));
        buckets.remove(name);
        recount(released(now));
        return new Done<>(bucket.bucket);
    }

    @Override
    public List<Bucket> listBuckets(BucketQuery query) {
        return buckets.values().stream()
                .map(BucketState::bucket)
                .filter(bucket -> bucket.owner().equals(query.owner()))
                .filter(bucket -> bucket.name().value().startsWith(query.prefix()))
                .filter(bucket -> bucket.name().value().compareTo(query.after()) > 0)
                .limit(query.limit())
                .toList();
    }

    @Override
    public Outcome<BucketUsage> bucketUsage(BucketName name) {
        BucketState bucket = buckets.get(name);
        if (bucket == null) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        long bytes = bucket.objects.values().stream()
                .mapToLong(current -> current.version.sizeBytes())
                .sum();
        return new Done<>(new BucketUsage(bucket.objects.size(), bytes));
    }

    @Override
    public Outcome<ObjectVersion> putObject(PutObject command) {
        String id = command.blob().map(blob -> blob.blob().toString()).orElse(command.writeId());
        Outcome<ObjectVersion> known = writes.get(id);
        if (known != null) {
            return known;
        }
        if (command.blob().isPresent() && blobs.containsKey(command.blob().get().blob())) {
            return new Refused<>(Refusal.INTENT_EXPIRED);
        }
        command.blob().ifPresent(blob -> blobs.put(blob.blob(), new BlobState(blob)));
        Outcome<ObjectVersion> outcome = decide(command);
        if (outcome instanceof Done || command.blob().isPresent()) {
            writes.put(id, outcome);
        }
        recount(released(command.now()));
        return outcome;
    }

    private Outcome<ObjectVersion> decide(PutObject command) {
        BucketState bucket = buckets.get(command.bucket());
        if (bucket == null) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        Current current = bucket.objects.get(command.key());
        boolean superseded = current != null
                && current.attempt.isPresent()
                && command.attempt().isPresent()
                && current.attempt
                        .get()
                        .invocation()
                        .equals(command.attempt().get().invocation())
                && current.attempt.get().number() > command.attempt().get().number();
        if (superseded) {
            return new Refused<>(Refusal.SUPERSEDED);
        }
        Optional<Refusal> refusal = command.condition().check(etag(current));
        if (refusal.isPresent()) {
            return new Refused<>(refusal.get());
        }
        if (command.blob().isPresent() && !standing(command.intentId(), command.now())) {
            return new Refused<>(Refusal.INTENT_EXPIRED);
        }
        ObjectVersion version = new ObjectVersion(
                command.key(),
                command.writeId(),
                millis(command.now()),
                command.sizeBytes(),
                command.etag(),
                command.attributes(),
                command.checksums(),
                new Manifest.Inline(command.blob()));
        bucket.objects.put(command.key(), new Current(version, command.attempt()));
        return new Done<>(version);
    }

    private static ETag etag(Current current) {
        return current == null ? null : current.version.etag();
    }

    private boolean standing(long intentId, Instant now) {
        IntentState intent = intents.get(intentId);
        return intent != null && !intent.taken && now.isBefore(intent.intent.expiresAt());
    }

    @Override
    public Outcome<ObjectVersion> currentVersion(BucketName bucket, ObjectKey key) {
        BucketState state = buckets.get(bucket);
        if (state == null) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        Current current = state.objects.get(key);
        return current == null ? new Refused<>(Refusal.NO_SUCH_KEY) : new Done<>(located(current.version));
    }

    /** The version with its blob where that lives now. */
    private ObjectVersion located(ObjectVersion version) {
        if (!(version.manifest() instanceof Manifest.Inline(Optional<Slice> slice)) || slice.isEmpty()) {
            return version;
        }
        return new ObjectVersion(
                version.key(),
                version.writeId(),
                version.lastModified(),
                version.sizeBytes(),
                version.etag(),
                version.attributes(),
                version.checksums(),
                Manifest.of(located(slice.get())));
    }

    private Slice located(Slice slice) {
        return new Slice(slice.blob(), blobs.get(slice.blob()).account, slice.offsetBytes(), slice.lengthBytes());
    }

    @Override
    public List<Outcome<Boolean>> deleteObjects(BucketName name, List<DeleteObject> commands, Instant now) {
        List<Outcome<Boolean>> outcomes = new ArrayList<>();
        for (DeleteObject command : commands) {
            outcomes.add(delete(buckets.get(name), command));
        }
        recount(released(now));
        return outcomes;
    }

    private static Outcome<Boolean> delete(BucketState bucket, DeleteObject command) {
        if (bucket == null) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        Optional<Refusal> refusal = command.condition().check(etag(bucket.objects.get(command.key())));
        return refusal.<Outcome<Boolean>>map(Refused::new)
                .orElseGet(() -> new Done<>(bucket.objects.remove(command.key()) != null));
    }

    @Override
    public Outcome<ObjectVersion> copyObject(CopyObject command) {
        Outcome<ObjectVersion> known = writes.get(command.writeId());
        if (known != null) {
            return known;
        }
        BucketState bucket = buckets.get(command.bucket());
        if (bucket == null) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        Outcome<ObjectVersion> found = source(
                command.sourceBucket(),
                command.sourceKey(),
                command.expectedSourceWriteId(),
                command.sourceCondition());
        if (!(found instanceof Done<ObjectVersion>(ObjectVersion source))) {
            return found;
        }
        Optional<Refusal> refusal = command.condition().check(etag(bucket.objects.get(command.key())));
        if (refusal.isPresent()) {
            return new Refused<>(refusal.get());
        }
        ObjectVersion version = command.version(source);
        bucket.objects.put(command.key(), new Current(version, Optional.empty()));
        writes.put(command.writeId(), new Done<>(version));
        recount(released(command.now()));
        return new Done<>(version);
    }

    private Outcome<ObjectVersion> source(
            BucketName bucket, ObjectKey key, Optional<String> expected, ReadCondition condition) {
        Outcome<ObjectVersion> found = currentVersion(bucket, key);
        if (found instanceof Done<ObjectVersion>(ObjectVersion source)) {
            boolean same = expected.isEmpty() || expected.get().equals(source.writeId());
            boolean holds = condition.check(source.etag(), source.lastModified()) == ReadCondition.Verdict.HOLDS;
            if (!holds) {
                return new Refused<>(Refusal.PRECONDITION_FAILED);
            }
            return same ? found : new Refused<>(Refusal.SOURCE_CHANGED);
        }
        return found;
    }

    @Override
    public Outcome<ObjectPage> listObjects(ObjectQuery query) {
        BucketState bucket = buckets.get(query.bucket());
        if (bucket == null) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        List<ObjectPage.Entry> entries = new ArrayList<>();
        String last = "";
        for (Map.Entry<ObjectKey, Current> entry : bucket.objects.entrySet()) {
            String key = entry.getKey().value();
            if (!key.startsWith(query.prefix())) {
                continue;
            }
            String rolledUp = rolledUp(key, query.prefix(), query.delimiter());
            String name = rolledUp.isEmpty() ? key : rolledUp;
            boolean listedBefore = !rolledUp.isEmpty() && (query.after().startsWith(rolledUp) || name.equals(last));
            if (listedBefore || !isAfter(name, query.after())) {
                continue;
            }
            if (entries.size() == query.limit()) {
                return new Done<>(new ObjectPage(entries, query.limit() > 0, last));
            }
            entries.add(
                    rolledUp.isEmpty()
                            ? new ObjectPage.Entry.Current(listed(entry.getValue().version))
                            : new ObjectPage.Entry.CommonPrefix(rolledUp));
            last = name;
        }
        return new Done<>(new ObjectPage(entries, false, last));
    }

    private static String rolledUp(String key, String prefix, String delimiter) {
        int found = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
        return found < 0 ? "" : key.substring(0, found + delimiter.length());
    }

    private static boolean isAfter(String name, String after) {
        return after.isEmpty() || new ObjectKey(name).compareTo(new ObjectKey(after)) > 0;
    }

    private static ListedObject listed(ObjectVersion version) {
        Optional<Checksum> checksum = version.checksums().stream().findFirst();
        return new ListedObject(
                version.key(),
                version.lastModified(),
                version.sizeBytes(),
                version.etag(),
                version.attributes().storageClass(),
                checksum.map(Checksum::algorithm),
                checksum.map(Checksum::type));
    }

    private ManifestState manifest(Manifest.Stored manifest) {
        ManifestState found = manifest.id().matches("\\d+") ? manifests.get(Integer.valueOf(manifest.id())) : null;
        return found == null ? new ManifestState() : found;
    }

    @Override
    public List<ManifestSlice> slices(Manifest.Stored manifest, long fromOffsetBytes, int limit) {
        return manifest(manifest).slices.stream()
                .filter(slice -> slice.objectOffsetBytes() + slice.slice().lengthBytes() > fromOffsetBytes)
                .limit(limit)
                .map(slice -> new ManifestSlice(slice.objectOffsetBytes(), located(slice.slice())))
                .toList();
    }

    @Override
    public List<ManifestPart> parts(Manifest.Stored manifest, int afterNumber, int limit) {
        return manifest(manifest).parts.stream()
                .filter(part -> part.number() > afterNumber)
                .limit(limit)
                .toList();
    }

    @Override
    public Outcome<Upload> createUpload(Upload upload) {
        if (!buckets.containsKey(upload.bucket())) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        uploads.putIfAbsent(upload.id(), new UploadState(upload, new TreeMap<>()));
        return upload(upload.bucket(), upload.key(), upload.id());
    }

    private Outcome<UploadState> find(BucketName bucket, ObjectKey key, String id) {
        if (!buckets.containsKey(bucket)) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        UploadState found = uploads.get(id);
        boolean matches = found != null
                && found.upload.bucket().equals(bucket)
                && found.upload.key().equals(key);
        return matches ? new Done<>(found) : new Refused<>(Refusal.NO_SUCH_UPLOAD);
    }

    @Override
    public Outcome<Upload> upload(BucketName bucket, ObjectKey key, String uploadId) {
        return switch (find(bucket, key, uploadId)) {
            case Done<UploadState>(UploadState state) -> new Done<>(state.upload);
            case Refused<UploadState>(Refusal reason, String detail) -> new Refused<>(reason);
        };
    }

    @Override
    public Outcome<Part> putPart(PutPart command) {
        Outcome<Part> known =
                command.blob().map(blob -> partWrites.get(blob.blob())).orElse(null);
        if (known != null) {
            return known;
        }
        command.blob().ifPresent(blob -> blobs.put(blob.blob(), new BlobState(blob)));
        Outcome<Part> outcome = decide(command);
        command.blob().ifPresent(blob -> partWrites.put(blob.blob(), outcome));
        recount(released(command.part().lastModified()));
        return outcome;
    }

    private Outcome<Part> decide(PutPart command) {
        Outcome<UploadState> found = find(command.bucket(), command.key(), command.uploadId());
        if (!(found instanceof Done<UploadState>(UploadState upload))) {
            return new Refused<>(((Refused<UploadState>) found).reason());
        }
        Part said = command.part();
        if (command.blob().isPresent() && !standing(command.intentId(), said.lastModified())) {
            return new Refused<>(Refusal.INTENT_EXPIRED);
        }
        Part part =
                new Part(said.number(), said.sizeBytes(), said.etag(), said.checksum(), millis(said.lastModified()));
        upload.parts.put(
                part.number(), new PartState(part, command.blob().stream().toList()));
        return new Done<>(part);
    }

    @Override
    public Outcome<Part> copyPart(CopyPart command) {
        Outcome<UploadState> found = find(command.bucket(), command.key(), command.uploadId());
        if (!(found instanceof Done<UploadState>(UploadState upload))) {
            return new Refused<>(((Refused<UploadState>) found).reason());
        }
        Outcome<ObjectVersion> object = source(
                command.sourceBucket(),
                command.sourceKey(),
                command.expectedSourceWriteId(),
                command.sourceCondition());
        if (!(object instanceof Done<ObjectVersion>(ObjectVersion source))) {
            return new Refused<>(((Refused<ObjectVersion>) object).reason());
        }
        Optional<ByteRange.Resolved> range = command.range().resolve(source.sizeBytes());
        boolean beyond = command.range() instanceof ByteRange.Between between && between.last() >= source.sizeBytes();
        if (range.isEmpty() || beyond) {
            return new Refused<>(Refusal.INVALID_RANGE);
        }
        Part part = new Part(
                command.partNumber(),
                range.get().lengthBytes(),
                MultipartRules.copiedPartETag(source.etag(), source.sizeBytes(), range.get()),
                command.checksum(),
                millis(command.now()));
        upload.parts.put(part.number(), new PartState(part, cut(source.manifest(), range.get())));
        recount(released(command.now()));
        return new Done<>(part);
    }

    private List<Slice> cut(Manifest manifest, ByteRange.Resolved range) {
        List<Slice> cut = new ArrayList<>();
        long end = range.offsetBytes() + range.lengthBytes();
        for (ManifestSlice slice : slices(manifest)) {
            long from = Math.max(range.offsetBytes(), slice.objectOffsetBytes());
            long to = Math.min(end, slice.objectOffsetBytes() + slice.slice().lengthBytes());
            if (from < to) {
                cut.add(slice.slice().sub(from - slice.objectOffsetBytes(), to - from));
            }
        }
        return cut;
    }

    private List<ManifestSlice> slices(Manifest manifest) {
        return switch (manifest) {
            case Manifest.Inline(Optional<Slice> slice) ->
                slice.stream().map(one -> new ManifestSlice(0, one)).toList();
            case Manifest.Stored stored -> manifest(stored).slices;
        };
    }

    @Override
    public Outcome<ObjectVersion> completeUpload(CompleteUpload command) {
        ObjectVersion known = completed.get(command.uploadId());
        if (known != null && known.key().equals(command.key())) {
            return new Done<>(known);
        }
        Outcome<UploadState> found = find(command.bucket(), command.key(), command.uploadId());
        if (!(found instanceof Done<UploadState>(UploadState upload))) {
            return new Refused<>(((Refused<UploadState>) found).reason());
        }
        Map<Integer, Part> uploaded = new HashMap<>();
        upload.parts.forEach((number, part) -> uploaded.put(number, part.part));
        Outcome<MultipartRules.Whole> checked = rules.complete(command, upload.upload.checksum(), uploaded);
        if (!(checked instanceof Done<MultipartRules.Whole>(MultipartRules.Whole whole))) {
            return new Refused<>(((Refused<MultipartRules.Whole>) checked).reason());
        }
        TreeMap<ObjectKey, Current> objects = buckets.get(command.bucket()).objects;
        Optional<Refusal> refusal = command.condition().check(etag(objects.get(command.key())));
        if (refusal.isPresent()) {
            return new Refused<>(refusal.get());
        }
        ObjectVersion version = new ObjectVersion(
                command.key(),
                command.writeId(),
                millis(command.now()),
                whole.sizeBytes(),
                whole.etag(),
                upload.upload.attributes(),
                whole.checksum().stream().toList(),
                new Manifest.Stored(
                        Integer.toString(add(upload, whole.parts())),
                        whole.parts().size()));
        uploads.remove(command.uploadId());
        completed.put(command.uploadId(), version);
        objects.put(command.key(), new Current(version, Optional.empty()));
        recount(released(command.now()));
        return new Done<>(version);
    }

    private int add(UploadState upload, Collection<Part> parts) {
        ManifestState manifest = new ManifestState();
        long offset = 0;
        for (Part part : parts) {
            manifest.parts.add(new ManifestPart(part.number(), offset, part.sizeBytes(), part.checksum()));
            for (Slice slice : upload.parts.get(part.number()).slices) {
                manifest.slices.add(new ManifestSlice(offset, slice));
                offset += slice.lengthBytes();
            }
        }
        manifests.put(++manifestsMade, manifest);
        return manifestsMade;
    }

    /** An aborted upload lives on as a manifest that nothing refers to. */
    private void orphan(UploadState upload, Instant now) {
        add(upload, upload.parts.values().stream().map(PartState::part).toList());
        manifests.get(manifestsMade).orphanedAt = released(now);
        uploads.remove(upload.upload.id());
    }

    @Override
    public Outcome<Upload> abortUpload(BucketName bucket, ObjectKey key, String uploadId, Instant now) {
        return switch (find(bucket, key, uploadId)) {
            case Done<UploadState>(UploadState state) -> {
                orphan(state, now);
                recount(released(now));
                yield new Done<>(state.upload);
            }
            case Refused<UploadState>(Refusal reason, String detail) -> new Refused<>(reason);
        };
    }

    @Override
    public Outcome<PartsPage> listParts(BucketName bucket, ObjectKey key, String uploadId, int afterNumber, int limit) {
        return switch (find(bucket, key, uploadId)) {
            case Done<UploadState>(UploadState state) -> {
                List<Part> rest = state.parts.tailMap(afterNumber, false).values().stream()
                        .map(PartState::part)
                        .toList();
                yield new Done<>(new PartsPage(
                        state.upload, rest.subList(0, Math.min(limit, rest.size())), limit > 0 && rest.size() > limit));
            }
            case Refused<UploadState>(Refusal reason, String detail) -> new Refused<>(reason);
        };
    }

    @Override
    public Outcome<UploadPage> listUploads(UploadQuery query) {
        if (!buckets.containsKey(query.bucket())) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        List<Upload> all = uploads.values().stream()
                .map(UploadState::upload)
                .filter(upload -> upload.bucket().equals(query.bucket()))
                .filter(upload -> upload.key().value().startsWith(query.prefix()))
                .sorted(Comparator.comparing(Upload::key)
                        .thenComparing(Upload::startedAt)
                        .thenComparing(Upload::id))
                .toList();
        List<Upload> page = new ArrayList<>();
        List<String> prefixes = new ArrayList<>();
        String lastKey = "";
        String lastId = "";
        for (Upload upload : all) {
            String key = upload.key().value();
            String rolledUp = rolledUp(key, query.prefix(), query.delimiter());
            boolean skipped = rolledUp.isEmpty()
                    ? !comesAfter(upload, query, all)
                    : prefixes.contains(rolledUp)
                            || query.afterKey().startsWith(rolledUp)
                            || !isAfter(rolledUp, query.afterKey());
            if (skipped) {
                continue;
            }
            if (page.size() + prefixes.size() == query.limit()) {
                return new Done<>(new UploadPage(page, prefixes, query.limit() > 0, lastKey, lastId));
            }
            if (rolledUp.isEmpty()) {
                page.add(upload);
            } else {
                prefixes.add(rolledUp);
            }
            lastKey = rolledUp.isEmpty() ? key : rolledUp;
            lastId = rolledUp.isEmpty() ? upload.id() : "";
        }
        return new Done<>(new UploadPage(page, prefixes, false, lastKey, lastId));
    }

    private static boolean comesAfter(Upload upload, UploadQuery query, List<Upload> ordered) {
        if (!upload.key().value().equals(query.afterKey())) {
            return isAfter(upload.key().value(), query.afterKey());
        }
        int marker = -1;
        for (int i = 0; i < ordered.size(); i++) {
            if (ordered.get(i).id().equals(query.afterUploadId())
                    && ordered.get(i).key().equals(upload.key())) {
                marker = i;
            }
        }
        return !query.afterUploadId().isEmpty() && ordered.indexOf(upload) > marker;
    }

    @Override
    public Intent openIntent(String gateway, Instant openedAt, Instant lastStampAt, Instant expiresAt) {
        Intent intent = new Intent(++intentsMade, gateway, millis(openedAt), millis(lastStampAt), millis(expiresAt));
        intents.put(intent.id(), new IntentState(intent, false));
        return intent;
    }

    @Override
    public List<Long> renewIntents(Collection<Long> ids, Instant expiresAt) {
        List<Long> standing = new ArrayList<>();
        for (Long id : ids) {
            IntentState state = intents.get(id);
            if (state != null && !state.taken) {
                Intent old = state.intent;
                Intent renewed = new Intent(id, old.gateway(), old.openedAt(), old.lastStampAt(), millis(expiresAt));
                intents.put(id, new IntentState(renewed, false));
                standing.add(id);
            }
        }
        return standing;
    }

    @Override
    public void closeIntents(Collection<Long> ids) {
        ids.forEach(intents::remove);
    }

    @Override
    public List<Intent> standingIntents() {
        return intents.values().stream()
                .filter(state -> !state.taken)
                .map(IntentState::intent)
                .toList();
    }

    @Override
    public List<Intent> takeExpiredIntents(Instant now, int limit) {
        List<Intent> expired = intents.values().stream()
                .filter(state -> state.taken || state.intent.expiresAt().isBefore(now))
                .limit(limit)
                .map(IntentState::intent)
                .toList();
        expired.forEach(intent -> intents.put(intent.id(), new IntentState(intent, true)));
        return expired;
    }

    @Override
    public List<BlobId> unknownBlobs(String account, List<BlobId> asked) {
        return asked.stream().filter(blob -> !isKnown(blob, account)).toList();
    }

    private boolean isKnown(BlobId blob, String account) {
        BlobState state = blobs.get(blob);
        CopyState copy = copies.get(new CopyName(blob, account));
        return (state != null && state.account.equals(account)) || (copy != null && copy.goneAt == null);
    }

    @Override
    public void discard(List<Garbage> discarded) {
        for (Garbage garbage : discarded) {
            CopyName name = new CopyName(garbage.blob(), garbage.account());
            if (isKnown(garbage.blob(), garbage.account())) {
                continue;
            }
            if (blobs.containsKey(garbage.blob()) || copies.containsKey(name)) {
                leaveBehind(name, garbage.sizeBytes(), garbage.queuedAt());
            } else {
                BlobState state = new BlobState(new Slice(garbage.blob(), garbage.account(), 0, garbage.sizeBytes()));
                state.queuedAt = garbage.queuedAt();
                blobs.put(garbage.blob(), state);
            }
        }
    }

    private void leaveBehind(CopyName name, long sizeBytes, Instant queuedAt) {
        CopyState copy = new CopyState(sizeBytes);
        copy.queuedAt = queuedAt;
        copies.put(name, copy);
    }

    /** Of each account all at once, so that an engine's pages are compared put together. */
    @Override
    public LiveBlobs liveBlobs(String account, BlobId after, int limit) {
        List<LiveBlobs.LiveBlob> live = blobs.values().stream()
                .filter(blob -> blob.livesIn(account))
                .map(blob -> new LiveBlobs.LiveBlob(blob.whole.blob(), blob.whole.lengthBytes()))
                .sorted(Comparator.comparing(LiveBlobs.LiveBlob::blob))
                .filter(blob -> after == null || blob.blob().compareTo(after) > 0)
                .toList();
        List<LiveBlobs.LiveBlob> page = live.subList(0, Math.min(limit, live.size()));
        return new LiveBlobs(
                page, page.size() < live.size() ? Optional.of(page.getLast().blob()) : Optional.empty());
    }

    @Override
    public List<BlobMove> beginMoves(List<BlobMove> moves, Instant now) {
        Instant goneBefore = millis(released(now)).minus(MOVE_BACK_AFTER);
        List<BlobMove> recorded = new ArrayList<>();
        for (BlobMove move : moves) {
            BlobState blob = blobs.get(move.blob());
            if (blob == null || !blob.livesIn(move.from())) {
                continue;
            }
            CopyName name = new CopyName(move.blob(), move.to());
            CopyState copy = copies.get(name);
            long size = blob.whole.lengthBytes();
            if (copy == null || (copy.goneAt != null && copy.goneAt.isBefore(goneBefore))) {
                copy = new CopyState(size);
                copy.movingFrom = move.from();
                copies.put(name, copy);
            }
            if (move.from().equals(copy.movingFrom)) {
                recorded.add(new BlobMove(move.blob(), move.from(), move.to(), size));
            }
        }
        return recorded;
    }

    @Override
    public List<BlobMove> finishMoves(List<BlobMove> moves, Instant now) {
        List<BlobMove> finished = new ArrayList<>();
        for (BlobMove move : moves) {
            BlobState blob = blobs.get(move.blob());
            CopyName name = new CopyName(move.blob(), move.to());
            CopyState copy = copies.get(name);
            if (copy != null && copy.movingFrom != null) {
                if (blob != null && blob.livesIn(move.from())) {
                    copies.remove(name);
                    blob.account = move.to();
                    leaveBehind(new CopyName(move.blob(), move.from()), copy.sizeBytes, released(now));
                    modes.computeIfPresent(move.from(), (account, mode) -> moved(mode, copy.sizeBytes));
                    if (rebalance.running()
                            && !modes.getOrDefault(move.from(), AccountMode.NONE)
                                    .draining()) {
                        rebalance = new Rebalance(
                                true, rebalance.movedBlobs() + 1, rebalance.movedBytes() + copy.sizeBytes);
                    }
                } else {
                    release(copy, now);
                }
            }
            if (blob != null && blob.livesIn(move.to())) {
                finished.add(move);
            }
        }
        return finished;
    }

    private static AccountMode moved(AccountMode mode, long bytes) {
        return new AccountMode(mode.draining(), mode.readOnly(), mode.movedBlobs() + 1, mode.movedBytes() + bytes);
    }

    private void release(CopyState copy, Instant now) {
        copy.movingFrom = null;
        copy.queuedAt = released(now);
    }

    @Override
    public void abandonMoves(List<BlobMove> moves, Instant now) {
        for (BlobMove move : moves) {
            CopyState copy = copies.get(new CopyName(move.blob(), move.to()));
            if (copy != null && copy.movingFrom != null) {
                release(copy, now);
            }
        }
    }

    @Override
    public List<BlobMove> movesUnderWay(int limit) {
        return copies.entrySet().stream()
                .filter(copy -> copy.getValue().movingFrom != null)
                .map(copy -> new BlobMove(
                        copy.getKey().blob(),
                        copy.getValue().movingFrom,
                        copy.getKey().account(),
                        copy.getValue().sizeBytes))
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized boolean lease(String name, String holder, Instant now, Instant until) {
        Lease held = leases.get(name);
        boolean free = held == null || held.holder.equals(holder) || !now.isBefore(held.until);
        if (free) {
            leases.put(name, new Lease(holder, until));
        }
        return free;
    }

    private record Lease(String holder, Instant until) {}

    @Override
    public Instant oldestRead(String gateway, Instant oldest, Instant now, Instant silentSince) {
        return oldest;
    }

    private final Map<String, Lease> leases = new HashMap<>();

    @Override
    public Map<String, AccountMode> accountModes() {
        return Map.copyOf(modes);
    }

    @Override
    public void setDraining(String account, boolean draining) {
        AccountMode mode = modes.getOrDefault(account, AccountMode.NONE);
        boolean begins = draining && !mode.draining();
        modes.put(
                account,
                new AccountMode(
                        draining, mode.readOnly(), begins ? 0 : mode.movedBlobs(), begins ? 0 : mode.movedBytes()));
        if (!draining) {
            forgetting.remove(account);
            added.computeIfPresent(
                    account, (name, one) -> new AddedAccount(name, one.definition(), one.addedAt(), Optional.empty()));
        }
    }

    @Override
    public void setReadOnly(String account, boolean readOnly) {
        AccountMode mode = modes.getOrDefault(account, AccountMode.NONE);
        modes.put(account, new AccountMode(mode.draining(), readOnly, mode.movedBlobs(), mode.movedBytes()));
    }

    private Rebalance rebalance = new Rebalance(false, 0, 0);
    private final TreeMap<String, AddedAccount> added = new TreeMap<>();
    private final Set<String> forgetting = new HashSet<>();

    @Override
    public Rebalance rebalance() {
        return rebalance;
    }

    @Override
    public void setRebalancing(boolean running) {
        rebalance = running && !rebalance.running()
                ? new Rebalance(true, 0, 0)
                : new Rebalance(running, rebalance.movedBlobs(), rebalance.movedBytes());
    }

    @Override
    public List<AddedAccount> addedAccounts() {
        return List.copyOf(added.values());
    }

    @Override
    public boolean addAccount(String name, String definition, Instant now) {
        if (added.size() < AddedAccount.MAX) {
            added.putIfAbsent(name, new AddedAccount(name, definition, millis(now), Optional.empty()));
        }
        return added.containsKey(name) && added.get(name).definition().equals(definition);
    }

    @Override
    public AccountRemoval removeAccount(String name, boolean forgetGarbage, Instant now) {
        AddedAccount account = added.get(name);
        AccountUsage usage = accountUsage().getOrDefault(name, AccountUsage.NONE);
        if (account == null) {
            return forgetGarbage ? forgetOfUnknown(name, usage) : AccountRemoval.UNKNOWN;
        }
        if (!modes.getOrDefault(name, AccountMode.NONE).draining()) {
            return AccountRemoval.NOT_DRAINING;
        }
        boolean forgets = forgetGarbage || forgetting.contains(name);
        if (usage.blobs() > 0 || (usage.garbageBlobs() > 0 && !forgets)) {
            return AccountRemoval.NOT_EMPTY;
        }
        if (forgetGarbage) {
            forgetting.add(name);
        }
        if (account.removingSince().isEmpty()) {
            added.put(name, new AddedAccount(name, account.definition(), account.addedAt(), Optional.of(millis(now))));
            return AccountRemoval.PENDING;
        }
        Instant settled = account.removingSince().get().plus(AccountRemoval.SETTLE);
        if (now.isBefore(settled)
                || intents.values().stream()
                        .filter(state -> !forgets || !state.taken())
                        .anyMatch(state -> !state.intent().openedAt().isAfter(settled))) {
            return AccountRemoval.PENDING;
        }
        if (usage.garbageBlobs() > 0) {
            return forget(name, Instant.MAX) > 0 ? AccountRemoval.FORGETTING : AccountRemoval.PENDING;
        }
        added.remove(name);
        modes.remove(name);
        forgetting.remove(name);
        return AccountRemoval.REMOVED;
    }

    private AccountRemoval forgetOfUnknown(String name, AccountUsage usage) {
        Instant before = intents.values().stream()
                .filter(state -> !state.taken())
                .map(state -> state.intent().openedAt())
                .min(Comparator.naturalOrder())
                .orElse(Instant.MAX);
        if (usage.blobs() > 0) {
            return AccountRemoval.NOT_EMPTY;
        }
        if (usage.garbageBlobs() > 0) {
            return forget(name, before) > 0 ? AccountRemoval.FORGETTING : AccountRemoval.PENDING;
        }
        return modes.remove(name) == null ? AccountRemoval.UNKNOWN : AccountRemoval.REMOVED;
    }

    private int forget(String account, Instant queuedBefore) {
        List<BlobId> forgotten = garbage(account)
                .filter(garbage -> garbage.queuedAt().isBefore(queuedBefore))
                .map(Garbage::blob)
                .toList();
        garbageDeleted(account, forgotten);
        return forgotten.size();
    }

    /** Looks at all that refers to blobs; what nothing refers to any more is garbage from {@code now} on. */
    private void recount(Instant now) {
        Map<BlobId, Long> counts = new HashMap<>();
        for (ManifestState manifest : manifests.values()) {
            manifest.slices.forEach(slice -> counts.merge(slice.slice().blob(), 1L, Long::sum));
        }
        for (UploadState upload : uploads.values()) {
            for (PartState part : upload.parts.values()) {
                part.slices.forEach(slice -> counts.merge(slice.blob(), 1L, Long::sum));
            }
        }
        List<String> used = new ArrayList<>();
        for (BucketState bucket : buckets.values()) {
            for (Current current : bucket.objects.values()) {
                switch (current.version.manifest()) {
                    case Manifest.Inline(Optional<Slice> slice) ->
                        slice.ifPresent(one -> counts.merge(one.blob(), 1L, Long::sum));
                    case Manifest.Stored(String id, int parts) -> used.add(id);
                }
            }
        }
        manifests.forEach((id, manifest) -> {
            if (manifest.orphanedAt == null && !used.contains(id.toString())) {
                manifest.orphanedAt = now;
            }
        });
        blobs.forEach((id, blob) -> {
            long count = counts.getOrDefault(id, 0L);
            if (count < blob.references && now.isAfter(blob.releasedAt)) {
                blob.releasedAt = now;
            }
            if (count == 0 && blob.queuedAt == null) {
                blob.queuedAt = blob.releasedAt.isAfter(now) ? blob.releasedAt : now;
            }
            blob.references = count;
        });
    }

    @Override
    public List<Garbage> dueGarbage(String account, Instant queuedBefore, int limit) {
        for (Map.Entry<Integer, ManifestState> entry : List.copyOf(manifests.entrySet())) {
            Instant orphanedAt = entry.getValue().orphanedAt;
            if (orphanedAt != null && orphanedAt.isBefore(queuedBefore)) {
                manifests.remove(entry.getKey());
                recount(orphanedAt);
            }
        }
        return garbage(account)
                .filter(garbage -> garbage.queuedAt().isBefore(queuedBefore))
                .limit(limit)
                .toList();
    }

    private static final Comparator<Garbage> QUEUED = Comparator.comparing(Garbage::queuedAt)
            .thenComparing(garbage -> garbage.blob().createdAt())
            .thenComparing(Garbage::blob);

    private Stream<Garbage> garbage(String account) {
        Stream<Garbage> dead = blobs.values().stream()
                .filter(blob -> blob.queuedAt != null && blob.account.equals(account))
                .map(blob -> new Garbage(blob.whole.blob(), account, blob.whole.lengthBytes(), millis(blob.queuedAt)));
        Stream<Garbage> left = copies.entrySet().stream()
                .filter(copy ->
                        copy.getValue().isGarbage() && copy.getKey().account().equals(account))
                .map(copy -> new Garbage(
                        copy.getKey().blob(), account, copy.getValue().sizeBytes, millis(copy.getValue().queuedAt)));
        return Stream.concat(dead, left).sorted(QUEUED);
    }

    @Override
    public List<Garbage> garbage(String account, Garbage after, int limit) {
        return garbage(account)
                .filter(garbage -> after == null || QUEUED.compare(garbage, after) > 0)
                .limit(limit)
                .toList();
    }

    @Override
    public List<BucketName> bucketNames(String after, int limit) {
        return buckets.keySet().stream()
                .filter(name -> name.value().compareTo(after) > 0)
                .limit(limit)
                .toList();
    }

    /** Nothing is recorded that could differ from what is counted. */
    @Override
    public long audit(Consumer<Discrepancy> found) {
        return 0;
    }

    @Override
    public boolean correct(long audit, List<Discrepancy.Correctable> wrong, Instant now) {
        return wrong.isEmpty();
    }

    @Override
    public void backup(Instant now, OutputStream out) {
        throw new UnsupportedOperationException("a model has no rows");
    }

    @Override
    public void holders(Collection<BlobId> wanted, Consumer<Holder> found) {
        buckets.forEach((name, bucket) -> bucket.objects.forEach((key, current) -> {
            for (ManifestSlice slice : slices(current.version.manifest())) {
                if (wanted.contains(slice.slice().blob())) {
                    found.accept(new Holder.OfVersion(
                            name, key, current.version.writeId(), slice.objectOffsetBytes(), located(slice.slice())));
                }
            }
        }));
        for (UploadState upload : uploads.values()) {
            for (PartState part : upload.parts.values()) {
                for (Slice slice : part.slices) {
                    if (wanted.contains(slice.blob())) {
                        found.accept(new Holder.OfPart(
                                upload.upload.bucket(),
                                upload.upload.key(),
                                upload.upload.id(),
                                part.part.number(),
                                located(slice)));
                    }
                }
            }
        }
    }

    @Override
    public void garbageDeleted(String account, List<BlobId> deleted) {
        for (BlobId blob : deleted) {
            BlobState state = blobs.get(blob);
            CopyState copy = copies.get(new CopyName(blob, account));
            if (state != null && state.queuedAt != null && state.account.equals(account)) {
                blobs.remove(blob);
            } else if (copy != null && copy.isGarbage()) {
                copy.goneAt = millis(clock.instant());
            }
        }
    }

    @Override
    public Map<String, AccountUsage> accountUsage() {
        Map<String, AccountUsage> usage = new HashMap<>();
        for (BlobState blob : blobs.values()) {
            long size = blob.whole.lengthBytes();
            add(
                    usage,
                    blob.account,
                    blob.queuedAt == null ? new AccountUsage(1, size, 0, 0) : new AccountUsage(0, 0, 1, size));
        }
        copies.forEach((name, copy) -> {
            if (copy.goneAt == null) {
                add(usage, name.account(), new AccountUsage(0, 0, 1, copy.sizeBytes));
            }
        });
        return usage;
    }

    private static void add(Map<String, AccountUsage> usage, String account, AccountUsage one) {
        usage.merge(
                account,
                one,
                (a, b) -> new AccountUsage(
                        a.blobs() + b.blobs(),
                        a.liveBytes() + b.liveBytes(),
                        a.garbageBlobs() + b.garbageBlobs(),
                        a.garbageBytes() + b.garbageBytes()));
    }

    @Override
    public List<AccountShare> shareAccounts(String gateway, List<AccountUse> uses, Duration lasting) {
        return uses.stream().map(AccountShare::alone).toList();
    }

    @Override
    public int forgetCompletedUploads(Instant completedBefore, int limit) {
        List<String> forgotten = completed.entrySet().stream()
                .filter(entry -> entry.getValue().lastModified().isBefore(completedBefore))
                .limit(limit)
                .map(Map.Entry::getKey)
                .toList();
        forgotten.forEach(completed::remove);
        return forgotten.size();
    }

    @Override
    public void ping() {
        // There is nothing that could fail to answer.
    }

    @Override
    public void close() {
        // The collections stay, so that a test can open them again.
    }
}
