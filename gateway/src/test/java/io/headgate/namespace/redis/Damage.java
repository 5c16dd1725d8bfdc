package io.headgate.namespace.redis;

import io.headgate.domain.BlobId;
import io.headgate.domain.Slice;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Upload;
import io.headgate.namespace.codec.Codec;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;

/** Makes faults in a namespace that nobody could make through it. */
final class Damage implements AutoCloseable {
    private static final byte[] NOWHERE = {'x'};

    private final InstantSource clock;
    private final Cluster cluster;
    private final Blobs blobs;
    private final Manifests manifests;
    private final Buckets buckets;

    Damage(RedisOptions options, InstantSource clock) {
        this.clock = clock;
        cluster = new Cluster(options);
        SlotsInUse slots = new SlotsInUse(cluster);
        blobs = new Blobs(cluster, new AccountNumbers(cluster), slots, clock);
        manifests = new Manifests(cluster, blobs, slots);
        buckets = new Buckets(
                cluster,
                slots,
                RandomGenerator.getDefault(),
                new BucketClosing(cluster),
                new RangeMoves(cluster, slots, clock, _ -> {}),
                new RangeHeat(),
                options.timeout(),
                clock);
    }

    /** Gives what the version holds so many more holders that nobody is; -1 takes the version away from it. */
    void miscount(ObjectVersion version, int more) {
        for (int i = 0; i < more; i++) {
            String nobody = UUID.randomUUID().toString();
            switch (version.manifest()) {
                case Manifest.Inline(Optional<Slice> slice) -> {
                    BlobId blob = slice.orElseThrow().blob();
                    blobs.share(blob, version.writeId(), nobody, NOWHERE, clock.instant());
                    blobs.confirm(blob, nobody, NOWHERE, clock.instant());
                }
                case Manifest.Stored(String id, int parts) -> {
                    manifests.share(id, version.writeId(), nobody, NOWHERE, clock.instant());
                    manifests.confirm(id, nobody, NOWHERE, clock.instant());
                }
            }
        }
        if (more < 0) {
            byte[] holder = Codec.writeId(version.writeId());
            byte[] since = blobs.since(clock.instant());
            switch (version.manifest()) {
                case Manifest.Inline(Optional<Slice> slice) ->
                    blobs.release(slice.orElseThrow().blob(), holder, since, Blobs.NOTHING);
                case Manifest.Stored(String id, int parts) -> manifests.release(id, holder, since, Blobs.NOTHING);
            }
        }
    }

    /** As a gateway that dies when it has written the manifest of an upload, and before it seals that. */
    void beginToComplete(Upload upload, String manifest) {
        List<StoredPart> parts =
                new UploadReads(cluster, buckets).read(upload.id(), 0, 10).parts();
        byte[] note = Completions.note(upload.id(), manifest, clock.instant());
        manifests.write(manifest, parts, note);
    }

    /** As a gateway that dies when it has aborted half of an upload. */
    void unlist(Upload upload) {
        byte[] member = StoredUpload.member(upload.key(), upload.startedAt(), upload.id());
        Boolean unused = buckets.inRange(
                upload.bucket(),
                KeyCodec.encode(upload.key().bytes()),
                range -> cluster.command(redis -> redis.zrem(range.uploads(), member)) != null);
    }

    @Override
    public void close() {
        cluster.close();
    }
}
