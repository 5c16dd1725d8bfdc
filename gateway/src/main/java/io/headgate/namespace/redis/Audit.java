package io.headgate.namespace.redis;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.Discrepancy;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.codec.Codec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Compares what is recorded with what is there. */
final class Audit {
    private static final String CORRECTIONS = "corrections";
    private static final int MOST_WALKS = 4;
    /** An upload that is being ended is looked at again after so long. */
    private static final long LOOK_AGAIN_MILLIS = 1_000;

    private static final byte[] LIVE = {'l'};
    private static final byte[] GARBAGE = {'g'};

    private final Cluster cluster;
    private final Walk walk;
    private final SlotsInUse slots;
    private final AccountNumbers accounts;
    private final Manifests manifests;
    private final UploadReads uploads;
    private final Objects objects;
    private final Buckets buckets;
    private final Documents documents;

    /** What the last audit found in single ranges: a correction must go where the fault is. */
    private volatile Map<BucketName, List<RangeFault>> faults = Map.of();

    Audit(
            Cluster cluster,
            Walk walk,
            SlotsInUse slots,
            AccountNumbers accounts,
            Manifests manifests,
            UploadReads uploads,
            Objects objects,
            Buckets buckets,
            Documents documents) {
        this.cluster = cluster;
        this.walk = walk;
        this.slots = slots;
        this.accounts = accounts;
        this.manifests = manifests;
        this.uploads = uploads;
        this.objects = objects;
        this.buckets = buckets;
        this.documents = documents;
    }

    /**
     * A range whose counters are wrong.
     *
     * @param low where it begins
     * @param objects how many more there are than are recorded
     */
    @SuppressWarnings("ArrayRecordComponent")
    record RangeFault(byte[] low, long objects, long bytes) {}

    /** In which ranges the last audit found the bucket's counters wrong. */
    List<RangeFault> faultsOf(BucketName bucket) {
        return faults.getOrDefault(bucket, List.of());
    }

    /** How often something was corrected. */
    long corrections() {
        String number = documents.get(CORRECTIONS);
        return number.isEmpty() ? 0 : Long.parseLong(number);
    }

    /** Whether nothing was corrected since the audit of that number, which from now on is true for no other. */
    boolean begin(long audit) {
        String there = audit == 0 ? "" : Long.toString(audit);
        return documents.swap(CORRECTIONS, there, Long.toString(audit + 1));
    }

    Look look(Facts facts) {
        return new Look(cluster, walk, slots, manifests, uploads, facts);
    }

    long run(Consumer<Discrepancy> found) {
        long number = corrections();
        Seen seen = new Seen(found);
        try (Facts facts = new Facts()) {
            look(facts).run(seen);
            seen.endBuckets();
            accounts(found);
            each(facts, one -> judge(one, found));
        }
        forgottenParts(seen.unlisted, found);
        faults = seen.faults;
        return number;
    }

    /** What is met on the way: counters of ranges, sizes of versions, uploads. */
    private final class Seen implements Look.Listener {
        private final Consumer<Discrepancy> found;
        final Map<BucketName, List<RangeFault>> faults = new HashMap<>();
        final List<String> unlisted = new ArrayList<>();
        private final Map<BucketName, long[]> recorded = new TreeMap<>(Comparator.comparing(BucketName::value));

        Seen(Consumer<Discrepancy> found) {
            this.found = found;
        }

        @Override
        public void range(BucketName bucket, Walk.Counted counted) {
            long[] sums = recorded.computeIfAbsent(bucket, _ -> new long[2]);
            sums[0] += counted.recordedObjects();
            sums[1] += counted.recordedBytes();
            if (!counted.isRight() && isWrong(bucket, counted)) {
                faults.computeIfAbsent(bucket, _ -> new ArrayList<>())
                        .add(new RangeFault(
                                counted.low(),
                                counted.objects() - counted.recordedObjects(),
                                counted.bytes() - counted.recordedBytes()));
            }
        }

        /** Whether two walks, one after the other, see the same, so that nothing came or went between them. */
        private boolean isWrong(BucketName bucket, Walk.Counted first) {
            Walk.Counted again = walk.count(bucket, first.low());
            return again != null && again.agrees(first);
        }

