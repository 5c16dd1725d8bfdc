package io.headgate.namespace;

/**
 * What the namespace knows of an account: bytes of the blobs that live there, and of blobs and copies that wait for deletion or are being
 * made by a move.
 */
public record AccountUsage(long blobs, long liveBytes, long garbageBlobs, long garbageBytes) {
    public static final AccountUsage NONE = new AccountUsage(0, 0, 0, 0);
}
