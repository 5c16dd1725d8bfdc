package io.headgate.namespace;

import io.headgate.domain.Checksum;
import io.headgate.domain.ETag;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;

/** A part of an upload in progress. {@code number} is 1 to 10,000. */
public record Part(int number, long sizeBytes, ETag etag, Optional<Checksum> checksum, Instant lastModified) {

    /** The part with its time cut to the millisecond, to which times are kept. */
    public Part toMillis() {
        return new Part(number, sizeBytes, etag, checksum, lastModified.truncatedTo(ChronoUnit.MILLIS));
    }
}
