package io.headgate.region.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.domain.BucketName;
import io.headgate.region.Claim;
import io.headgate.region.Registry;
import io.headgate.region.RegistryEntry;
import io.headgate.region.RegistryEntry.State;
import io.headgate.region.RegistryException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The registry in Redis: a single server, or one slot of a cluster. A change is done when a replica has it, if there are replicas; a
 * server without replicas keeps what its own persistence keeps. While the slot goes from node to node, callers wait.
 */
public final class RedisRegistry implements Registry {
    private static final Logger LOG = LoggerFactory.getLogger(RedisRegistry.class);
    private static final String NUL = "\0";
    private static final int PARTS = 5;

    private final Caller redis;

    private RedisRegistry(Caller redis) {
        this.redis = redis;
    }

    /**
     * Opens the registry, which needs no preparation. If no node answers now that could keep it, they are asked again at its uses: a gateway
     * that starts meanwhile serves what is its own.
     */
    public static RedisRegistry open(RedisRegistryOptions options) {
        RedisRegistry registry = new RedisRegistry(new Caller(options));
        try {
            registry.ofRegion("any", "", 1);
            return registry;
        } catch (RegistryException outage) {
            LOG.warn("The registry cannot be used yet, and is tried again: {}", outage.getMessage());
            return registry;
        } catch (RuntimeException failed) {
            registry.close();
            throw failed;
        }
    }

    @Override
    public Claim claim(RegistryEntry wanted) {
        List<byte[]> there = redis.change(Script.CLAIM, bytes(wanted.name().value()), bytes(packed(wanted)));
        if (there.isEmpty()) {
            return new Claim.Made();
        }
        RegistryEntry by = unpacked(wanted.name(), there.getFirst());
        return by.claimId().equals(wanted.claimId()) ? new Claim.Made() : new Claim.Taken(by);
    }

    @Override
    public boolean confirm(BucketName name, String claimId) {
        return !redis.change(Script.CONFIRM, bytes(name.value()), bytes(claimId))
                .isEmpty();
    }

    @Override
    public boolean take(RegistryEntry old, RegistryEntry with) {
        return !redis.change(
                        Script.TAKE,
                        bytes(old.name().value()),
                        bytes(old.claimId()),
                        bytes(packed(with)),
                        bytes(with.claimId()))
                .isEmpty();
    }

    @Override
    public boolean release(BucketName name, String claimId) {
        return !redis.change(Script.RELEASE, bytes(name.value()), bytes(claimId))
                .isEmpty();
    }

    @Override
    public Optional<RegistryEntry> find(BucketName name) {
        return redis.read(Script.FIND, bytes(name.value())).stream().findFirst().map(found -> unpacked(name, found));
    }

    @Override
    public List<RegistryEntry> ofOwner(String owner, String prefix, String after, int limit) {
        // Names have characters below 0x7F.
        String from = after.compareTo(prefix) >= 0 ? "(" + owner + NUL + after : "[" + owner + NUL + prefix;
        return page(Script.OF_OWNER, from, "(" + owner + NUL + prefix + "\u007f", limit);
    }

    @Override
    public List<RegistryEntry> ofRegion(String region, String after, int limit) {
        return page(Script.OF_REGION, "(" + region + NUL + after, "(" + region + NUL + "\u007f", limit);
    }

    private List<RegistryEntry> page(Script script, String from, String to, int limit) {
        List<byte[]> page = redis.read(script, bytes(from), bytes(to), bytes(Integer.toString(limit)));
        List<RegistryEntry> entries = new ArrayList<>();
        for (int i = 0; i + 1 < page.size(); i += 2) {
            entries.add(unpacked(new BucketName(new String(page.get(i), UTF_8)), page.get(i + 1)));
        }
        return entries;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }

    private static String packed(RegistryEntry entry) {
        return String.join(
                NUL,
                entry.claimId(),
                entry.isLive() ? "L" : "C",
                Long.toString(entry.createdAt().toEpochMilli()),
                entry.region(),
                entry.owner());
    }

    private static RegistryEntry unpacked(BucketName name, byte[] packed) {
        String[] parts = new String(packed, UTF_8).split(NUL, -1);
        if (parts.length != PARTS) {
            throw new RegistryException("the registry's entry of " + name + " is not one of this version of Headgate");
        }
        return new RegistryEntry(
                name,
                parts[4],
                parts[3],
                Instant.ofEpochMilli(Long.parseLong(parts[2])),
                parts[0],
                parts[1].equals("L") ? State.LIVE : State.CLAIMED);
    }

    @Override
    public void close() {
        redis.close();
    }
}
