package io.headgate.domain;

import java.util.Optional;

/** What a reader asks for of an object's bytes, before the object's size is known. */
public sealed interface ByteRange {
    /** All of it. */
    record Whole() implements ByteRange {}

    /** From {@code first} to {@code last}, both included; {@code 0 <= first <= last}; {@code last} may lie beyond the end. */
    record Between(long first, long last) implements ByteRange {}

    /** From {@code first} to the end. */
    record From(long first) implements ByteRange {}

    /** The last {@code length} bytes, or all when there are fewer. */
    record Suffix(long length) implements ByteRange {}

    /** A range within an object of known size: {@code lengthBytes} is 0 only for a whole, empty object. */
    record Resolved(long offsetBytes, long lengthBytes) {}

    /** The range within an object of that size, or empty when no byte of the object lies in it (416 InvalidRange). */
    default Optional<Resolved> resolve(long sizeBytes) {
        return switch (this) {
            case Whole() -> Optional.of(new Resolved(0, sizeBytes));
            case Between(long first, long last) ->
                first >= sizeBytes
                        ? Optional.empty()
                        : Optional.of(new Resolved(first, Math.min(last, sizeBytes - 1) - first + 1));
            case From(long first) ->
                first >= sizeBytes ? Optional.empty() : Optional.of(new Resolved(first, sizeBytes - first));
            case Suffix(long length) ->
                length == 0 || sizeBytes == 0
                        ? Optional.empty()
                        : Optional.of(new Resolved(Math.max(0, sizeBytes - length), Math.min(length, sizeBytes)));
        };
    }
}
