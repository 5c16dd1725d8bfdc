package io.headgate.namespace.redis;

import io.headgate.domain.ObjectKey;
import io.headgate.namespace.ListingRange;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectPage.Entry;
import io.headgate.namespace.ObjectQuery;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A page of a listing in the making: keys come in order, and it rolls them up, and knows when it is full. Not thread-safe. */
final class ListingPage {
    final ListingRange range;
    final int limit;
    final List<Entry> entries = new ArrayList<>();
    String last = "";
    boolean truncated;
    /** The first key that has not been looked at. */
    byte[] from;

    ListingPage(ObjectQuery query) {
        range = new ListingRange(query.prefix(), query.delimiter(), query.after());
        limit = query.limit();
        from = range.start();
    }

    boolean isOver() {
        return truncated || Arrays.compareUnsigned(from, range.end()) >= 0;
    }

    /** Takes a key, or what it rolls up to. */
    void key(ObjectKey key, byte[] bytes, ByteBuffer record) {
        if (isOver() || Arrays.compareUnsigned(bytes, from) < 0) {
            return;
        }
        if (Arrays.compareUnsigned(bytes, range.end()) >= 0) {
            from = range.end();
            return;
        }
        if (entries.size() == limit) {
            truncated = true;
            return;
        }
        int prefix = range.commonPrefixLength(bytes);
        if (prefix > 0) {
            prefix(Arrays.copyOf(bytes, prefix));
        } else {
            entries.add(new Entry.Current(StoredVersion.listed(key, record)));
            last = key.value();
            from = ListingRange.next(bytes);
        }
    }

    /** Takes a common prefix, of which some keys may be passed: then it was taken, or they lay in the range before. */
    void prefix(byte[] bytes) {
        byte[] behind = ListingRange.successor(bytes, bytes.length);
        if (isOver() || Arrays.compareUnsigned(behind, from) <= 0) {
            return;
        }
        if (entries.size() == limit) {
            truncated = true;
            return;
        }
        last = ObjectKey.decode(bytes);
        entries.add(new Entry.CommonPrefix(last));
        from = behind;
    }

    ObjectPage toPage() {
        return new ObjectPage(entries, truncated, last);
    }
}
