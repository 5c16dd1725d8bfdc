package io.headgate.namespace.redis;

import io.headgate.namespace.Bucket;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;

/**
 * A bucket and its ranges, as they were when they were read.
 *
 * @param id that no other bucket of this name has had
 * @param closing who is deleting the bucket, and since when; empty if nobody is
 * @param ranges by where they begin
 */
record RangeMap(Bucket bucket, String id, String closing, boolean hashed, NavigableMap<byte[], Range> ranges) {
    /** @param entries of all ranges, in order */
    static RangeMap of(Bucket bucket, String id, String closing, boolean hashed, List<byte[]> entries) {
        List<Range> parsed =
                entries.stream().map(entry -> Range.parse(entry, hashed)).toList();
        NavigableMap<byte[], Range> ranges = new TreeMap<>(Arrays::compareUnsigned);
        for (int i = 0; i < parsed.size(); i++) {
            byte[] end = i + 1 < parsed.size() ? parsed.get(i + 1).low() : null;
            ranges.put(parsed.get(i).low(), parsed.get(i).endingAt(end));
        }
        return new RangeMap(bucket, id, closing, hashed, ranges);
    }

    /** As it is remembered, as settings may be large. */
    RangeMap withoutSettings() {
        return new RangeMap(bucket.withSettings(Map.of()), id, closing, hashed, ranges);
    }

    /** The range that holds the encoded key. */
    Range at(byte[] key) {
        return ranges.floorEntry(hashed ? KeyHash.of(key) : key).getValue();
    }

    /** The range that the border is in: the one that begins there, as long as it does. */
    Range atBorder(byte[] border) {
        return ranges.floorEntry(border).getValue();
    }

    Collection<Range> all() {
        return ranges.values();
    }
}
