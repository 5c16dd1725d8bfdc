package io.headgate.region;

import io.headgate.domain.BucketName;
import java.util.List;
import java.util.Optional;

/**
 * The registry of all regions: bucket name to owner and region. It is the one thing that they share. Every change is one conditional
 * write that names the claim it is about, so what comes late changes nothing; when a method returns, the change is durable and every
 * later call, by anyone, sees it.
 *
 * <p>All methods block, are thread-safe, and throw {@link RegistryException} when the registry cannot answer in time; the same call may be
 * made again then.
 */
public interface Registry extends AutoCloseable {

    /** Takes the name of {@code wanted} as {@code wanted} says, if nobody has it, or this very claim does: then nothing changes. */
    Claim claim(RegistryEntry wanted);

    /** Makes a claim live, which it may be already; false if the name is not that claim's. */
    boolean confirm(BucketName name, String claimId);

    /**
     * Replaces an entry of the claim {@code old.claimId()} by another claim of the same name. True too if the name is the other claim's
     * already.
     *
     * @return false if the name is neither claim's; nothing has changed then
     */
    boolean take(RegistryEntry old, RegistryEntry with);

    /** Sets the name free if it is that claim's; otherwise, also if it was done before, false. */
    boolean release(BucketName name, String claimId);

    Optional<RegistryEntry> find(BucketName name);

    /**
     * The live entries of an owner, by the bytes of their names.
     *
     * @param prefix only names that begin with it; empty for all
     * @param after only names greater than it; empty for all
     * @param limit how many at most, at least 1
     */
    List<RegistryEntry> ofOwner(String owner, String prefix, String after, int limit);

    /** All entries of a region, whatever their state, by the bytes of their names; the rest as with {@link #ofOwner}. */
    List<RegistryEntry> ofRegion(String region, String after, int limit);

    @Override
    void close();
}
