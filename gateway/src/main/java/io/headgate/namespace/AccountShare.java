package io.headgate.namespace;

/**
 * What a gateway may do with an account, until it asks again or its time is over.
 *
 * @param gateways how many share the account, as far as is known
 * @param othersLoweredTo requests/s that the account bears by the lowest of what the other gateways have seen;
 *     {@link Double#POSITIVE_INFINITY} for nothing
 * @param othersRequestsPerSecond what the other gateways sent it within a second
 * @param othersReservedBytes bytes of the other gateways' writes in progress
 */
public record AccountShare(
        Part requests,
        Part ingress,
        Part egress,
        int gateways,
        double othersLoweredTo,
        double othersRequestsPerSecond,
        long othersReservedBytes) {

    /**
     * A part of one of the account's rates, per second.
     *
     * @param held what nobody else uses
     * @param target what the gateway is to come down to if that is less: then others are to have the difference, but only once it has said
     *     that it keeps no more
     */
    public record Part(double held, double target) {}

    /** Of a gateway that is alone: everything that it knows of. */
    public static AccountShare alone(AccountUse use) {
        return new AccountShare(
                whole(use.requests()), whole(use.ingress()), whole(use.egress()), 1, Double.POSITIVE_INFINITY, 0, 0);
    }

    private static Part whole(AccountUse.Rate rate) {
        return new Part(rate.ceiling(), rate.ceiling());
    }
}
