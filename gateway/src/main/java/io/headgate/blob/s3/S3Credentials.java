package io.headgate.blob.s3;

import java.util.Optional;

/** Who the gateway is to the service. */
public sealed interface S3Credentials {
    /** A fixed key; {@code toString} hides the secret. */
    record Key(String accessKey, String secretKey) implements S3Credentials {
        @Override
        public String toString() {
            return "Key[" + accessKey + "]";
        }
    }

    /** What the SDK finds in environment, profile or machine. */
    record DefaultChain() implements S3Credentials {}

    /**
     * A role that another identity takes on.
     *
     * @param by a key or the default chain
     * @param arn of the role
     * @param externalId that the role's owner asks for
     */
    record Role(S3Credentials by, String arn, Optional<String> externalId) implements S3Credentials {
        @Override
        public String toString() {
            return "Role[" + arn + "]";
        }
    }
}