        @Override
        public void version(BucketName bucket, ObjectVersion version, long slicesBytes) {
            if (slicesBytes != version.sizeBytes()
                    && objects.current(bucket, version.key()) instanceof Outcome.Done<ObjectVersion>(ObjectVersion now)
                    && now.writeId().equals(version.writeId())) {
                found.accept(new Discrepancy.WrongSize(bucket, version.key(), version.sizeBytes(), slicesBytes));
            }
        }

        @Override
        public void upload(String id, UploadReads.Found upload) {
            if (isUnlisted(id, upload)) {
                unlisted.add(id);
            }
        }

        void endBuckets() {
            faults.forEach((bucket, all) -> {
                long[] sums = recorded.getOrDefault(bucket, new long[2]);
                long more = all.stream().mapToLong(RangeFault::objects).sum();
                long moreBytes = all.stream().mapToLong(RangeFault::bytes).sum();
                found.accept(new Discrepancy.BucketCounter(
                        bucket,
                        new BucketUsage(sums[0], sums[1]),
                        new BucketUsage(sums[0] + more, sums[1] + moreBytes)));
            });
        }
    }

    // Uploads

    /** Whether it is open, or being completed, though it is not listed, nor to go by itself. */
    private boolean isUnlisted(String id, UploadReads.Found upload) {
        byte[] member =
                StoredUpload.member(upload.upload().key(), upload.upload().startedAt(), id);
        byte[] at = UploadListings.bound('[', member);
        Boolean listed = buckets.inRange(
                upload.upload().bucket(), KeyCodec.encode(upload.upload().key().bytes()), range -> {
                    List<byte[]> there = cluster.many(
                            Script.UPLOADS,
                            new byte[][] {range.root(), range.uploads()},
                            range.epochBytes(),
                            at,
                            at,
                            Script.number(1));
                    boolean moved = there.size() == 1 && Buckets.isMoved(there.getFirst());
                    return moved ? null : !there.isEmpty();
                });
        if (listed != null && listed) {
            return false;
        }
        Long expires = cluster.command(redis -> redis.ttl(StoredUpload.key(id)));
        return expires != null && expires == -1;
    }

    private void forgottenParts(List<String> unlisted, Consumer<Discrepancy> found) {
        if (unlisted.isEmpty()) {
            return;
        }
        Cluster.pause(LOOK_AGAIN_MILLIS); // what is being ended is ended by then
        for (String id : unlisted) {
            UploadReads.Found now = uploads.read(id, 0, 0);
            if (now != null && now.isInProgress() && isUnlisted(id, now)) {
                found.accept(new Discrepancy.ForgottenParts(id));
            }
        }
    }

    // Accounts

    /** What a slot records of accounts, and what it holds; each number by the account's and the kind of count. */
    private record SlotCounts(Map<String, Long> recorded, Map<String, Long> counted, long digest) {
        boolean isRight() {
            return recorded.equals(counted);
        }
    }

    private void accounts(Consumer<Discrepancy> found) {
        Map<String, Long> recorded = new HashMap<>();
        Map<String, Long> counted = new HashMap<>();
        for (SlotCounts slot : cluster.each(slots.all(), this::counts)) {
            slot.recorded.forEach((field, number) -> recorded.merge(field, number, Long::sum));
            slot.counted.forEach((field, number) -> counted.merge(field, number, Long::sum));
        }
        Map<Integer, String> names = accounts.all();
        Set<String> fields = new HashSet<>(recorded.keySet());
        fields.addAll(counted.keySet());
        Set<Integer> numbers = new HashSet<>();
        fields.forEach(field -> numbers.add(field.charAt(0) << 8 | field.charAt(1)));
        for (int number : numbers) {
            AccountUsage there = usage(number, recorded);
            AccountUsage right = usage(number, counted);
            if (!there.equals(right)) {
                found.accept(new Discrepancy.AccountCounter(names.getOrDefault(number, ""), there, right));
            }
        }
    }

    private static AccountUsage usage(int account, Map<String, Long> sums) {
        return new AccountUsage(
                sums.getOrDefault(field(account, "l"), 0L),
                sums.getOrDefault(field(account, "lb"), 0L),
                sums.getOrDefault(field(account, "g"), 0L),
                sums.getOrDefault(field(account, "gb"), 0L));
    }

