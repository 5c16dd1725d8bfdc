/** The words of Headgate as values: keys, ids, slices, ETags, checksums; and who may see into its files. Imports the JDK only. */
@NullMarked
package io.headgate.domain;

import org.jspecify.annotations.NullMarked;
