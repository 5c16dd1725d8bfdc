package io.headgate.placement;

/**
 * A filter that keeps a write off an account.
 *
 * @param detail for people, with the numbers that led to it
 */
public record Rejection(String account, Filter filter, String detail) {}
