package io.headgate.namespace;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Outcome.Done;
import io.headgate.namespace.Outcome.Refused;
import java.io.OutputStream;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/** What {@link ModelNamespace} keeps, and what follows from it. */
abstract class ModelState implements Namespace {
    final MultipartRules rules;
    final InstantSource clock;
    final TreeMap<BucketName, BucketState> buckets = new TreeMap<>();
    final TreeMap<String, UploadState> uploads = new TreeMap<>();
    final TreeMap<String, ObjectVersion> completed = new TreeMap<>();
    final TreeMap<Integer, ManifestState> manifests = new TreeMap<>();
    final Map<BlobId, BlobState> blobs = new HashMap<>();
    final Map<String, Outcome<ObjectVersion>> writes = new HashMap<>();
    final Map<BlobId, Outcome<Part>> partWrites = new HashMap<>();
    final TreeMap<Long, IntentState> intents = new TreeMap<>();
    final Map<CopyName, CopyState> copies = new HashMap<>();
    final Map<String, AccountMode> modes = new HashMap<>();
    int manifestsMade;
    long intentsMade;

    ModelState(long minPartBytes, InstantSource clock) {
        this.rules = new MultipartRules(minPartBytes);
        this.clock = clock;
    }

    record BucketState(Bucket bucket, TreeMap<ObjectKey, Current> objects) {}

    record Current(ObjectVersion version, Optional<Attempt> attempt) {}

    record UploadState(Upload upload, TreeMap<Integer, PartState> parts) {}

    record PartState(Part part, List<Slice> slices) {}

    static final class ManifestState {
        final List<ManifestPart> parts = new ArrayList<>();
        final List<ManifestSlice> slices = new ArrayList<>();
        Instant orphanedAt;
    }

    static final class BlobState {
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

    record CopyName(BlobId blob, String account) {}

    static final class CopyState {
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

    record IntentState(Intent intent, boolean taken) {}

    Instant released(Instant commandTime) {
        Instant engineTime = clock.instant();
        return engineTime.isAfter(commandTime) ? engineTime : commandTime;
    }

    static Instant millis(Instant instant) {
        return instant.truncatedTo(ChronoUnit.MILLIS);
    }

    @Override
    public String id() {
        return "model";
    }

    static ETag etag(Current current) {
        return current == null ? null : current.version.etag();
    }

    boolean standing(long intentId, Instant now) {
        IntentState intent = intents.get(intentId);
        return intent != null && !intent.taken && now.isBefore(intent.intent.expiresAt());
    }

    /** The version with its blob where that lives now. */
    ObjectVersion located(ObjectVersion version) {
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

    Slice located(Slice slice) {
        return new Slice(slice.blob(), blobs.get(slice.blob()).account, slice.offsetBytes(), slice.lengthBytes());
    }

    Outcome<ObjectVersion> source(
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

    static String rolledUp(String key, String prefix, String delimiter) {
        int found = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
        return found < 0 ? "" : key.substring(0, found + delimiter.length());
    }

    static boolean isAfter(String name, String after) {
        return after.isEmpty() || new ObjectKey(name).compareTo(new ObjectKey(after)) > 0;
    }

    ManifestState manifest(Manifest.Stored manifest) {
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

    List<ManifestSlice> slices(Manifest manifest) {
        return switch (manifest) {
            case Manifest.Inline(Optional<Slice> slice) ->
                slice.stream().map(one -> new ManifestSlice(0, one)).toList();
            case Manifest.Stored stored -> manifest(stored).slices;
        };
    }

    /** Looks at all that refers to blobs; what nothing refers to any more is garbage from {@code now} on. */
    void recount(Instant now) {
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
    public void ping() {
        // There is nothing that could fail to answer.
    }

    @Override
    public void close() {
        // The collections stay, so that a test can open them again.
    }
}
