package io.headgate.s3.op;

import io.headgate.domain.ETag;
import io.headgate.http.RequestHead;
import io.headgate.namespace.Attempt;
import io.headgate.namespace.ReadCondition;
import io.headgate.namespace.WriteCondition;
import io.headgate.s3.HttpDates;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads the conditions of a request from its headers. */
final class Conditions {
    private static final int MAX_INVOCATION_CHARACTERS = 64;

    private Conditions() {}

    /** The conditions of a read. */
    static ReadCondition read(RequestHead head) {
        return read(head, "if-match", "if-none-match", "if-modified-since", "if-unmodified-since");
    }

    /** The conditions of a copy on its source. */
    static ReadCondition copySource(RequestHead head) {
        return read(
                head,
                "x-amz-copy-source-if-match",
                "x-amz-copy-source-if-none-match",
                "x-amz-copy-source-if-modified-since",
                "x-amz-copy-source-if-unmodified-since");
    }

    private static ReadCondition read(
            RequestHead head, String ifMatch, String ifNoneMatch, String ifModifiedSince, String ifUnmodifiedSince) {
        Optional<Set<ETag>> match = tags(head.headers(ifMatch));
        Optional<Set<ETag>> noneMatch = tags(head.headers(ifNoneMatch));
        Optional<Instant> modifiedSince = date(head.header(ifModifiedSince));
        Optional<Instant> unmodifiedSince = date(head.header(ifUnmodifiedSince));
        if (match.isEmpty() && noneMatch.isEmpty() && modifiedSince.isEmpty() && unmodifiedSince.isEmpty()) {
            return ReadCondition.NONE;
        }
        return new ReadCondition(match, noneMatch, modifiedSince, unmodifiedSince);
    }

    private static Optional<Instant> date(@Nullable String value) {
        return value == null ? Optional.empty() : HttpDates.parse(value);
    }

    /** A list of entity tags; weak ones count as strong, tags without quotes are accepted because clients send them. */
    private static Optional<Set<ETag>> tags(List<String> values) {
        if (values.isEmpty()) {
            return Optional.empty();
        }
        Set<ETag> tags = new HashSet<>();
        for (String value : values) {
            for (String item : value.split(",", -1)) {
                tag(item).ifPresent(tags::add);
            }
        }
        return Optional.of(tags);
    }

    /** The tag in {@code text}, without its quotes; empty if there is none. */
    static Optional<ETag> tag(String text) {
        String tag = text.strip();
        if (tag.startsWith("W/")) {
            tag = tag.substring(2);
        }
        if (tag.length() >= 2 && tag.startsWith("\"") && tag.endsWith("\"")) {
            tag = tag.substring(1, tag.length() - 1);
        }
        try {
            return Optional.of(new ETag(tag));
        } catch (IllegalArgumentException notATag) {
            return Optional.empty();
        }
    }

    /**
     * The condition of a write.
     *
     * <p>S3 itself takes no entity tags in If-None-Match of a write; clients that send them mean what RFC 9110 says, and the public tests
     * for S3 ask for it.
     *
     * @throws S3Exception NotImplemented for both conditions at once, as S3 answers
     */
    static WriteCondition write(RequestHead head) {
        Optional<Set<ETag>> match = tags(head.headers("if-match"));
        Optional<Set<ETag>> noneMatch = tags(head.headers("if-none-match"));
        if (noneMatch.isPresent()) {
            if (match.isPresent()) {
                throw new S3Exception(
                        S3Error.NOT_IMPLEMENTED, "Not implemented: a write with both If-None-Match and If-Match");
            }
            return noneMatch.get().contains(ReadCondition.ANY)
                    ? new WriteCondition.Absent()
                    : new WriteCondition.Differs(noneMatch.get());
        }
        if (match.isEmpty()) {
            return WriteCondition.NONE;
        }
        return match.get().contains(ReadCondition.ANY)
                ? new WriteCondition.Present()
                : new WriteCondition.Matches(match.get());
    }

    /** Which try of a client's call this is, if its SDK says so. */
    static Optional<Attempt> attempt(RequestHead head) {
        String invocation = head.header("amz-sdk-invocation-id");
        String request = head.header("amz-sdk-request");
        if (invocation == null || request == null || invocation.length() > MAX_INVOCATION_CHARACTERS) {
            return Optional.empty();
        }
        for (String item : request.split(";", -1)) {
            String[] pair = item.strip().split("=", 2);
            if (pair.length == 2 && pair[0].equals("attempt")) {
                try {
                    return Optional.of(new Attempt(invocation, Integer.parseInt(pair[1])));
                } catch (NumberFormatException notANumber) {
                    return Optional.empty();
                }
            }
        }
        return Optional.empty();
    }
}
