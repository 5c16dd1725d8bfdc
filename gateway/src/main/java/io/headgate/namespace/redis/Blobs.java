package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.domain.BlobId;
import io.headgate.domain.Slice;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.codec.Codec;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The blobs, each with its record in the slot that its id names: the account where it lives, its size, whether one holder has it, or
 * several, or none, which makes it garbage. Thread-safe.
 */
final class Blobs {
    static final byte[] NOTHING = {};

    private static final int IDS_A_SCRIPT = 200;
    static final int RECORD_BYTES = 8;
    private static final byte ONE = 'o';

    private final Cluster cluster;
    private final AccountNumbers accounts;
    private final SlotsInUse slots;
    private final InstantSource clock;

    Blobs(Cluster cluster, AccountNumbers accounts, SlotsInUse slots, InstantSource clock) {
        this.cluster = cluster;
        this.accounts = accounts;
        this.slots = slots;
        this.clock = clock;
    }

    /** A blob's id as scripts take it: it orders by time, and has no NUL. */
    static byte[] encoded(BlobId id) {
        return KeyCodec.encode(Codec.blobId(id));
    }

    static BlobId decoded(byte[] bytes, int from) {
        return Codec.blobId(KeyCodec.decode(bytes, from, bytes.length));
    }

    /** The record of a blob that one holder has. */
    byte[] record(String account, long sizeBytes) {
        return ByteBuffer.allocate(RECORD_BYTES)
                .putShort((short) accounts.number(account))
                .put((byte) (sizeBytes >>> 32))
                .putInt((int) sizeBytes)
                .put(ONE)
                .array();
    }

    /** How it is kept that somebody holds what has the encoded id. */
    static byte[] held(byte[] encoded, byte[] holder) {
        return ByteBuffer.allocate(encoded.length + 1 + holder.length)
                .put(encoded)
                .put((byte) 0)
                .put(holder)
                .array();
    }

    static long size(ByteBuffer record) {
        return (record.get(2) & 0xFFL) << 32 | (record.getInt(3) & 0xFFFF_FFFFL);
    }

    /** {@code o} one holder, {@code s} those that are named, {@code g} none. */
    static byte state(ByteBuffer record) {
        return record.get(RECORD_BYTES - 1);
    }

    private static int account(byte[] record) {
        return ByteBuffer.wrap(record).getShort() & 0xFFFF;
    }

    /** With those of copies. */
    byte[][] copyKeys(int slot) {
        return keys(slot, SlotKeys.key(slot, "c"), SlotKeys.key(slot, "v"));
    }

    byte[][] keys(int slot, byte[]... more) {
        return SlotKeys.of(slot, clock.instant(), more);
    }

    Instant now() {
        return clock.instant();
    }

    /** The time as scripts take it: that of the engine, or the command's if that is later. */
    byte[] since(Instant now) {
        Instant here = clock.instant();
        return StoredVersion.time(here.isAfter(now) ? here : now);
    }

    /** What became of the registration of a blob. */
    sealed interface Registered {
        /** The write may go on. */
        record Fresh() implements Registered {}

        /** It is not known, as the intent has ended: the write is only to be told why it is refused. */
        record Unknown() implements Registered {}

        /** The write may go on, but may have been committed: if it is refused, its blob is left to who looks after such. */
        record Uncertain() implements Registered {}

        /** The write has been committed. */
        record Done() implements Registered {}

        record Refused(Refusal reason) implements Registered {}
    }

    /**
     * Makes a blob known whose write is committed in another slot.
     *
     * @param holder the id of the write
     * @param place where the write goes, to be looked at if it is never {@linkplain #confirm confirmed}
     */
    Registered register(Slice whole, String holder, byte[] place, long intent, boolean standing, Instant now) {
        int slot = whole.blob().slot();
        slots.use(slot);
        byte[] answer = cluster.one(
                Script.REGISTER,
                keys(slot),
                Script.number(intent),
                encoded(whole.blob()),
                record(whole.account(), whole.offsetBytes() + whole.lengthBytes()),
                since(now),
                pending(whole.blob(), holder, place, now),
                Script.flag(standing));
        return switch (answer == null ? ' ' : answer[0]) {
            case '+' -> new Registered.Fresh();
            case '?' -> new Registered.Uncertain();
            case 'n' -> new Registered.Unknown();
            case '=' -> new Registered.Done();
            default -> new Registered.Refused(refusal(answer));
        };
    }

