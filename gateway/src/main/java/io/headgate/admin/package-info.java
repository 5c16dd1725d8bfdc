/** The admin endpoint: API, metrics, health; imports {@code domain}, {@code http}, {@code namespace}, {@code account}, {@code placement}, {@code blob} and {@code work}. */
@NullMarked
package io.headgate.admin;

import org.jspecify.annotations.NullMarked;
