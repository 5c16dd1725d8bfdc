/**
 * The namespace in a Redis Cluster: one Lua script an operation, each in one slot; imports {@code domain}, {@code namespace} and {@code namespace.codec}.
 */
@NullMarked
package io.headgate.namespace.redis;

import org.jspecify.annotations.NullMarked;