    static Refusal refusal(byte @Nullable [] answer) {
        if (answer == null || answer.length == 0 || answer[0] < '0' || answer[0] > '9') {
            throw Codec.corrupt();
        }
        return Codec.refusal(Integer.parseInt(new String(answer, US_ASCII)));
    }

    static byte[] code(Refusal reason) {
        return Script.number(Codec.refusalCode(reason));
    }

    private static byte[] pending(BlobId blob, String holder, byte[] place, Instant now) {
        return Messages.check(Messages.CHECK_BLOB, StoredVersion.bytes(blob), holder, place, now);
    }

    /** The write of a registered or shared blob has been committed. */
    void confirm(BlobId blob, String holder, byte[] place, Instant now) {
        byte[] key = SlotKeys.key(blob.slot(), "q");
        byte[] pending = pending(blob, holder, place, now);
        cluster.send(redis -> redis.zrem(key, pending));
    }

    /** Makes a blob garbage because its write is refused. */
    void refuse(Slice whole, String holder, byte[] place, Refusal reason, Instant now) {
        int slot = whole.blob().slot();
        slots.use(slot);
        cluster.one(
                Script.REFUSE,
                keys(slot),
                encoded(whole.blob()),
                record(whole.account(), whole.offsetBytes() + whole.lengthBytes()),
                since(now),
                code(reason),
                pending(whole.blob(), holder, place, now));
    }

    /** Gives a blob another holder; whether it is alive. */
    boolean share(BlobId blob, String holder, String another, byte[] place, Instant now) {
        byte[] answer = cluster.one(
                Script.SHARE,
                keys(blob.slot()),
                encoded(blob),
                Codec.writeId(holder),
                Codec.writeId(another),
                pending(blob, another, place, now));
        return answer != null && answer[0] == '1';
    }

    /** Takes back what {@link #share} gave. */
    void unshare(BlobId blob, String holder, byte[] place, Instant now) {
        release(blob, Codec.writeId(holder), since(now), pending(blob, holder, place, now));
    }

    /**
     * Takes a holder away.
     *
     * @param pending what is not to be looked at any more, or nothing
     */
    void release(BlobId blob, byte[] holder, byte[] since, byte[] pending) {
        cluster.one(Script.RELEASE, keys(blob.slot()), encoded(blob), holder, since, pending);
    }

    /** Where blobs live now; those that nobody knows are missing. */
    Map<BlobId, String> accountsOf(Collection<BlobId> blobs) {
        Map<BlobId, String> found = new HashMap<>();
        records(blobs).forEach((blob, record) -> found.put(blob, accounts.name(account(record))));
        return found;
    }

    private Map<BlobId, byte[]> records(Collection<BlobId> blobs) {
        Map<BlobId, byte[]> found = new HashMap<>();
        Map<Integer, List<BlobId>> bySlot = bySlot(blobs);
        List<List<byte[]>> answers = cluster.each(
                List.copyOf(bySlot.keySet()),
                slot -> inSteps(
                        bySlot.getOrDefault(slot, List.of()),
                        ids -> cluster.many(
                                Script.BLOBS,
                                keys(slot),
                                ids.stream().map(Blobs::encoded).toArray(byte[][]::new))));
        int at = 0;
        for (List<BlobId> ids : bySlot.values()) {
            List<byte[]> records = answers.get(at++);
            for (int i = 0; i < ids.size(); i++) {
                if (records.get(i).length > 0) {
                    found.put(ids.get(i), records.get(i));
                }
            }
        }
        return found;
    }

