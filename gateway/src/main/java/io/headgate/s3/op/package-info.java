/** The S3 operations, one file each; imports {@code domain}, {@code http}, {@code s3}, {@code s3.auth}, {@code namespace}, {@code placement}, {@code account} and {@code blob}. */
@NullMarked
package io.headgate.s3.op;

import org.jspecify.annotations.NullMarked;
