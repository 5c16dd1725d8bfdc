package io.headgate.namespace;

import io.headgate.domain.BucketName;
import io.headgate.domain.ByteRange;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Outcome.Done;
import io.headgate.namespace.Outcome.Refused;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The part of {@link ModelNamespace} that concerns multipart uploads. */
abstract class ModelUploads extends ModelAccounts {
    ModelUploads(long minPartBytes, InstantSource clock) {
        super(minPartBytes, clock);
    }

    @Override
    public Outcome<Upload> createUpload(Upload upload) {
        if (!buckets.containsKey(upload.bucket())) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        uploads.putIfAbsent(upload.id(), new UploadState(upload, new TreeMap<>()));
        return upload(upload.bucket(), upload.key(), upload.id());
    }

    Outcome<UploadState> find(BucketName bucket, ObjectKey key, String id) {
        if (!buckets.containsKey(bucket)) {
            return new Refused<>(Refusal.NO_SUCH_BUCKET);
        }
        UploadState found = uploads.get(id);
        boolean matches = found != null
                && found.upload().bucket().equals(bucket)
                && found.upload().key().equals(key);
        return matches ? new Done<>(found) : new Refused<>(Refusal.NO_SUCH_UPLOAD);
    }

    @Override
    public Outcome<Upload> upload(BucketName bucket, ObjectKey key, String uploadId) {
        return switch (find(bucket, key, uploadId)) {
            case Done<UploadState>(UploadState state) -> new Done<>(state.upload());
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

    Outcome<Part> decide(PutPart command) {
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
        upload.parts()
                .put(part.number(), new PartState(part, command.blob().stream().toList()));
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
        upload.parts().put(part.number(), new PartState(part, cut(source.manifest(), range.get())));
        recount(released(command.now()));
        return new Done<>(part);
    }

    List<Slice> cut(Manifest manifest, ByteRange.Resolved range) {
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
        upload.parts().forEach((number, part) -> uploaded.put(number, part.part()));
        Outcome<MultipartRules.Whole> checked =
                rules.complete(command, upload.upload().checksum(), uploaded);
        if (!(checked instanceof Done<MultipartRules.Whole>(MultipartRules.Whole whole))) {
            return new Refused<>(((Refused<MultipartRules.Whole>) checked).reason());
        }
        TreeMap<ObjectKey, Current> objects = buckets.get(command.bucket()).objects();
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
                upload.upload().attributes(),
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

    int add(UploadState upload, Collection<Part> parts) {
        ManifestState manifest = new ManifestState();
        long offset = 0;
        for (Part part : parts) {
            manifest.parts.add(new ManifestPart(part.number(), offset, part.sizeBytes(), part.checksum()));
            for (Slice slice : upload.parts().get(part.number()).slices()) {
                manifest.slices.add(new ManifestSlice(offset, slice));
                offset += slice.lengthBytes();
            }
        }
        manifests.put(++manifestsMade, manifest);
        return manifestsMade;
    }

    /** An aborted upload lives on as a manifest that nothing refers to. */
    void orphan(UploadState upload, Instant now) {
        add(upload, upload.parts().values().stream().map(PartState::part).toList());
        manifests.get(manifestsMade).orphanedAt = released(now);
        uploads.remove(upload.upload().id());
    }

    @Override
    public Outcome<Upload> abortUpload(BucketName bucket, ObjectKey key, String uploadId, Instant now) {
        return switch (find(bucket, key, uploadId)) {
            case Done<UploadState>(UploadState state) -> {
                orphan(state, now);
                recount(released(now));
                yield new Done<>(state.upload());
            }
            case Refused<UploadState>(Refusal reason, String detail) -> new Refused<>(reason);
        };
    }

    @Override
    public Outcome<PartsPage> listParts(BucketName bucket, ObjectKey key, String uploadId, int afterNumber, int limit) {
        return switch (find(bucket, key, uploadId)) {
            case Done<UploadState>(UploadState state) -> {
                List<Part> rest = state.parts().tailMap(afterNumber, false).values().stream()
                        .map(PartState::part)
                        .toList();
                yield new Done<>(new PartsPage(
                        state.upload(),
                        rest.subList(0, Math.min(limit, rest.size())),
                        limit > 0 && rest.size() > limit));
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

    static boolean comesAfter(Upload upload, UploadQuery query, List<Upload> ordered) {
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
    public int forgetCompletedUploads(Instant completedBefore, int limit) {
        List<String> forgotten = completed.entrySet().stream()
                .filter(entry -> entry.getValue().lastModified().isBefore(completedBefore))
                .limit(limit)
                .map(Map.Entry::getKey)
                .toList();
        forgotten.forEach(completed::remove);
        return forgotten.size();
    }
}
