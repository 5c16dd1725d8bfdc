package io.headgate.namespace;

import io.headgate.domain.Checksum;
import java.util.Optional;

/** A part of a complete multipart object: where it begins in the object and how long it is. */
public record ManifestPart(int number, long offsetBytes, long sizeBytes, Optional<Checksum> checksum) {}
