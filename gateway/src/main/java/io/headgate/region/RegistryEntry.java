package io.headgate.region;

import io.headgate.domain.BucketName;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

/**
 * Who has the name of a bucket.
 *
 * @param owner the user id of its owner
 * @param region where the bucket is, or is to be
 * @param createdAt when the name was claimed, to milliseconds
 * @param claimId of the claim that has the name, another for each: who names it changes nothing of a later one. At most 64 printable
 *     ASCII characters without spaces
 */
public record RegistryEntry(
        BucketName name, String owner, String region, Instant createdAt, String claimId, State state) {
    private static final int MAX_CLAIM_ID = 64;

    /** Whether the bucket exists. */
    public enum State {
        /** The name is taken; the bucket may or may not be there yet. */
        CLAIMED,
        /** The bucket is there, or is being deleted. */
        LIVE
    }

    public RegistryEntry {
        createdAt = createdAt.truncatedTo(ChronoUnit.MILLIS);
        if (owner.isEmpty() || region.isEmpty() || owner.indexOf(0) >= 0 || region.indexOf(0) >= 0) {
            throw new IllegalArgumentException("an entry has an owner and a region, without the character NUL");
        }
        if (claimId.isEmpty()
                || claimId.length() > MAX_CLAIM_ID
                || !claimId.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
            throw new IllegalArgumentException("a claim's id has 1 to " + MAX_CLAIM_ID + " printable characters");
        }
    }

    public boolean isLive() {
        return state == State.LIVE;
    }

    /** The same claim of a bucket that is there. */
    public RegistryEntry live() {
        return new RegistryEntry(name, owner, region, createdAt, claimId, State.LIVE);
    }
}
