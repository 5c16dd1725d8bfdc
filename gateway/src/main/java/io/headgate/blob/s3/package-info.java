/** Accounts on any S3-compatible service, through the AWS SDK. May import {@code domain} and {@code blob}. */
@NullMarked
package io.headgate.blob.s3;

import org.jspecify.annotations.NullMarked;
