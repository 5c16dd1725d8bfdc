package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.domain.BucketName;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.NamespaceException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/**
 * Notes of buckets that are being made or taken away, written before and removed after: by them is found what a gateway has left that died
 * half-way. Thread-safe.
 */
final class BucketNotes {
    private static final byte[] KEY = SlotKeys.named("L", "left");

    /** Whoever is not done by then gives up. */
    static final Duration GIVEN_UP_AFTER = Duration.ofMinutes(10);

    /** Whose note is as old has died or given up, also by a clock that is half an hour wrong. */
    private static final Duration LEFT_AFTER = Duration.ofHours(1);

    private final Cluster cluster;

    BucketNotes(Cluster cluster) {
        this.cluster = cluster;
    }

    /**
     * A bucket that was being made or taken away.
     *
     * @param id that no other bucket of this name has
     */
    record Note(String id, Bucket bucket, List<Range> ranges) {}

    void making(String id, Bucket bucket, Collection<Range> ranges, Instant now) {
        byte[] note = write(bucket, ranges, now);
        cluster.command(redis -> redis.hset(KEY, id.getBytes(US_ASCII), note));
    }

    /** Also when memory is full. */
    void takingAway(String id, Bucket bucket, Collection<Range> ranges, Instant now) {
        cluster.one(Script.BUCKET_NOTE, new byte[][] {KEY}, id.getBytes(US_ASCII), write(bucket, ranges, now));
    }

    private static byte[] write(Bucket bucket, Collection<Range> ranges, Instant now) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (DataOutputStream out = new DataOutputStream(bytes)) {
            out.writeLong(now.toEpochMilli());
            out.writeUTF(bucket.name().value());
            out.writeUTF(bucket.owner());
            out.writeInt(ranges.size());
            for (Range range : ranges) {
                byte[] entry = range.entry();
                out.writeBoolean(range.hashed());
                out.writeInt(entry.length);
                out.write(entry);
            }
        } catch (IOException never) {
            throw new IllegalStateException(never);
        }
        return bytes.toByteArray();
    }

    void remove(String id) {
        cluster.command(redis -> redis.hdel(KEY, id.getBytes(US_ASCII)));
    }

    /** Of those who have died or given up. */
    List<Note> left(Instant now) {
        Map<byte[], byte[]> all = cluster.command(redis -> redis.hgetall(KEY));
        List<Note> left = new ArrayList<>();
        if (all != null) {
            all.forEach((id, bytes) -> {
                try (DataInputStream in = new DataInputStream(new ByteArrayInputStream(bytes))) {
                    if (in.readLong() < now.minus(LEFT_AFTER).toEpochMilli()) {
                        left.add(read(new String(id, US_ASCII), in));
                    }
                } catch (IOException broken) {
                    throw new NamespaceException("what is noted of a bucket cannot be read", broken);
                }
            });
        }
        return left;
    }

    private static Note read(String id, DataInputStream in) throws IOException {
        Bucket bucket = new Bucket(new BucketName(in.readUTF()), in.readUTF(), "", Instant.EPOCH);
        List<Range> ranges = new ArrayList<>();
        for (int count = in.readInt(); count > 0; count--) {
            boolean hashed = in.readBoolean();
            ranges.add(Range.parse(in.readNBytes(in.readInt()), hashed));
        }
        return new Note(id, bucket, ranges);
    }
}
