/**
 * Who may do what, pure: policy documents, access control lists, and the decision over all of them. No I/O, no clock: facts that cost a
 * look-up are asked for through suppliers, and only when they matter. Imports {@code domain}; reads JSON with Jackson's streaming parser.
 */
@NullMarked
package io.headgate.policy;

import org.jspecify.annotations.NullMarked;
