/** The choice of an account for a write, pure: no I/O, clock and randomness passed in; imports the JDK only. */
@NullMarked
package io.headgate.placement;

import org.jspecify.annotations.NullMarked;