    private static String field(int account, String kind) {
        return "" + (char) (account >>> 8) + (char) (account & 0xFF) + kind;
    }

    /** As they are, or, if they change all the time, as they are recorded. */
    private SlotCounts counts(int slot) {
        SlotCounts before = null;
        Map<String, Long> recorded = recorded(slot);
        for (int tries = 0; tries < MOST_WALKS; tries++) {
            SlotCounts now = counted(slot, recorded);
            recorded = recorded(slot);
            if (recorded.equals(now.recorded) && (now.isRight() || now.equals(before))) {
                return now;
            }
            before = recorded.equals(now.recorded) ? now : null;
        }
        return new SlotCounts(recorded, recorded, 0);
    }

    private Map<String, Long> recorded(int slot) {
        Map<String, Long> recorded = new HashMap<>();
        walk.fields(SlotKeys.key(slot, "a")).forEach((field, number) -> add(recorded, field, Walk.number(number)));
        return recorded;
    }

    private static void add(Map<String, Long> sums, String field, long number) {
        sums.merge(field, number, (a, b) -> a + b == 0 ? null : a + b);
        sums.remove(field, 0L);
    }

    private SlotCounts counted(int slot, Map<String, Long> recorded) {
        Map<String, Long> sums = new HashMap<>();
        long[] digest = new long[1];
        walk.groups(SlotKeys.key(slot, "B"), (id, blob) -> {
            digest[0] += 31L * Arrays.hashCode(id) + blob.hashCode();
            byte kind = Blobs.state(blob) == 'g' ? GARBAGE[0] : LIVE[0];
            count(sums, blob.getShort(0) & 0xFFFF, kind, Blobs.size(blob));
        });
        walk.fields(SlotKeys.key(slot, "c")).forEach((field, copy) -> {
            digest[0] += 31L * field.hashCode() + Arrays.hashCode(copy);
            if (copy[0] != 'x') {
                count(sums, field.charAt(0) << 8 | field.charAt(1), GARBAGE[0], Moves.size(ByteBuffer.wrap(copy)));
            }
        });
        return new SlotCounts(recorded, sums, digest[0]);
    }

    private static void count(Map<String, Long> sums, int account, byte kind, long size) {
        String field = field(account, String.valueOf((char) kind));
        add(sums, field, 1);
        add(sums, field + 'b', size);
    }

    // References

    /** All that is known of a blob or a manifest. */
    static final class Judged {
        final Facts.Subject subject;
        byte before;
        byte after;
        int account;
        long size;
        long last;
        final Set<ByteBuffer> heldBefore = new HashSet<>();
        final Set<ByteBuffer> heldAfter = new HashSet<>();
        final Set<ByteBuffer> holding = new HashSet<>();
        final Set<ByteBuffer> perhaps = new HashSet<>();
        /** Since when it is queued to be broken up. */
        @Nullable Long queued;

        Judged(Facts.Subject subject, List<Facts.Fact> facts) {
            this.subject = subject;
            facts.forEach(this::take);
        }

        private void take(Facts.Fact fact) {
            ByteBuffer name = ByteBuffer.wrap(fact.name());
            switch ((char) fact.kind()) {
                case Look.BEFORE -> {
                    before = fact.name()[0];
                    size = fact.number();
                    account = name.getShort(1) & 0xFFFF;
                }
                case Look.AFTER -> {
                    after = fact.name()[0];
                    size = fact.number();
                    account = name.getShort(1) & 0xFFFF;
                }
                case Look.HELD_BEFORE -> heldBefore.add(name);
                case Look.HELD_AFTER -> heldAfter.add(name);
                case Look.HOLDS -> {
                    holding.add(name);
                    last = Math.max(last, fact.number());
                }
                case Look.MAY_HOLD -> perhaps.add(name);
                case Look.QUEUED -> queued = fact.number();
                default -> throw new IllegalStateException("a fact of the kind " + fact.kind());
            }
        }

        boolean isBlob() {
            return subject.kind() == Facts.BLOB;
        }

        boolean isUnknown() {
            return before == 0 && after == 0;
        }

