/** What an account must be able to do with blobs: put, get, delete, list; imports {@code domain}. */
@NullMarked
package io.headgate.blob;

import org.jspecify.annotations.NullMarked;
