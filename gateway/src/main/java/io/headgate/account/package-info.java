/** Storage accounts with their limits, meters and circuit breakers; imports {@code domain}, {@code blob} and {@code placement}. */
@NullMarked
package io.headgate.account;

import org.jspecify.annotations.NullMarked;
