package io.headgate.namespace;

/**
 * Whether blobs are to be moved until accounts are equally full.
 *
 * @param movedBlobs how many have moved for that since it was last begun
 * @param movedBytes their bytes
 */
public record Rebalance(boolean running, long movedBlobs, long movedBytes) {}
