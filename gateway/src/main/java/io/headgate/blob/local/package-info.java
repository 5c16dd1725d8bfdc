/** Blobs as files in a directory; imports {@code domain} and {@code blob}. */
@NullMarked
package io.headgate.blob.local;

import org.jspecify.annotations.NullMarked;
