package io.headgate.http;

/**
 * Is told of every request that was answered, refused or cut, among them those that never reached the handler. Called once a request,
 * when its response has been handed to the network whole or has failed, on the request's own thread: it must not block, and what it
 * throws is logged and has no other effect.
 */
@FunctionalInterface
public interface ExchangeObserver {
    void completed(CompletedExchange exchange);
}
