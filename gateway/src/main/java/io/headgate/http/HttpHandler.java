package io.headgate.http;

/**
 * Answers a request. Runs blocking on the request's own virtual thread. An exception is a bug: the server logs it and answers 500
 * without its text.
 */
@FunctionalInterface
public interface HttpHandler {
    Response handle(Exchange exchange);
}
