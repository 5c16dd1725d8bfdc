/** The words of Headgate as values: keys, ids, slices, ETags, checksums; imports the JDK only. */
@NullMarked
package io.headgate.domain;

import org.jspecify.annotations.NullMarked;
