package io.headgate.work;

import io.headgate.namespace.Namespace;
import io.headgate.namespace.ReadsInFlight;
import java.time.Duration;

/**
 * Keeps the gateways that share a namespace informed of each other's reads, so that none deletes a blob that is being read through
 * another.
 */
public final class ReadsExchange implements Worker {
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    /** A gateway that is cut off from the namespace for so long has its reads protected by the garbage's grace alone. */
    private static final Duration PATIENCE = Duration.ofMinutes(5);

    private final Namespace namespace;
    private final ReadsInFlight reads;
    private final String gateway;

    /** @param gateway the id of this run of a gateway */
    public ReadsExchange(Namespace namespace, ReadsInFlight reads, String gateway) {
        this.namespace = namespace;
        this.reads = reads;
        this.gateway = gateway;
    }

    @Override
    public String name() {
        return "reads-exchange";
    }

    @Override
    public Turn work() {
        reads.exchange(namespace, gateway, PATIENCE);
        return Turn.idle(INTERVAL);
    }

    @Override
    public Duration maxBackoff() {
        return INTERVAL;
    }
}
