/** Background workers that clean up and sweep; imports {@code domain}, {@code namespace}, {@code region}, {@code placement}, {@code account} and {@code blob}. */
@NullMarked
package io.headgate.work;

import org.jspecify.annotations.NullMarked;
