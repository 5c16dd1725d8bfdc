/** JMH benchmarks of the gateway's hot paths. */
@NullMarked
package io.headgate.benchmarks;

import org.jspecify.annotations.NullMarked;
