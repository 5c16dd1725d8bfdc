package io.headgate.namespace.redis;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.Slice;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.codec.Codec;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Optional;
import java.util.function.BiConsumer;

/**
 * Gathers who holds what, and what is recorded of that. Nothing stands still meanwhile, so what is recorded is read twice, before and after
 * the holders: of what is recorded alike both times, nothing came or went in between, as holders have names that are used once.
 *
 * <p>What moves is met where it goes if not where it was: notes are read after the records, holders in uploads before those in manifests,
 * and what is to be released at the end.
 */
final class Look {
    /** What is recorded of a subject: the name begins with its state, the account's number follows, the number is its size. */
    static final char BEFORE = 'a';

    static final char AFTER = 'b';
    /** The name is a holder's. */
    static final char HELD_BEFORE = 'c';

    static final char HELD_AFTER = 'd';
    /** A version or part holds it by the name; the number is where its slice ends. */
    static final char HOLDS = 'e';
    /** Perhaps somebody does: it is being written, or released. */
    static final char MAY_HOLD = 'f';
    /** A manifest is queued to be broken up; the number is since when. */
    static final char QUEUED = 'g';

    private static final byte[] NO_NAME = new byte[16];

    private final Cluster cluster;
    private final Walk walk;
    private final SlotsInUse slots;
    private final Manifests manifests;
    private final UploadReads uploads;
    private final Facts facts;

    Look(Cluster cluster, Walk walk, SlotsInUse slots, Manifests manifests, UploadReads uploads, Facts facts) {
        this.cluster = cluster;
        this.walk = walk;
        this.slots = slots;
        this.manifests = manifests;
        this.uploads = uploads;
        this.facts = facts;
    }

    /** What else a look meets on its way. */
    interface Listener {
        void range(BucketName bucket, Walk.Counted counted);

        /**
         * A version that is current.
         *
         * @param slicesBytes how long its slices are together
         */
        void version(BucketName bucket, ObjectVersion version, long slicesBytes);

        /** An upload that is neither completed nor aborted. */
        void upload(String id, UploadReads.Found upload);
    }

    /** For who wants nothing else. */
    static final Listener NOBODY = new Listener() {
        @Override
        public void range(BucketName bucket, Walk.Counted counted) {}

        @Override
        public void version(BucketName bucket, ObjectVersion version, long slicesBytes) {}

        @Override
        public void upload(String id, UploadReads.Found upload) {}
    };

    static Facts.Subject subject(BlobId blob) {
        return Facts.Subject.of(Facts.BLOB, StoredVersion.bytes(blob));
    }

    static Facts.Subject manifest(String id) {
        return Facts.Subject.of(Facts.MANIFEST, Codec.writeId(id));
    }

    void run(Listener listener) {
        cluster.each(slots.all(), slot -> recorded(slot, BEFORE, HELD_BEFORE));
        walk.namedAtOnce('k', id -> state(id, BEFORE));
        cluster.each(slots.all(), this::notes);
        walk.named('U', id -> upload(id, listener));
        walk.buckets(bucket -> walk.versions(
                bucket,
                (key, record) -> version(bucket, key, record, listener),
                counted -> listener.range(bucket, counted)));
        // Those of versions are known by now; of others it is not known whether anybody is to have them.
        walk.namedAtOnce('k', id -> manifests.each(id, placed -> holds(MAY_HOLD, placed.slice())));
        cluster.each(slots.all(), this::notes);
        walk.namedAtOnce('k', id -> state(id, AFTER));
        cluster.each(slots.all(), slot -> recorded(slot, AFTER, HELD_AFTER));
    }

    private boolean recorded(int slot, char record, char held) {
        walk.groups(SlotKeys.key(slot, "B"), (id, blob) -> {
            byte[] name = new byte[16];
            long size = Blobs.size(blob);
            name[0] = Blobs.state(blob);
            name[1] = blob.get(0);
            name[2] = blob.get(1);
            facts.add(subject(Blobs.decoded(id, 0)), record, name, size);
        });
        walk.members(SlotKeys.key(slot, "h"), member -> {
            int nul = 0;
            while (member[nul] != 0) {
                nul++;
            }
            byte[] id = KeyCodec.decode(member, 0, nul);
            byte[] holder = Arrays.copyOfRange(member, nul + 1, member.length);
            // Which of both it is does not show; nobody has a record of the other.
            Facts.Subject manifest = Facts.Subject.of(Facts.MANIFEST, id);
            facts.add(manifest, held, holder, 0);
            facts.add(
                    new Facts.Subject(Facts.BLOB, Long.rotateRight(manifest.high(), 8), manifest.low()),
                    held,
                    holder,
                    0);
        });
        return true;
    }

    private void state(String id, char record) {
        byte[] state = cluster.command(redis -> redis.get(Manifests.state(id)));
        if (state != null) {
            byte[] name = new byte[16];
            name[0] = state[0];
            facts.add(manifest(id), record, name, 0);
        }
    }

    private boolean notes(int slot) {
        walk.members(
                SlotKeys.key(slot, "q"),
                message -> Messages.each(message, (what, holder) -> {
                    facts.add(what, MAY_HOLD, holder, 0);
                }));
        walk.members(
                Orphans.key(slot),
                orphan -> Orphans.manifest(orphan)
                        .ifPresent(id ->
                                facts.add(manifest(id), QUEUED, NO_NAME, StoredVersion.get6(ByteBuffer.wrap(orphan)))));
        return true;
    }

    private void upload(String id, Listener listener) {
        BiConsumer<Character, StoredPart> hold = (kind, part) -> part.slices().forEach(slice -> holds(kind, slice));
        uploads.each(id, found -> {
                    boolean going = found.state() == 'o' || found.state() == 'c';
                    found.parts().forEach(part -> hold.accept(going ? HOLDS : MAY_HOLD, part));
                })
                .ifPresent(found -> {
                    if (found.state() == 'c') {
                        Ending ending = Ending.read(found.ending());
                        facts.add(manifest(ending.manifest()), MAY_HOLD, Codec.writeId(ending.writeId()), 0);
                    }
                    if (found.isInProgress()) {
                        listener.upload(id, found);
                    }
                });
    }

    private void holds(char kind, HeldSlice slice) {
        facts.add(
                subject(slice.blob()), kind, Codec.writeId(slice.holder()), slice.offsetBytes() + slice.lengthBytes());
    }

    private void version(BucketName bucket, byte[] key, ByteBuffer record, Listener listener) {
        ObjectVersion version = StoredVersion.read(Groups.key(key), record, "");
        byte[] holder = Codec.writeId(version.writeId());
        long slicesBytes = 0;
        switch (version.manifest()) {
            case Manifest.Inline(Optional<Slice> slice) -> {
                if (slice.isPresent()) {
                    long end = slice.get().offsetBytes() + slice.get().lengthBytes();
                    facts.add(subject(slice.get().blob()), HOLDS, holder, end);
                    slicesBytes = slice.get().lengthBytes();
                }
            }
            case Manifest.Stored(String id, int parts) -> {
                facts.add(manifest(id), HOLDS, holder, 0);
                long[] bytes = new long[1];
                manifests.each(id, placed -> {
                    bytes[0] += placed.slice().lengthBytes();
                    holds(HOLDS, placed.slice());
                });
                slicesBytes = bytes[0];
            }
        }
        listener.version(bucket, version, slicesBytes);
    }
}