    private static Map<Integer, List<BlobId>> bySlot(Collection<BlobId> blobs) {
        Map<Integer, List<BlobId>> bySlot = new TreeMap<>();
        blobs.forEach(blob ->
                bySlot.computeIfAbsent(blob.slot(), _ -> new ArrayList<>()).add(blob));
        return bySlot;
    }

    private interface Step {
        List<byte[]> run(List<BlobId> ids);
    }

    private static List<byte[]> inSteps(List<BlobId> ids, Step step) {
        List<byte[]> all = new ArrayList<>();
        for (int from = 0; from < ids.size(); from += IDS_A_SCRIPT) {
            all.addAll(step.run(ids.subList(from, Math.min(ids.size(), from + IDS_A_SCRIPT))));
        }
        return all;
    }

    /** Those that the account should not have. */
    List<BlobId> unknown(String account, List<BlobId> blobs) {
        byte[] number = AccountNumbers.bytes(accounts.number(account));
        Map<Integer, List<BlobId>> bySlot = bySlot(blobs);
        Set<BlobId> unknown = new HashSet<>();
        List<Integer> asked = List.copyOf(bySlot.keySet());
        List<List<byte[]>> answers = cluster.each(
                asked,
                slot -> inSteps(
                        bySlot.getOrDefault(slot, List.of()),
                        ids -> cluster.many(Script.UNKNOWN, copyKeys(slot), arguments(ids, number))));
        for (int i = 0; i < asked.size(); i++) {
            List<BlobId> ids = bySlot.getOrDefault(asked.get(i), List.of());
            for (int k = 0; k < ids.size(); k++) {
                if (answers.get(i).get(k)[0] == '1') {
                    unknown.add(ids.get(k));
                }
            }
        }
        return blobs.stream().filter(unknown::contains).toList();
    }

    private static byte[][] arguments(List<BlobId> ids, byte[]... first) {
        List<byte[]> arguments = new ArrayList<>(List.of(first));
        ids.forEach(id -> arguments.add(encoded(id)));
        return arguments.toArray(byte[][]::new);
    }

    void discard(List<Garbage> blobs) {
        for (Garbage garbage : blobs) {
            slots.use(garbage.blob().slot());
            cluster.one(
                    Script.DISCARD,
                    copyKeys(garbage.blob().slot()),
                    encoded(garbage.blob()),
                    record(garbage.account(), garbage.sizeBytes()),
                    StoredVersion.time(garbage.queuedAt()));
        }
    }

    void forget(String account, List<BlobId> blobs) {
        byte[] number = AccountNumbers.bytes(accounts.number(account));
        Instant now = clock.instant();
        byte[] time = StoredVersion.time(now);
        byte[] old = StoredVersion.time(now.minus(Namespace.MOVE_BACK_AFTER));
        bySlot(blobs)
                .forEach((slot, ids) -> inSteps(ids, step -> {
                    cluster.one(Script.FORGET, copyKeys(slot), arguments(step, number, time, old));
                    return List.of();
                }));
    }

    Map<String, AccountUsage> usage() {
        Map<Integer, String> names = accounts.all();
        Map<String, long[]> sums = new HashMap<>();
        List<Map<byte[], byte[]>> counts = cluster.each(slots.all(), slot -> {
            Map<byte[], byte[]> found = cluster.command(redis -> redis.hgetall(SlotKeys.key(slot, "a")));
            return found == null ? Map.<byte[], byte[]>of() : found;
        });
        for (Map<byte[], byte[]> slot : counts) {
            slot.forEach((field, value) -> {
                String name = names.getOrDefault(ByteBuffer.wrap(field).getShort() & 0xFFFF, "");
                int kind = (field[2] == 'l' ? 0 : 2) + (field.length == 4 ? 1 : 0);
                sums.computeIfAbsent(name, _ -> new long[4])[kind] += Long.parseLong(new String(value, US_ASCII));
            });
        }
        Map<String, AccountUsage> usage = new HashMap<>();
        sums.forEach((name, sum) -> usage.put(name, new AccountUsage(sum[0], sum[1], sum[2], sum[3])));
        return usage;
    }
}
