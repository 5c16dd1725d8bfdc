/** How the engines that keep rows pack values into columns; imports {@code domain} and {@code namespace}. */
@NullMarked
package io.headgate.namespace.codec;

import org.jspecify.annotations.NullMarked;
