package io.headgate.namespace;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.Checksum;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Outcome.Done;
import io.headgate.namespace.Outcome.Refused;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The namespace as plain collections: what engines are compared with. It counts nothing; whether a blob is garbage it finds out after
 * each step by looking at everything that refers to blobs. It never forgets the outcome of a command. One call at a time.
 */
final class ModelNamespace extends ModelUploads {
    ModelNamespace(long minPartBytes, InstantSource clock) {
        super(minPartBytes, clock);
    }

    @Override
    public BucketClaim createBucket(Bucket bucket) {
        Bucket made = new Bucket(
                bucket.name(), bucket.owner(), bucket.location(), millis(bucket.createdAt()), bucket.settings());
        boolean taken = buckets.putIfAbsent(bucket.name(), new BucketState(made, new TreeMap<>())) != null;
        return new BucketClaim(buckets.get(bucket.name()).bucket(), !taken);
    }

    @Override
    public Optional<Bucket> bucket(BucketName name) {
        return Optional.ofNullable(buckets.get(name)).map(BucketState::bucket);
    }

    @Override
    public Outcome<Bucket> changeBucket(BucketName name, BucketSetting setting, Optional<String> document) {
        BucketState state = buckets.get(name);
        if (state == null) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        Bucket changed = state.bucket().with(setting, document);
        buckets.put(name, new BucketState(changed, state.objects()));
        return new Done<>(changed);
    }

    @Override
    public Outcome<Bucket> deleteBucket(BucketName name, Instant now) {
        BucketState bucket = buckets.get(name);
        if (bucket == null) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        if (!bucket.objects().isEmpty()) {
            return new Refused<>(Refusal.BUCKET_NOT_EMPTY);
        }
        List<UploadState> aborted = uploads.values().stream()
                .filter(upload -> upload.upload().bucket().equals(name))
                .toList();
        aborted.forEach(upload -> orphan(upload, now));
        buckets.remove(name);
        recount(released(now));
        return new Done<>(bucket.bucket());
    }

    @Override
    public List<Bucket> listBuckets(BucketQuery query) {
        return buckets.values().stream()
                .map(state -> state.bucket().withSettings(Map.of()))
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
        long bytes = bucket.objects().values().stream()
                .mapToLong(current -> current.version().sizeBytes())
                .sum();
        return new Done<>(new BucketUsage(bucket.objects().size(), bytes));
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
        Current current = bucket.objects().get(command.key());
        boolean superseded = current != null
                && current.attempt().isPresent()
                && command.attempt().isPresent()
                && current.attempt()
                        .get()
                        .invocation()
                        .equals(command.attempt().get().invocation())
                && current.attempt().get().number() > command.attempt().get().number();
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
        bucket.objects().put(command.key(), new Current(version, command.attempt()));
        return new Done<>(version);
    }

    @Override
    public Outcome<ObjectVersion> currentVersion(BucketName bucket, ObjectKey key) {
        BucketState state = buckets.get(bucket);
        if (state == null) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        Current current = state.objects().get(key);
        return current == null ? new Refused<>(Refusal.NO_SUCH_KEY) : new Done<>(located(current.version()));
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
        Optional<Refusal> refusal =
                command.condition().check(etag(bucket.objects().get(command.key())));
        return refusal.<Outcome<Boolean>>map(Refused::new)
                .orElseGet(() -> new Done<>(bucket.objects().remove(command.key()) != null));
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
        Optional<Refusal> refusal =
                command.condition().check(etag(bucket.objects().get(command.key())));
        if (refusal.isPresent()) {
            return new Refused<>(refusal.get());
        }
        ObjectVersion version = command.version(source);
        bucket.objects().put(command.key(), new Current(version, Optional.empty()));
        writes.put(command.writeId(), new Done<>(version));
        recount(released(command.now()));
        return new Done<>(version);
    }

    @Override
    public Outcome<ObjectPage> listObjects(ObjectQuery query) {
        BucketState bucket = buckets.get(query.bucket());
        if (bucket == null) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        List<ObjectPage.Entry> entries = new ArrayList<>();
        String last = "";
        for (Map.Entry<ObjectKey, Current> entry : bucket.objects().entrySet()) {
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
                            ? new ObjectPage.Entry.Current(
                                    listed(entry.getValue().version()))
                            : new ObjectPage.Entry.CommonPrefix(rolledUp));
            last = name;
        }
        return new Done<>(new ObjectPage(entries, false, last));
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

    @Override
    public List<BucketName> bucketNames(String after, int limit) {
        return buckets.keySet().stream()
                .filter(name -> name.value().compareTo(after) > 0)
                .limit(limit)
                .toList();
    }

    @Override
    public void holders(Collection<BlobId> wanted, Consumer<Holder> found) {
        buckets.forEach((name, bucket) -> bucket.objects().forEach((key, current) -> {
            for (ManifestSlice slice : slices(current.version().manifest())) {
                if (wanted.contains(slice.slice().blob())) {
                    found.accept(new Holder.OfVersion(
                            name, key, current.version().writeId(), slice.objectOffsetBytes(), located(slice.slice())));
                }
            }
        }));
        for (UploadState upload : uploads.values()) {
            for (PartState part : upload.parts().values()) {
                for (Slice slice : part.slices()) {
                    if (wanted.contains(slice.blob())) {
                        found.accept(new Holder.OfPart(
                                upload.upload().bucket(),
                                upload.upload().key(),
                                upload.upload().id(),
                                part.part().number(),
                                located(slice)));
                    }
                }
            }
        }
    }
}
