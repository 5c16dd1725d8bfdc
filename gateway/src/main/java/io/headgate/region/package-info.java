/**
 * Regions, which share only the names of buckets, and the hop between them; imports {@code domain}, {@code http}, {@code s3},
 * {@code s3.auth} and {@code namespace}.
 */
@NullMarked
package io.headgate.region;

import org.jspecify.annotations.NullMarked;
