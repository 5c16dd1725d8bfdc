package io.headgate.namespace;

import io.headgate.domain.BlobId;
import java.time.Instant;

/** A blob in an account where nothing needs it any more, whole or half written, and since when. */
public record Garbage(BlobId blob, String account, long sizeBytes, Instant queuedAt) {}
