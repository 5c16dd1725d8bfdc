/** The namespace, which alone says what exists: one method is one atomic S3 operation; imports {@code domain}. */
@NullMarked
package io.headgate.namespace;

import org.jspecify.annotations.NullMarked;
