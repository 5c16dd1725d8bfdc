package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.Discrepancy;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.random.RandomGenerator;

/**
 * Sets right what an audit found. Who holds what is looked up again, and set right by names: whoever comes or goes meanwhile has another.
 */
final class Corrections {
    /** Holders that are added in one script. */
    private static final int HOLDERS_A_STEP = 500;

    private final Cluster cluster;
    private final Audit audit;
    private final Buckets buckets;
    private final Blobs blobs;
    private final AccountNumbers accounts;
    private final Manifests manifests;
    private final Uploads uploads;
    private final SlotsInUse slots;
    private final RandomGenerator random;

    Corrections(
            Cluster cluster,
            Audit audit,
            Buckets buckets,
            Blobs blobs,
            AccountNumbers accounts,
            Manifests manifests,
            Uploads uploads,
            SlotsInUse slots,
            RandomGenerator random) {
        this.cluster = cluster;
        this.audit = audit;
        this.buckets = buckets;
        this.blobs = blobs;
        this.accounts = accounts;
        this.manifests = manifests;
        this.uploads = uploads;
        this.slots = slots;
        this.random = random;
    }

    boolean run(long number, List<Discrepancy.Correctable> wrong, Instant now) {
        if (!audit.begin(number)) {
            return false;
        }
        Set<Facts.Subject> referred = new HashSet<>();
        for (Discrepancy.Correctable one : wrong) {
            switch (one) {
                case Discrepancy.BucketCounter(BucketName bucket, BucketUsage recorded, BucketUsage counted) ->
                    bucket(bucket, counted.objects() - recorded.objects(), counted.bytes() - recorded.bytes());
                case Discrepancy.AccountCounter(String account, AccountUsage recorded, AccountUsage counted) ->
                    account(account, recorded, counted);
                case Discrepancy.BlobReferences(BlobId blob, String account, long recorded, long counted) ->
                    referred.add(Look.subject(blob));
                case Discrepancy.ManifestReferences(String manifest, long recorded, long counted) ->
                    referred.add(Look.manifest(manifest));
                case Discrepancy.ForgottenManifest(String manifest) -> manifests.orphan(manifest, blobs.since(now));
                case Discrepancy.ForgottenParts(String upload) -> uploads.end(upload, now);
            }
        }
        references(referred, now);
        return true;
    }

    // Counters

    private void bucket(BucketName bucket, long objects, long bytes) {
        List<Audit.RangeFault> faults = audit.faultsOf(bucket);
        boolean same = faults.stream().mapToLong(Audit.RangeFault::objects).sum() == objects
                && faults.stream().mapToLong(Audit.RangeFault::bytes).sum() == bytes;
        if (faults.isEmpty() || !same) {
            faults = List.of(new Audit.RangeFault(Blobs.NOTHING, objects, bytes));
        }
        for (Audit.RangeFault fault : faults) {
            byte[] id = Script.operation(random);
            buckets.inRange(bucket, fault.low(), range -> {
                byte[] answer = cluster.one(
                        Script.CORRECT,
                        blobs.keys(range.slot(), range.root()),
                        id,
                        range.epochBytes(),
                        new byte[] {'n'},
                        Script.number(fault.objects()),
                        new byte[] {'b'},
                        Script.number(fault.bytes()));
                return Buckets.isMoved(answer) ? null : true;
            });
        }
    }

    /** An account's usage is the sum over all slots, so one of them takes the difference. */
    private void account(String account, AccountUsage recorded, AccountUsage counted) {
        int slot = Slots.of(account);
        slots.use(slot);
        int number = accounts.number(account);
        cluster.one(
                Script.CORRECT,
                blobs.keys(slot, SlotKeys.key(slot, "a")),
                Script.operation(random),
                Blobs.NOTHING,
                field(number, "l"),
                Script.number(counted.blobs() - recorded.blobs()),
                field(number, "lb"),
                Script.number(counted.liveBytes() - recorded.liveBytes()),
                field(number, "g"),
                Script.number(counted.garbageBlobs() - recorded.garbageBlobs()),
                field(number, "gb"),
                Script.number(counted.garbageBytes() - recorded.garbageBytes()));
    }

    private static byte[] field(int account, String kind) {
        byte[] number = AccountNumbers.bytes(account);
        byte[] letters = kind.getBytes(US_ASCII);
        return ByteBuffer.allocate(2 + letters.length).put(number).put(letters).array();
    }

    // References

    private void references(Set<Facts.Subject> referred, Instant now) {
        if (referred.isEmpty()) {
            return;
        }
        try (Facts facts = new Facts(referred)) {
            audit.look(facts).run(Look.NOBODY);
            audit.each(facts, one -> {
                if (Audit.isWrong(one)) {
                    correct(one, blobs.since(now));
                }
            });
        }
    }

    private void correct(Audit.Judged one, byte[] since) {
        List<ByteBuffer> missing = new ArrayList<>(one.missing());
        byte state = one.after;
        for (int from = 0; from < missing.size(); from += HOLDERS_A_STEP) {
            List<ByteBuffer> step = missing.subList(from, Math.min(missing.size(), from + HOLDERS_A_STEP));
            if (!hold(one, state, step)) {
                return; // it is not what it was
            }
            state = 's';
        }
        for (ByteBuffer holder : one.extra()) {
            if (one.isBlob()) {
                blobs.release(StoredVersion.blobId(one.subject.id()), bytes(holder), since, Blobs.NOTHING);
            } else {
                manifests.release(Audit.name(one.subject), bytes(holder), since, Blobs.NOTHING);
            }
        }
    }

    private static byte[] bytes(ByteBuffer holder) {
        byte[] bytes = new byte[holder.remaining()];
        holder.duplicate().get(bytes);
        return bytes;
    }

    private boolean hold(Audit.Judged one, byte state, List<ByteBuffer> holders) {
        List<byte[]> arguments = new ArrayList<>();
        byte[] answer;
        if (one.isBlob()) {
            BlobId blob = StoredVersion.blobId(one.subject.id());
            arguments.add(Blobs.encoded(blob));
            arguments.add(new byte[] {state});
            holders.forEach(holder -> arguments.add(bytes(holder)));
            answer = cluster.one(Script.HOLD, blobs.keys(blob.slot()), arguments.toArray(byte[][]::new));
        } else {
            String id = Audit.name(one.subject);
            int slot = Manifests.slot(id);
            Long queued = one.queued;
            arguments.add(Manifests.encoded(id));
            arguments.add(new byte[] {state});
            arguments.add(
                    queued == null
                            ? Blobs.NOTHING
                            : Orphans.member(StoredVersion.time(Instant.ofEpochMilli(queued)), id));
            holders.forEach(holder -> arguments.add(bytes(holder)));
            answer = cluster.one(
                    Script.MANIFEST_HOLD,
                    blobs.keys(slot, Manifests.state(id), Orphans.key(slot)),
                    arguments.toArray(byte[][]::new));
        }
        return answer != null && answer[0] == '1';
    }
}
