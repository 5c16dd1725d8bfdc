/** Benchmarks: scenarios against a whole gateway or its namespace, and JMH measurements of its hot paths. */
@NullMarked
package io.headgate.benchmarks;

import org.jspecify.annotations.NullMarked;
