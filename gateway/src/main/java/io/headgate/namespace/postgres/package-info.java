/** The namespace in PostgreSQL, shared by many gateways; imports {@code domain}, {@code namespace} and {@code namespace.codec}. */
@NullMarked
package io.headgate.namespace.postgres;

import org.jspecify.annotations.NullMarked;
