/** What pages of other origins may do with a bucket: rules, and which of them a request meets. No I/O. */
@NullMarked
package io.headgate.cors;

import org.jspecify.annotations.NullMarked;
