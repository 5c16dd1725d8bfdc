/** The HTTP server adapter, the only user of Jetty: raw targets, headers and body streams; imports {@code domain}. */
@NullMarked
package io.headgate.http;

import org.jspecify.annotations.NullMarked;
