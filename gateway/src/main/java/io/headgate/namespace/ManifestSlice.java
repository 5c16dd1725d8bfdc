package io.headgate.namespace;

import io.headgate.domain.Slice;

/** A slice of a stored manifest and where it begins in the object. */
public record ManifestSlice(long objectOffsetBytes, Slice slice) {}
