package io.headgate.region;

/** What came of a request to another region. */
public sealed interface Answer {
    /** What the region answered. To be closed, or made a response of. */
    record Relayed(PeerResponse response) implements Answer {}

    /** The region says that the bucket is not its own. Nothing of the request's body was read. */
    record Misdirected() implements Answer {}

    /**
     * No gateway of the region answered, or the answer was lost on the way, in which case the request may have taken effect.
     *
     * @param reason for logs, not for clients
     */
    record Unreachable(String reason) implements Answer {}
}
