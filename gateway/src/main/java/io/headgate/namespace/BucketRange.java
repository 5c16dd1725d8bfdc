package io.headgate.namespace;

/**
 * A part of a bucket's keys that lies in one place, of an engine that spreads buckets, and what it holds.
 *
 * @param from the key that it begins with, or four hexadecimal digits of the hash of keys; empty for the first
 * @param to the key, or the hash, that it ends before; empty for the last
 * @param slot the place
 * @param requestsPerSecond how often gateways have asked it lately, as far as they have told; 0 if that is seldom
 */
public record BucketRange(String from, String to, int slot, long objects, long bytes, double requestsPerSecond) {}
