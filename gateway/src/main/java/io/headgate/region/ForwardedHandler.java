package io.headgate.region;

import io.headgate.http.Exchange;
import io.headgate.http.Response;

/** Answers a request that another region forwarded, as {@link io.headgate.http.HttpHandler} does one of a client. */
@FunctionalInterface
public interface ForwardedHandler {
    /**
     * Answers it.
     *
     * @param exchange as the client sent it, with the id that it has where it arrived; its length is told by its payload alone
     */
    Response handle(Exchange exchange, Forwarded by);
}
