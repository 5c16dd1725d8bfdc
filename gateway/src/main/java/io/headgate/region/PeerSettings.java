package io.headgate.region;

import java.time.Duration;

/**
 * The bounds of the hop.
 *
 * @param connect to find a gateway's address, and then for a connection to stand, TLS included
 * @param reaction until a gateway asks for the body or answers, of requests that cannot take long there: reads, and those with content
 * @param answer until a gateway answers when it has all of the request
 * @param stall without a byte in a body, in either direction
 * @param maxConnections to a gateway, and so requests under way there; more wait for {@code connect}
 * @param maxIdle connections kept to a gateway for later requests
 * @param idle how long they are kept; less than what makes a server close them
 * @param firstBackOff how long a gateway that failed is left alone, then twice as long each time
 * @param maxBackOff the longest of these
 */
public record PeerSettings(
        Duration connect,
        Duration reaction,
        Duration answer,
        Duration stall,
        int maxConnections,
        int maxIdle,
        Duration idle,
        Duration firstBackOff,
        Duration maxBackOff) {
    public static final PeerSettings DEFAULTS = new PeerSettings(
            Duration.ofSeconds(2),
            Duration.ofSeconds(15),
            Duration.ofMinutes(5),
            Duration.ofSeconds(60),
            1024,
            64,
            Duration.ofSeconds(8),
            Duration.ofSeconds(1),
            Duration.ofSeconds(30));

    public PeerSettings {
        boolean positive = connect.isPositive()
                && reaction.isPositive()
                && answer.isPositive()
                && stall.isPositive()
                && idle.isPositive()
                && firstBackOff.isPositive()
                && maxBackOff.compareTo(firstBackOff) >= 0;
        if (!positive || maxConnections < 1 || maxIdle < 0) {
            throw new IllegalArgumentException("a bound of the hop is out of range");
        }
    }
}
