/** Signature V4 in all its forms; imports {@code domain}, {@code http} and {@code s3}. */
@NullMarked
package io.headgate.s3.auth;

import org.jspecify.annotations.NullMarked;
