package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.Slice;
import io.headgate.namespace.AccountMode;
import io.headgate.namespace.AddedAccount;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Intent;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ManifestPart;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Rebalance;
import io.headgate.namespace.Upload;
import io.headgate.namespace.codec.Backup;
import io.headgate.namespace.codec.Codec;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Writes a backup: rows as of the time at which each was read. So that they fit together, who refers to what is counted from what was written, and
 * nothing is written to which nothing written refers, but for what was garbage. Of one backup, for one thread.
 */
final class Backups {
    static final String ENGINE = "redis";

    private static final int PARTS_A_PAGE = 1_000;
    private static final int SLOTS_AT_ONCE = 1_024;

    /** Facts of blobs: that somebody refers to it, what is recorded, copies; of manifests: that a version has it, since when it is queued. */
    private static final char REFERENCE = 'a';

    private static final char RECORD = 'b';
    private static final char COPY = 'c';
    private static final char QUEUED = 'd';
    private static final byte[] NO_NAME = new byte[16];

    private final Cluster cluster;
    private final Walk walk;
    private final SlotsInUse slots;
    private final AccountNumbers accounts;
    private final Manifests manifests;
    private final UploadReads uploads;
    private final Buckets buckets;
    private final Intents intents;
    private final Fleet fleet;
    private final AddedAccounts added;
    /** So that two manifests that meet in one backup do not meet in the next. */
    private final long salt;

    private final Map<BucketName, Long> bucketNumbers = new LinkedHashMap<>();
    private final Map<String, long[]> accountSums = new HashMap<>();
    private long uploadNumber;

    Backups(
            Cluster cluster,
            Walk walk,
            SlotsInUse slots,
            AccountNumbers accounts,
            Manifests manifests,
            UploadReads uploads,
            Buckets buckets,
            Intents intents,
            Fleet fleet,
            AddedAccounts added,
            RandomGenerator random) {
        this.cluster = cluster;
        this.walk = walk;
        this.slots = slots;
        this.accounts = accounts;
        this.manifests = manifests;
        this.uploads = uploads;
        this.buckets = buckets;
        this.intents = intents;
        this.fleet = fleet;
        this.added = added;
        this.salt = random.nextLong();
    }

