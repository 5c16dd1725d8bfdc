package io.headgate.namespace;

/** What the namespace knows of an account: bytes of blobs that versions refer to, and of blobs that wait for deletion. */
public record AccountUsage(long blobs, long liveBytes, long garbageBlobs, long garbageBytes) {
    public static final AccountUsage NONE = new AccountUsage(0, 0, 0, 0);
}
