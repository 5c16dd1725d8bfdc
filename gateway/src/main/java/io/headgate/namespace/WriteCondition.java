package io.headgate.namespace;

import io.headgate.domain.ETag;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A condition on the current version that a write checks inside its commit.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/conditional-requests.html">S3: conditional requests</a>
 */
public sealed interface WriteCondition {
    /** No condition. */
    record None() implements WriteCondition {}

    /** {@code If-None-Match: *}: only if the key has no current version. */
    record Absent() implements WriteCondition {}

    /** {@code If-Match: *}: only if the key has a current version. */
    record Present() implements WriteCondition {}

    /** {@code If-Match: "…"}: only if the current version has one of these ETags. */
    record Matches(Set<ETag> etags) implements WriteCondition {
        public Matches {
            etags = Set.copyOf(etags);
        }
    }

    /** {@code If-None-Match: "…"}: only if the key has no current version with one of these ETags. */
    record Differs(Set<ETag> etags) implements WriteCondition {
        public Differs {
            etags = Set.copyOf(etags);
        }
    }

    @SuppressWarnings("ClassInitializationDeadlock")
    WriteCondition NONE = new None();

    /** Empty if the condition holds for the current version's ETag ({@code null}: there is none), else why the write is refused. */
    default Optional<Refusal> check(@Nullable ETag current) {
        return switch (this) {
            case None() -> Optional.empty();
            case Absent() -> current == null ? Optional.empty() : Optional.of(Refusal.PRECONDITION_FAILED);
            case Present() -> current != null ? Optional.empty() : Optional.of(Refusal.NO_SUCH_KEY);
            case Matches(Set<ETag> etags) ->
                current == null
                        ? Optional.of(Refusal.NO_SUCH_KEY)
                        : etags.contains(current) ? Optional.empty() : Optional.of(Refusal.PRECONDITION_FAILED);
            case Differs(Set<ETag> etags) ->
                current != null && etags.contains(current)
                        ? Optional.of(Refusal.PRECONDITION_FAILED)
                        : Optional.empty();
        };
    }
}
