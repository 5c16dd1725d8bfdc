package io.headgate.namespace;

import io.headgate.domain.BlobId;
import java.time.Instant;

/** A blob that no version refers to any more, whole or half written, and since when. */
public record Garbage(BlobId blob, String account, long sizeBytes, Instant queuedAt) {}
