package io.headgate.namespace;

import io.headgate.domain.BucketName;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/**
 * A bucket.
 *
 * @param owner the user id of its owner
 * @param location its LocationConstraint, the preferred region of the accounts that hold its blobs; empty for none
 * @param settings what its owner has set
 */
public record Bucket(
        BucketName name, String owner, String location, Instant createdAt, Map<BucketSetting, String> settings) {
    public Bucket {
        settings = Map.copyOf(settings);
    }

    /** One of which nothing is set. */
    public Bucket(BucketName name, String owner, String location, Instant createdAt) {
        this(name, owner, location, createdAt, Map.of());
    }

    public Optional<String> setting(BucketSetting setting) {
        return Optional.ofNullable(settings.get(setting));
    }

    public Bucket withSettings(Map<BucketSetting, String> others) {
        return new Bucket(name, owner, location, createdAt, others);
    }

    /**
     * The same bucket with one setting changed.
     *
     * @param document empty if it is no longer set
     */
    public Bucket with(BucketSetting setting, Optional<String> document) {
        Map<BucketSetting, String> changed = new EnumMap<>(BucketSetting.class);
        changed.putAll(settings);
        document.ifPresentOrElse(set -> changed.put(setting, set), () -> changed.remove(setting));
        return withSettings(changed);
    }
}
