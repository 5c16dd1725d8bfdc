package io.headgate.region;

import java.net.URI;
import java.time.Instant;
import java.util.Optional;

/**
 * How a gateway of another region looks from here.
 *
 * @param failure why the last attempt to reach it failed; empty of one that answers, or was never asked
 * @param retryAt when it is tried again; there if {@code failure} is
 * @param inFlight requests under way there
 * @param idleConnections connections kept for later requests
 */
public record GatewayView(
        String region,
        URI address,
        Optional<String> failure,
        Optional<Instant> retryAt,
        int inFlight,
        int idleConnections) {
    public boolean isLive() {
        return failure.isEmpty();
    }
}
