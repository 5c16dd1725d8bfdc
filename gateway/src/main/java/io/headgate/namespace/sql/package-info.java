/** The namespace in an embedded SQLite database; imports {@code domain} and {@code namespace}. */
@NullMarked
package io.headgate.namespace.sql;

import org.jspecify.annotations.NullMarked;
