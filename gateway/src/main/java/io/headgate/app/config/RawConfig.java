package io.headgate.app.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The texts that one source sets, by key; lists hold their elements.
 *
 * @param values by {@link Setting#key}
 * @param lists by the list's name, if the source sets it
 */
record RawConfig(Map<String, RawValue> values, Map<String, List<Element>> lists) {
    /** An element of a list: its texts by {@link Setting#localKey}. */
    record Element(Origin origin, Map<String, RawValue> values) {}

    static RawConfig empty() {
        return new RawConfig(Map.of(), Map.of());
    }

    /** This with all that {@code stronger} sets in its place. */
    RawConfig overriddenBy(RawConfig stronger) {
        Map<String, RawValue> mergedValues = new LinkedHashMap<>(values);
        mergedValues.putAll(stronger.values);
        Map<String, List<Element>> mergedLists = new LinkedHashMap<>(lists);
        mergedLists.putAll(stronger.lists);
        return new RawConfig(mergedValues, mergedLists);
    }
}
