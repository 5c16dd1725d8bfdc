/**
 * Regions that share one namespace of buckets, and the hop between them; imports {@code domain}, {@code http}, {@code s3} and
 * {@code s3.auth}.
 */
@NullMarked
package io.headgate.region;

import org.jspecify.annotations.NullMarked;