        /** Nothing came or went, so what is recorded can be compared with what was seen. */
        boolean isSteady() {
            return before != 0 && before == after && (!isShared() || heldBefore.equals(heldAfter));
        }

        boolean isShared() {
            return after == 's';
        }

        /** Nobody has it, as far as is recorded. */
        boolean isFree() {
            return after == 'g' || after == 'O';
        }

        /** Who has it and is not recorded. */
        Set<ByteBuffer> missing() {
            Set<ByteBuffer> missing = new HashSet<>(holding);
            if (isShared()) {
                missing.removeAll(heldAfter);
            } else if (!isFree() && holding.size() == 1) {
                missing.clear();
            }
            return missing;
        }

        /** Who is recorded and was not seen. */
        Set<ByteBuffer> extra() {
            Set<ByteBuffer> extra = new HashSet<>();
            if (isShared()) {
                extra.addAll(heldAfter);
                extra.removeAll(holding);
                extra.removeAll(perhaps);
            } else if (!isFree() && holding.isEmpty() && perhaps.isEmpty()) {
                extra.add(ByteBuffer.allocate(16)); // that it is held is recorded, not by whom
            }
            return extra;
        }

        long recorded() {
            return isShared() ? heldAfter.size() : isFree() ? 0 : 1;
        }
    }

    /**
     * Shows what is known of each. Who was seen to hold something without being recorded counts if it is seen in a second look too: one
     * that came and went during the first was recorded neither before nor after.
     */
    void each(Facts facts, Consumer<Judged> reader) {
        Map<Facts.Subject, Set<ByteBuffer>> unrecorded = new HashMap<>();
        facts.each((subject, all) -> {
            Judged one = new Judged(subject, all);
            if (one.isSteady() && !one.missing().isEmpty()) {
                unrecorded.put(subject, one.missing());
            }
        });
        Map<Facts.Subject, Set<ByteBuffer>> seenAgain = new HashMap<>();
        if (!unrecorded.isEmpty()) {
            try (Facts later = new Facts(unrecorded.keySet())) {
                look(later).run(Look.NOBODY);
                later.each((subject, all) -> {
                    Set<ByteBuffer> still = new HashSet<>(new Judged(subject, all).holding);
                    still.retainAll(unrecorded.getOrDefault(subject, Set.of()));
                    seenAgain.put(subject, still);
                });
            }
        }
        facts.each((subject, all) -> {
            Judged one = new Judged(subject, all);
            Set<ByteBuffer> passed = one.missing();
            passed.removeAll(seenAgain.getOrDefault(subject, Set.of()));
            one.holding.removeAll(passed);
            one.perhaps.addAll(passed); // for a while
            reader.accept(one);
        });
    }

    private void judge(Judged one, Consumer<Discrepancy> found) {
        Facts.Subject subject = one.subject;
        if (one.isBlob()) {
            if (one.isUnknown() && one.holding.isEmpty()) {
                return;
            }
            BlobId blob = StoredVersion.blobId(subject.id());
            if (one.isUnknown()) {
                found.accept(new Discrepancy.UnknownBlob(blob));
                return;
            }
            String account = accounts.name(one.account);
            if (one.last > one.size) {
                found.accept(new Discrepancy.SliceTooLong(blob, account, one.size, one.last));
            }
            if (isWrong(one)) {
                found.accept(new Discrepancy.BlobReferences(blob, account, one.recorded(), counted(one)));
            }
        } else if (isWrong(one)) {
            found.accept(new Discrepancy.ManifestReferences(name(subject), one.recorded(), counted(one)));
        } else if (isForgotten(one)) {
            found.accept(new Discrepancy.ForgottenManifest(name(subject)));
        }
    }

    static String name(Facts.Subject manifest) {
        return Codec.writeId(manifest.id());
    }

    static boolean isWrong(Judged one) {
        return one.isSteady() && (!one.missing().isEmpty() || !one.extra().isEmpty());
    }

    /** Nobody has it, and it is not queued to be broken up. */
    private static boolean isForgotten(Judged one) {
        return one.isSteady() && one.after == 'O' && one.queued == null;
    }

    private static long counted(Judged one) {
        return one.isShared()
                ? one.recorded() + one.missing().size() - one.extra().size()
                : one.holding.size();
    }
}
