package io.headgate.s3.auth;

/**
 * An access key with the secret behind it and the user it belongs to.
 *
 * @param secret never logged: {@link #toString} leaves it out
 */
public record Credential(String accessKey, String secret, String userId, String displayName) {
    @Override
    public String toString() {
        return "Credential[" + accessKey + " of " + userId + "]";
    }
}
