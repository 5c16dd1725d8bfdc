package io.headgate.namespace;

import io.headgate.domain.ETag;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.Set;

/**
 * The conditions of a read or of a copy's source. Times compare in whole seconds, as HTTP dates do.
 *
 * @param ifMatch empty for none; a set that holds {@link #ANY} matches everything
 * @see <a href="https://www.rfc-editor.org/rfc/rfc9110#section-13.2.2">RFC 9110, 13.2.2: precedence of preconditions</a>
 */
public record ReadCondition(
        Optional<Set<ETag>> ifMatch,
        Optional<Set<ETag>> ifNoneMatch,
        Optional<Instant> ifModifiedSince,
        Optional<Instant> ifUnmodifiedSince) {
    public static final ETag ANY = new ETag("*");
    public static final ReadCondition NONE =
            new ReadCondition(Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());

    /** What a condition says of a version. */
    public enum Verdict {
        HOLDS,
        /** 412. */
        FAILED,
        /** 304 for a read; a copy answers 412. */
        NOT_MODIFIED
    }

    /** Evaluates in the order of RFC 9110: a condition on tags makes the one on time beside it irrelevant. */
    public Verdict check(ETag etag, Instant lastModified) {
        Instant modified = lastModified.truncatedTo(ChronoUnit.SECONDS);
        if (ifMatch.isPresent()) {
            if (!matches(ifMatch.get(), etag)) {
                return Verdict.FAILED;
            }
        } else if (ifUnmodifiedSince.isPresent() && modified.isAfter(ifUnmodifiedSince.get())) {
            return Verdict.FAILED;
        }
        if (ifNoneMatch.isPresent()) {
            return matches(ifNoneMatch.get(), etag) ? Verdict.NOT_MODIFIED : Verdict.HOLDS;
        }
        boolean unmodified = ifModifiedSince.isPresent() && !modified.isAfter(ifModifiedSince.get());
        return unmodified ? Verdict.NOT_MODIFIED : Verdict.HOLDS;
    }

    /**
     * The source of a copy, if the condition holds for it (PRECONDITION_FAILED otherwise) and it is the version that the copy expects
     * (SOURCE_CHANGED).
     */
    public Outcome<ObjectVersion> source(Outcome<ObjectVersion> found, Optional<String> expectedWriteId) {
        return switch (found) {
            case Outcome.Refused<ObjectVersion> refused -> refused;
            case Outcome.Done<ObjectVersion>(ObjectVersion source) -> {
                boolean expected =
                        expectedWriteId.isEmpty() || expectedWriteId.get().equals(source.writeId());
                yield check(source.etag(), source.lastModified()) != Verdict.HOLDS
                        ? new Outcome.Refused<>(Refusal.PRECONDITION_FAILED)
                        : expected ? found : new Outcome.Refused<>(Refusal.SOURCE_CHANGED);
            }
        };
    }

    private static boolean matches(Set<ETag> tags, ETag etag) {
        return tags.contains(ANY) || tags.contains(etag);
    }
}
