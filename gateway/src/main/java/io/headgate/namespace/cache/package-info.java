/**
 * A cache in Redis before a namespace that many gateways share; imports {@code domain}, {@code namespace} and {@code namespace.codec}.
 */
@NullMarked
package io.headgate.namespace.cache;

import org.jspecify.annotations.NullMarked;
