/** The registry of bucket names in SQLite or PostgreSQL; imports {@code domain} and {@code region}. */
@NullMarked
package io.headgate.region.sql;

import org.jspecify.annotations.NullMarked;
