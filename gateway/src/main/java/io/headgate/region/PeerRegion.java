package io.headgate.region;

import java.net.URI;
import java.util.List;

/**
 * Another region, as the configuration knows it.
 *
 * @param gateways the internal addresses of its gateways, {@code http://host:port} or {@code https://host:port}
 * @param secret what this region signs with when it sends there
 */
public record PeerRegion(String name, List<URI> gateways, PeerSecret secret) {
    /** @throws IllegalArgumentException if an address is none of the above */
    public PeerRegion {
        gateways = List.copyOf(gateways);
        for (URI gateway : gateways) {
            boolean known = "http".equals(gateway.getScheme()) || "https".equals(gateway.getScheme());
            boolean bare = gateway.getRawPath() == null
                    || gateway.getRawPath().isEmpty()
                    || gateway.getRawPath().equals("/");
            if (!known
                    || gateway.getHost() == null
                    || gateway.getPort() == 0
                    || gateway.getPort() > 65_535
                    || !bare
                    || gateway.getRawQuery() != null
                    || gateway.getRawUserInfo() != null) {
                throw new IllegalArgumentException(
                        "the address of a gateway is http://host:port or https://host:port, not " + gateway);
            }
        }
    }
}
