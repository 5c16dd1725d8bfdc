package io.headgate.namespace;

import java.util.List;

/**
 * A page of a listing.
 *
 * @param entries in the order of their bytes
 * @param truncated whether more follows
 * @param last the last key or common prefix of the page, from which the next goes on; empty when the page is
 */
public record ObjectPage(List<Entry> entries, boolean truncated, String last) {
    /** A line of a listing. */
    public sealed interface Entry {
        /** An object's current version. */
        record Current(ListedObject object) implements Entry {}

        /** One or more keys that begin with {@code prefix}, which ends with the delimiter. */
        record CommonPrefix(String prefix) implements Entry {}
    }
}
