package io.headgate.region;

import java.net.URI;
import java.util.Map;
import java.util.Set;

/**
 * What makes several regions one service: the registry of bucket names, and the way to the gateways of the others.
 *
 * @param own the region of this gateway
 * @param names of all regions
 * @param newBuckets the region of buckets for which the client names none
 * @param redirects the endpoints of other regions, to which clients are sent; empty if their requests are forwarded
 */
public record Regions(
        String own,
        Set<String> names,
        String newBuckets,
        Registry registry,
        BucketDirectory directory,
        BucketNames bucketNames,
        Peers peers,
        Map<String, URI> redirects)
        implements AutoCloseable {
    public Regions {
        names = Set.copyOf(names);
        redirects = Map.copyOf(redirects);
    }

    @Override
    public void close() {
        peers.close();
        registry.close();
    }
}
