package io.headgate.namespace;

/**
 * What an administrator wants of an account.
 *
 * @param draining whether it is being emptied: it takes no new blobs, and those that it has move elsewhere
 * @param readOnly whether it takes no new blobs
 * @param movedBlobs how many blobs have moved away since it was last set to drain
 * @param movedBytes their bytes
 */
public record AccountMode(boolean draining, boolean readOnly, long movedBlobs, long movedBytes) {
    public static final AccountMode NONE = new AccountMode(false, false, 0, 0);
}
