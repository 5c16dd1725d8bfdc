package io.headgate.namespace;

/**
 * Which try of one client call a write is. An SDK sends the same invocation id with every try, so a slow first try can be told
 * from the retry that overtook it, and must not overwrite what the retry committed.
 *
 * @param invocation the client's id of the call, at most 64 characters ({@code amz-sdk-invocation-id})
 * @param number 1 for the first try ({@code amz-sdk-request: attempt=N})
 */
public record Attempt(String invocation, int number) {}
