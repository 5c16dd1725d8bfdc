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
    /** Where to go on: there, or behind it. */
    private byte[] at;

    private boolean behind;

    ListingPage(ObjectQuery query) {
        range = new ListingRange(query.prefix(), query.delimiter(), query.after());
        limit = query.limit();
        at = range.start();
    }

    /** The first key that has not been looked at. */
    byte[] from() {
        return behind ? ListingRange.next(at) : at;
    }

    /** Passes over all keys before this one, unless it is passed already. */
    void skipTo(byte[] key) {
        if (Arrays.compareUnsigned(key, at) > 0) {
            at = key;
            behind = false;
        }
    }

    boolean isOver() {
        return truncated || Arrays.compareUnsigned(at, range.end()) >= 0;
    }

    boolean isPassed(byte[] key) {
        int order = Arrays.compareUnsigned(key, at);
        return order < 0 || (order == 0 && behind);
    }

    /** Takes a key, or what it rolls up to. */
    void key(byte[] key, ByteBuffer record) {
        if (isOver() || isPassed(key)) {
            return;
        }
        if (Arrays.compareUnsigned(key, range.end()) >= 0) {
            skipTo(range.end());
            return;
        }
        if (entries.size() == limit) {
            truncated = true;
            return;
        }
        int prefix = range.commonPrefixLength(key);
        if (prefix > 0) {
            prefix(Arrays.copyOf(key, prefix));
        } else {
            ObjectKey listed = ObjectKey.of(key);
            last = listed.value();
            entries.add(new Entry.Current(StoredVersion.listed(listed, record)));
            at = key;
            behind = true;
        }
    }

    /** Takes a common prefix, of which some keys may be passed: then it was taken, or they lay in the range before. */
    void prefix(byte[] bytes) {
        byte[] after = ListingRange.successor(bytes, bytes.length);
        if (isOver() || Arrays.compareUnsigned(after, at) <= 0) {
            return;
        }
        if (entries.size() == limit) {
            truncated = true;
            return;
        }
        last = ObjectKey.decode(bytes);
        entries.add(new Entry.CommonPrefix(last));
        at = after;
        behind = false;
    }

    ObjectPage toPage() {
        return new ObjectPage(entries, truncated, last);
    }
}
