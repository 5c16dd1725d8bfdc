/** The namespace in PostgreSQL, shared by many gateways; imports {@code domain}, {@code namespace}, {@code namespace.codec} and {@code namespace.cache}. */
@NullMarked
package io.headgate.namespace.postgres;

import org.jspecify.annotations.NullMarked;
