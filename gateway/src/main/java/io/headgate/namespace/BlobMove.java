package io.headgate.namespace;

import io.headgate.domain.BlobId;

/**
 * A blob's way from the account where it lives to another. It keeps its id.
 *
 * @param to not {@code from}
 */
public record BlobMove(BlobId blob, String from, String to, long sizeBytes) {
    public BlobMove {
        if (from.equals(to)) {
            throw new IllegalArgumentException("a move from " + from + " to itself");
        }
    }
}
