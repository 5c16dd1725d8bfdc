package io.headgate.namespace;

import java.time.Instant;

/**
 * A gateway's announcement that it is about to write blobs: the ids of all of them are stamped with a second from
 * {@code openedAt} to {@code lastStampAt}. One intent covers many writes.
 *
 * @param gateway the id of the gateway's run
 * @param expiresAt from then on, unless renewed, its uncommitted blobs may be swept and its writes are refused
 */
public record Intent(long id, String gateway, Instant openedAt, Instant lastStampAt, Instant expiresAt) {}
