/** The registry of bucket names in Redis, a single server or one slot of a cluster; imports {@code domain} and {@code region}. */
@NullMarked
package io.headgate.region.redis;

import org.jspecify.annotations.NullMarked;
