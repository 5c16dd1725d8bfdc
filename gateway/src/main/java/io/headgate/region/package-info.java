/** Regions, which share only the names of buckets; imports {@code domain}, {@code http}, {@code s3} and {@code namespace}. */
@NullMarked
package io.headgate.region;

import org.jspecify.annotations.NullMarked;
