/** The admin endpoint: API, metrics, health; imports {@code domain}, {@code http}, {@code namespace}, {@code account}, {@code placement} and {@code work}. */
@NullMarked
package io.headgate.admin;

import org.jspecify.annotations.NullMarked;
