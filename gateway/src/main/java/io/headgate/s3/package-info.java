/** The S3 protocol: router, sealed requests and responses, XML and errors; imports {@code domain} and {@code http}. */
@NullMarked
package io.headgate.s3;

import org.jspecify.annotations.NullMarked;
