package io.headgate.namespace;

/** A bucket's usage: current objects and their bytes. Exact. */
public record BucketUsage(long objects, long bytes) {}
