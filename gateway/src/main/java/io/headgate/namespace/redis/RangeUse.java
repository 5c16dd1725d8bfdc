package io.headgate.namespace.redis;

/**
 * A range of a bucket, and what it holds.
 *
 * @param low the key that it begins with, or four hexadecimal digits of the hash; empty for the first
 */
public record RangeUse(String low, int slot, long objects, long bytes) {}
