/** Configuration, wiring and {@code main}; imports everything and is imported by nothing. */
@NullMarked
package io.headgate.app;

import org.jspecify.annotations.NullMarked;
