/** The command line, a client of the admin API; imports {@code domain}. */
@NullMarked
package io.headgate.cli;

import org.jspecify.annotations.NullMarked;
