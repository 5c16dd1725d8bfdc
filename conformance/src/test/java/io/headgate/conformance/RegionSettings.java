package io.headgate.conformance;

import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;

/** The settings of gateways of several regions on this machine, as environment variables. */
public final class RegionSettings {
    private RegionSettings() {}

    /**
     * Those of a gateway of one of the regions.
     *
     * @param ports where the one gateway of each region listens for the others
     * @param registry the file with the names of all buckets
     */
    public static Map<String, String> of(String region, Map<String, Integer> ports, Path registry) {
        String regions = ports.entrySet().stream()
                .map(one -> "{\"name\": \"%s\", \"gateways\": \"http://127.0.0.1:%d\"}"
                        .formatted(one.getKey(), one.getValue()))
                .collect(Collectors.joining(",", "[", "]"));
        return Map.of(
                "HEADGATE_REGION",
                region,
                "HEADGATE_REGIONS",
                regions,
                "HEADGATE_PEERS_LISTEN",
                "127.0.0.1:" + ports.get(region),
                "HEADGATE_PEERS_SECRET",
                "conformance-secret-of-all-the-regions",
                "HEADGATE_REGISTRY_URL",
                "file:" + registry);
    }
}
