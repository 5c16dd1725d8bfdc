package io.headgate.work;

import io.headgate.namespace.Namespace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/** Does what the engine of the namespace needs done while it is used. */
public final class NamespaceUpkeep implements Worker {
    /** For an engine that needs nothing. */
    private static final Duration NEVER = Duration.ofDays(1);

    private final Namespace namespace;
    private final String gateway;
    private final InstantSource clock;

    /** @param gateway the id of this run of the gateway */
    public NamespaceUpkeep(Namespace namespace, String gateway, InstantSource clock) {
        this.namespace = namespace;
        this.gateway = gateway;
        this.clock = clock;
    }

    @Override
    public String name() {
        return "namespace-upkeep";
    }

    @Override
    public Turn work() {
        Optional<Duration> next = namespace.upkeep(gateway, clock.instant());
        return Turn.idle(next.orElse(NEVER));
    }
}
