/** Storage accounts with their limits, meters and circuit breakers; imports {@code domain} and {@code blob}. */
@NullMarked
package io.headgate.account;

import org.jspecify.annotations.NullMarked;
