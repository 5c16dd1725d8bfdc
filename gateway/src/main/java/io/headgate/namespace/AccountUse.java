package io.headgate.namespace;

/**
 * What a gateway tells the others of an account when it asks for its share.
 *
 * @param loweredTo requests/s that the account bears by what this gateway has seen of it; {@link Double#POSITIVE_INFINITY} for nothing
 * @param reservedBytes bytes of writes in progress, those that have just ended included
 */
public record AccountUse(
        String account, Rate requests, Rate ingress, Rate egress, double loweredTo, long reservedBytes) {

    /**
     * One of the account's rates, per second.
     *
     * @param ceiling what the account bears; {@link Double#POSITIVE_INFINITY} for no limit
     * @param kept what the gateway uses, or may come to use before it has an answer
     * @param wanted what it would use
     * @param sent what it has sent within the last second
     */
    public record Rate(double ceiling, double kept, double wanted, double sent) {}
}
