package io.headgate.namespace;

import io.headgate.domain.Slice;
import java.util.Optional;

/** Where a version's bytes lie. */
public sealed interface Manifest {
    /** One slice, or none for an empty object: known without a further look-up. */
    record Inline(Optional<Slice> slice) implements Manifest {}

    /**
     * Many slices in parts (a multipart object), kept in the namespace and read by page: {@link Namespace#slices},
     * {@link Namespace#parts}. Copies share it. It stays readable for the read grace after its last version is gone.
     *
     * @param id the engine's own name for it
     * @param parts the number of parts, at least 1
     */
    record Stored(String id, int parts) implements Manifest {}

    Manifest EMPTY = new Inline(Optional.empty());

    static Manifest of(Slice slice) {
        return new Inline(Optional.of(slice));
    }
}
