package io.headgate.namespace;

/**
 * What came of an atomic operation: it was {@linkplain Done done}, or {@linkplain Refused refused} and changed nothing that a
 * client can see. Outages are exceptions ({@link NamespaceException}), not outcomes.
 */
public sealed interface Outcome<T> {
    /** The operation took effect, wholly and durably. */
    record Done<T>(T value) implements Outcome<T> {}

    /** The operation was refused. {@code detail} says more for people, and may be empty. */
    record Refused<T>(Refusal reason, String detail) implements Outcome<T> {
        public Refused(Refusal reason) {
            this(reason, "");
        }
    }
}