    void write(String namespaceId, Instant now, OutputStream out) throws IOException {
        Backup.Header header = new Backup.Header(ENGINE, namespaceId, now);
        BackupRows rows = new BackupRows(out, header);
        out.flush(); // whoever waits for it sees that it has begun
        try (BackupRows.Waiting waiting = new BackupRows.Waiting(header);
                Facts ofManifests = new Facts();
                Facts ofBlobs = new Facts()) {
            rows.row(BackupTable.SETTINGS, BackupTable.NAMESPACE_ID, namespaceId);
            fleet(rows);
            buckets(rows);
            uploads(rows, waiting.rows(), ofBlobs, now);
            for (Map.Entry<BucketName, Long> bucket : bucketNumbers.entrySet()) {
                versions(bucket.getKey(), bucket.getValue(), rows, waiting.rows(), ofManifests, ofBlobs);
            }
            eachSlot(rows, slot -> queuedManifests(slot, ofManifests));
            ofManifests.each((subject, facts) -> manifest(subject, facts, rows, waiting.rows(), ofBlobs));
            eachSlot(rows, slot -> recorded(slot, ofBlobs));
            ofBlobs.each((subject, facts) -> blob(subject, facts, rows, waiting.rows()));
            accountSums.forEach((account, sums) ->
                    rows.row(BackupTable.ACCOUNT_USAGE, account, sums[0], sums[1], sums[2], sums[3]));
            waiting.moveTo(rows);
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
        rows.end();
    }

    private void eachSlot(BackupRows rows, Function<Integer, Boolean> work) {
        List<Integer> all = slots.all();
        for (int from = 0; from < all.size(); from += SLOTS_AT_ONCE) {
            cluster.each(all.subList(from, Math.min(all.size(), from + SLOTS_AT_ONCE)), work);
            rows.stillLooking();
        }
    }

    // What is not of buckets

    private void fleet(BackupRows rows) {
        for (Map.Entry<String, AccountMode> mode : fleet.modes().entrySet()) {
            AccountMode of = mode.getValue();
            rows.row(
                    BackupTable.ACCOUNT_MODES,
                    mode.getKey(),
                    of.draining(),
                    of.readOnly(),
                    of.movedBlobs(),
                    of.movedBytes());
        }
        for (AddedAccount account : added.all()) {
            rows.row(
                    BackupTable.ADDED_ACCOUNTS,
                    account.name(),
                    account.definition(),
                    account.addedAt().toEpochMilli(),
                    account.removingSince().map(Instant::toEpochMilli).orElse(null),
                    added.forgetsGarbage(account.name()));
        }
        Rebalance rebalance = fleet.rebalance();
        rows.row(BackupTable.REBALANCE, 1, rebalance.running(), rebalance.movedBlobs(), rebalance.movedBytes());
        Set<Long> standing = new HashSet<>();
        intents.standing().forEach(intent -> standing.add(intent.id()));
        for (Intent intent : intents.all()) {
            rows.row(
                    BackupTable.INTENTS,
                    intent.id(),
                    intent.gateway(),
                    intent.openedAt().toEpochMilli(),
                    intent.lastStampAt().toEpochMilli(),
                    intent.expiresAt().toEpochMilli(),
                    !standing.contains(intent.id()));
        }
    }

    private void buckets(BackupRows rows) {
        walk.buckets(name -> {
            RangeMap map = buckets.load(name);
            if (map != null && !bucketNumbers.containsKey(name)) {
                Bucket bucket = map.bucket();
                if (map.hashed()) {
                    rows.row(
                            BackupTable.SETTINGS,
                            BackupTable.HASHED + name.value(),
                            Integer.toString(map.all().size()));
                }
                long number = bucketNumbers.size() + 1L;
                bucketNumbers.put(name, number);
                rows.row(
                        BackupTable.BUCKETS,
                        number,
                        name.value(),
                        bucket.owner(),
                        bucket.location(),
                        bucket.createdAt().toEpochMilli(),
                        Codec.settings(bucket.settings()));
            }
        });
    }

    // Uploads

    private void uploads(BackupRows out, BackupRows rows, Facts ofBlobs, Instant now) {
        Map<String, Long> aborted = new HashMap<>();
        for (int slot : slots.all()) {
            walk.members(
                    Orphans.key(slot),
                    orphan -> Orphans.upload(orphan)
                            .ifPresent(id -> aborted.put(id, StoredVersion.get6(ByteBuffer.wrap(orphan)))));
        }
        Set<String> seen = new HashSet<>(); // a key may be met twice
        walk.named('U', id -> {
            out.stillLooking();
            if (seen.add(id)) {
                UploadReads.Found found = uploads.read(id, 0, 0);
                switch (found == null ? ' ' : found.state()) {
                    case 'o', 'c' ->
                        open(java.util.Objects.requireNonNull(found).upload(), rows, ofBlobs);
                    case 'd' -> completed(java.util.Objects.requireNonNull(found), rows);
                    case 'x' -> {
                        long number = ++uploadNumber;
                        long since = aborted.getOrDefault(id, now.toEpochMilli());
                        rows.row(BackupTable.ORPHANS, since, BackupTable.ORPHAN_UPLOAD, number);
                        parts(id, number, rows, ofBlobs);
                    }
                    default -> {
                        // it is gone
                    }
                }
            }
        });
    }

    private void open(Upload upload, BackupRows rows, Facts ofBlobs) {
        Long bucket = bucketNumbers.get(upload.bucket());
        if (bucket == null) {
            return;
        }
        long number = ++uploadNumber;
        rows.row(
                BackupTable.UPLOADS,
                number,
                upload.id(),
                bucket,
                upload.key().bytes(),
                upload.startedAt().toEpochMilli(),
                upload.owner(),
                Codec.storageClass(upload.attributes().storageClass()),
                Codec.checksumKind(upload.checksum()),
                Codec.details(upload.attributes(), List.of()));
        parts(upload.id(), number, rows, ofBlobs);
    }

    private void parts(String id, long number, BackupRows rows, Facts ofBlobs) {
        Optional<UploadReads.Found> unused =
                uploads.each(id, page -> page.parts().forEach(part -> part(number, part, rows, ofBlobs)));
    }

    private void part(long upload, StoredPart stored, BackupRows rows, Facts ofBlobs) {
        rows.row(
                BackupTable.PARTS,
                upload,
                stored.part().number(),
                stored.part().sizeBytes(),
                stored.part().etag().value(),
                Codec.checksum(stored.part().checksum()),
                stored.part().lastModified().toEpochMilli());
        long offset = 0;
        for (HeldSlice slice : stored.slices()) {
            rows.row(
                    BackupTable.PART_SLICES,
                    upload,
                    stored.part().number(),
                    offset,
                    Codec.blobId(slice.blob()),
                    slice.offsetBytes(),
                    slice.lengthBytes());
            offset += slice.lengthBytes();
            ofBlobs.add(Look.subject(slice.blob()), REFERENCE, NO_NAME, 0);
        }
    }

    private void completed(UploadReads.Found found, BackupRows rows) {
        Ending ending = Ending.read(found.ending());
        ObjectVersion version = ending.version(found.upload().key());
        rows.row(
                BackupTable.COMPLETED_UPLOADS,
                found.upload().id(),
                found.upload().bucket().value(),
                found.upload().key().bytes(),
                version.lastModified().toEpochMilli(),
                Codec.snapshot(numbered(version)));
    }

    /** With the manifest's number for its id. */
    private ObjectVersion numbered(ObjectVersion version) {
        return version.manifest() instanceof Manifest.Stored(String id, int parts)
                ? new ObjectVersion(
                        version.key(),
                        version.writeId(),
                        version.lastModified(),
                        version.sizeBytes(),
                        version.etag(),
                        version.attributes(),
                        version.checksums(),
                        new Manifest.Stored(Long.toString(number(Look.manifest(id))), parts))
                : version;
    }

    /** Of a manifest: 62 bits, so that numbers are left for new ones. */
    private long number(Facts.Subject manifest) {
        long mixed = (manifest.high() ^ salt) * 0x9E3779B97F4A7C15L + manifest.low();
        mixed = (mixed ^ mixed >>> 32) * 0xD6E8FEB86659FD93L;
        return ((mixed ^ mixed >>> 32) >>> 2) + 1;
    }

    // Versions and manifests

    private void versions(
            BucketName name, long number, BackupRows rows, BackupRows waiting, Facts ofManifests, Facts ofBlobs) {
        long[] usage = new long[2];
        walk.versions(
                name,
                (key, record) -> {
                    usage[0]++;
                    usage[1] += StoredVersion.sizeBytes(record);
                    rows.stillLooking();
                    version(number, key, record, waiting, ofManifests, ofBlobs);
                },
                null);
        rows.row(BackupTable.BUCKET_USAGE, number, usage[0], usage[1]);
    }

    private void version(
            long bucket, byte[] key, ByteBuffer record, BackupRows rows, Facts ofManifests, Facts ofBlobs) {
        StoredVersion.Written written = StoredVersion.written(record);
        ObjectVersion version = StoredVersion.read(Groups.key(key), record, "");
        Slice slice = null;
        Manifest.Stored stored = null;
        switch (version.manifest()) {
            case Manifest.Inline(Optional<Slice> inline) -> {
                if (inline.isPresent()) {
                    slice = inline.get();
                    ofBlobs.add(Look.subject(slice.blob()), REFERENCE, NO_NAME, 0);
                }
            }
            case Manifest.Stored many -> {
                stored = many;
                ofManifests.add(Look.manifest(many.id()), REFERENCE, NO_NAME, 0);
            }
        }
        rows.row(
                BackupTable.OBJECTS,
                bucket,
                version.key().bytes(),
                version.lastModified().toEpochMilli(),
                version.sizeBytes(),
                version.etag().value(),
                Codec.storageClass(version.attributes().storageClass()),
                Codec.checksumKind(version.checksums()),
                Codec.writeId(version.writeId()),
                written.origin().code(),
                written.attemptNumber() == 0 ? null : written.attemptHash(),
                written.attemptNumber() == 0 ? null : written.attemptNumber(),
                slice == null ? null : Codec.blobId(slice.blob()),
                slice == null ? null : slice.offsetBytes(),
                slice == null ? null : slice.lengthBytes(),
                stored == null ? null : number(Look.manifest(stored.id())),
                stored == null ? null : stored.parts(),
                Codec.details(version.attributes(), version.checksums()));
    }

    private boolean queuedManifests(int slot, Facts facts) {
        walk.members(
                Orphans.key(slot),
                orphan -> Orphans.manifest(orphan)
                        .ifPresent(id -> facts.add(
                                Look.manifest(id), QUEUED, NO_NAME, StoredVersion.get6(ByteBuffer.wrap(orphan)))));
        return true;
    }

    private void manifest(
            Facts.Subject subject, List<Facts.Fact> facts, BackupRows rows, BackupRows waiting, Facts ofBlobs) {
        long number = number(subject);
        String id = Audit.name(subject);
        long references =
                facts.stream().filter(fact -> fact.kind() == REFERENCE).count();
        rows.row(BackupTable.MANIFESTS, number, references);
        if (references == 0) {
            waiting.row(BackupTable.ORPHANS, facts.getFirst().number(), BackupTable.ORPHAN_MANIFEST, number);
        }
        manifests.each(id, placed -> {
            waiting.row(
                    BackupTable.MANIFEST_SLICES,
                    number,
                    placed.objectOffsetBytes(),
                    Codec.blobId(placed.slice().blob()),
                    placed.slice().offsetBytes(),
                    placed.slice().lengthBytes());
            ofBlobs.add(Look.subject(placed.slice().blob()), REFERENCE, NO_NAME, 0);
        });
        int after = 0;
        List<ManifestPart> page;
        do {
            page = manifests.parts(id, after, PARTS_A_PAGE);
            for (ManifestPart part : page) {
                waiting.row(
                        BackupTable.MANIFEST_PARTS,
                        number,
                        part.number(),
                        part.offsetBytes(),
                        part.sizeBytes(),
                        Codec.checksum(part.checksum()));
                after = part.number();
            }
        } while (page.size() == PARTS_A_PAGE);
    }

    // Blobs

    /** Copies first: a move that ends in between shows in the blob. */
    private boolean recorded(int slot, Facts facts) {
        walk.fields(SlotKeys.key(slot, "c")).forEach((field, copy) -> {
            byte[] key = field.getBytes(ISO_8859_1);
            byte[] name = new byte[16];
            System.arraycopy(key, 0, name, 0, 2);
            System.arraycopy(copy, 0, name, 2, 3);
            System.arraycopy(copy, 8, name, 5, 6);
            facts.add(Look.subject(Blobs.decoded(key, 2)), COPY, name, Moves.size(ByteBuffer.wrap(copy)));
        });
        walk.groups(SlotKeys.key(slot, "B"), (id, blob) -> {
            byte[] name = new byte[16];
            name[0] = Blobs.state(blob);
            name[1] = blob.get(0);
            name[2] = blob.get(1);
            byte[] rest = new byte[blob.remaining() - Blobs.RECORD_BYTES];
            blob.get(Blobs.RECORD_BYTES, rest);
            System.arraycopy(rest, 0, name, 3, Math.min(6, rest.length));
            if (rest.length > 6) {
                String refusal = new String(rest, 6, rest.length - 6, US_ASCII);
                name[9] = (byte) (1 + Integer.parseInt(refusal));
            }
            facts.add(Look.subject(Blobs.decoded(id, 0)), RECORD, name, Blobs.size(blob));
        });
        return true;
    }

    private void blob(Facts.Subject subject, List<Facts.Fact> facts, BackupRows rows, BackupRows waiting) {
        Facts.Fact record =
                facts.stream().filter(fact -> fact.kind() == RECORD).findFirst().orElse(null);
        String lives = "";
        BlobId blob = StoredVersion.blobId(subject.id());
        if (record != null) {
            long references =
                    facts.stream().filter(fact -> fact.kind() == REFERENCE).count();
            boolean garbage = record.name()[0] == 'g';
            if (references > 0 || garbage) {
                ByteBuffer name = ByteBuffer.wrap(record.name());
                lives = accounts.name(name.getShort(1) & 0xFFFF);
                Long since = null;
                if (record.name()[0] != 'o') {
                    since = StoredVersion.get6(name.position(3));
                }
                boolean refused = references == 0 && record.name()[9] > 0;
                rows.row(
                        BackupTable.BLOBS,
                        Codec.blobId(blob),
                        lives,
                        record.number(),
                        references,
                        since,
                        refused ? record.name()[9] - 1 : null);
                count(lives, references > 0 ? 0 : 2, record.number());
            }
        }
        for (Facts.Fact copy : facts) {
            if (copy.kind() == COPY) {
                copy(blob, copy, lives, waiting);
            }
        }
    }

    private void count(String account, int kind, long bytes) {
        long[] sums = accountSums.computeIfAbsent(account, _ -> new long[4]);
        sums[kind]++;
        sums[kind + 1] += bytes;
    }

    private void copy(BlobId blob, Facts.Fact copy, String lives, BackupRows rows) {
        ByteBuffer name = ByteBuffer.wrap(copy.name());
        String account = accounts.name(name.getShort(0) & 0xFFFF);
        if (account.equals(lives)) {
            return; // the blob has moved there since, or from there
        }
        long time = StoredVersion.get6(name.duplicate().position(5));
        boolean moving = copy.name()[2] == 'm';
        boolean gone = copy.name()[2] == 'x';
        @Nullable String source = moving ? accounts.name(name.getShort(3) & 0xFFFF) : null;
        rows.row(
                BackupTable.COPIES,
                Codec.blobId(blob),
                account,
                copy.number(),
                source,
                moving ? null : time,
                gone ? time : null);
        if (!gone) {
            count(account, 2, copy.number());
        }
    }
}
