/** The configuration: typed records, and how they are read from file, environment and flags; imports {@code domain}. */
@NullMarked
package io.headgate.app.config;

import org.jspecify.annotations.NullMarked;
