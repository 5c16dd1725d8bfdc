package io.headgate.s3.auth;

import java.util.concurrent.ConcurrentHashMap;

/** The signing keys in use, since deriving one costs more than verifying a request with it. Thread-safe. */
final class SigningKeys {
    /** Some ten days (presigned URLs live for seven) of a hundred busy users; about 1 KiB each. */
    private static final int MAX_KEYS = 1024;

    private final String region;
    private final ConcurrentHashMap<Id, SigningKey> keys = new ConcurrentHashMap<>();

    /** By the secret, so that a new secret behind the same access key counts at once. */
    private record Id(String secret, String date) {
        @Override
        public String toString() {
            return "Id[" + date + "]";
        }
    }

    SigningKeys(String region) {
        this.region = region;
    }

    /** @param date {@code yyyyMMdd}, checked by the caller to be a day on which a signature may be valid */
    SigningKey get(String secret, String date) {
        Id id = new Id(secret, date);
        SigningKey key = keys.get(id);
        if (key == null) {
            key = SigningKey.derive(secret, date, region);
            if (keys.size() >= MAX_KEYS) {
                keys.clear();
            }
            keys.put(id, key);
        }
        return key;
    }
}
