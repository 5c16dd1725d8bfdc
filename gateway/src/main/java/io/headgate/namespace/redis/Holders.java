package io.headgate.namespace.redis;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.Slice;
import io.headgate.namespace.Holder;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Upload;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Finds, by reading everything, who needs the bytes of blobs. Uploads come first, as what is in them goes into versions. Of one call, for one
 * thread.
 */
final class Holders {
    private final Walk walk;
    private final UploadReads uploads;
    private final Manifests manifests;
    private final Blobs blobs;
    private final Set<BlobId> wanted;
    private final Map<BlobId, String> accounts = new HashMap<>();
    private final Consumer<Holder> found;

    Holders(
            Walk walk,
            UploadReads uploads,
            Manifests manifests,
            Blobs blobs,
            Collection<BlobId> wanted,
            Consumer<Holder> found) {
        this.walk = walk;
        this.uploads = uploads;
        this.manifests = manifests;
        this.blobs = blobs;
        this.wanted = Set.copyOf(wanted);
        this.found = found;
    }

    void find() {
        accounts.putAll(blobs.accountsOf(wanted));
        walk.named(
                'U',
                id -> uploads.each(id, page -> {
                    if (page.isInProgress()) {
                        page.parts().forEach(part -> part(page.upload(), part));
                    }
                }));
        walk.buckets(bucket -> walk.versions(bucket, (key, record) -> version(bucket, key, record), null));
    }

    private void part(Upload upload, StoredPart part) {
        part.slices().stream()
                .filter(slice -> wanted.contains(slice.blob()))
                .forEach(slice -> found.accept(new Holder.OfPart(
                        upload.bucket(), upload.key(), upload.id(), part.part().number(), located(slice))));
    }

    private Slice located(HeldSlice slice) {
        return located(new Slice(slice.blob(), "", slice.offsetBytes(), slice.lengthBytes()));
    }

    private Slice located(Slice slice) {
        String account = accounts.getOrDefault(slice.blob(), "");
        return new Slice(slice.blob(), account, slice.offsetBytes(), slice.lengthBytes());
    }

    private void version(BucketName bucket, byte[] key, ByteBuffer record) {
        ObjectVersion version = StoredVersion.read(Groups.key(key), record, "");
        switch (version.manifest()) {
            case Manifest.Inline(Optional<Slice> slice) ->
                slice.filter(one -> wanted.contains(one.blob()))
                        .ifPresent(one -> found.accept(
                                new Holder.OfVersion(bucket, version.key(), version.writeId(), 0, located(one))));
            case Manifest.Stored(String id, int parts) ->
                manifests.each(id, placed -> {
                    if (wanted.contains(placed.slice().blob())) {
                        found.accept(new Holder.OfVersion(
                                bucket,
                                version.key(),
                                version.writeId(),
                                placed.objectOffsetBytes(),
                                located(placed.slice())));
                    }
                });
        }
    }
}
