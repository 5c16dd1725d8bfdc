package io.headgate.s3.auth;

import org.jspecify.annotations.Nullable;

/** Where credentials are kept. Thread-safe; asked once for every signed request. */
@FunctionalInterface
public interface CredentialSource {
    /** The credential of that access key, or {@code null} if there is none. */
    @Nullable Credential find(String accessKey);
}
