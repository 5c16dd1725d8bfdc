package io.headgate.s3.op;

import io.headgate.domain.BucketName;
import io.headgate.domain.ByteRange;
import io.headgate.domain.ObjectKey;
import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ManifestPart;
import io.headgate.namespace.ObjectVersion;
import io.headgate.s3.HttpDates;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What GET and HEAD have in common: the version, its conditions, the range, the headers. */
final class ObjectRead {
    private static final Pattern RANGE = Pattern.compile("bytes=(\\d*)-(\\d*)");

    /** Any number of so many digits is a {@code long}. */
    private static final int MAX_DIGITS = 18;

    private final Storage storage;

    ObjectRead(Storage storage) {
        this.storage = storage;
    }

    /** What became of the request for a version. */
    sealed interface Resolved {}

    /** The client's copy is current: 304 with these headers. */
    record NotModified(List<Field> headers) implements Resolved {}

    /** The range to send with the status 200 or 206 and these headers. */
    record Found(ObjectVersion version, ByteRange.Resolved range, int status, List<Field> headers)
            implements Resolved {}

    Resolved resolve(
            BucketName bucket, ObjectKey key, Optional<String> versionId, Optional<Integer> partNumber, Call call) {
        RequestHead head = call.head();
        String rangeHeader = head.header("range");
        if (partNumber.isPresent() && rangeHeader != null) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST, "Cannot specify both Range header and partNumber query parameter");
        }
        ObjectVersion version = version(bucket, key, versionId);
        switch (Conditions.read(head).check(version.etag(), version.lastModified())) {
            case FAILED -> throw new S3Exception(S3Error.PRECONDITION_FAILED);
            case NOT_MODIFIED -> {
                List<Field> headers = new ArrayList<>(3);
                ObjectHeaders.addValidators(headers, version.etag(), version.lastModified());
                return new NotModified(headers);
            }
            case HOLDS -> {
                // the version is what the client wants
            }
        }
        List<Field> headers = ObjectHeaders.of(version, call);
        if (partNumber.isPresent()) {
            return part(version, partNumber.get(), headers, call);
        }
        ByteRange range = rangeHeader == null ? new ByteRange.Whole() : range(rangeHeader, head, version);
        ByteRange.Resolved resolved = range.resolve(version.sizeBytes())
                .orElseThrow(() -> new S3Exception(
                        S3Error.INVALID_RANGE,
                        S3Error.INVALID_RANGE.message(),
                        Map.of(
                                "RangeRequested",
                                rangeHeader == null ? "" : rangeHeader,
                                "ActualObjectSize",
                                "" + version.sizeBytes())));
        if (range instanceof ByteRange.Whole) {
            return new Found(version, resolved, 200, headers);
        }
        return partial(version, resolved, headers);
    }

    ObjectVersion version(BucketName bucket, ObjectKey key, Optional<String> versionId) {
        return version(storage, bucket, key, versionId);
    }

    /** The version that a request names; NoSuchKey, NoSuchVersion. */
    static ObjectVersion version(Storage storage, BucketName bucket, ObjectKey key, Optional<String> versionId) {
        // Without versioning every object has the one version "null".
        if (versionId.isPresent() && !versionId.get().equals("null")) {
            if (versionId.get().isEmpty()) {
                throw S3Exception.invalidArgument("versionId", "", "Version id cannot be the empty string");
            }
            throw new S3Exception(S3Error.NO_SUCH_VERSION);
        }
        return Refusals.done(storage.namespace().currentVersion(bucket, key));
    }

    private Found part(ObjectVersion version, int number, List<Field> headers, Call call) {
        if (version.manifest() instanceof Manifest.Stored stored) {
            List<ManifestPart> found = storage.namespace().parts(stored, number - 1, 1);
            if (found.isEmpty() || found.getFirst().number() != number) {
                throw new S3Exception(S3Error.INVALID_PART_NUMBER);
            }
            headers.add(new Field("x-amz-mp-parts-count", Integer.toString(stored.parts())));
            ManifestPart part = found.getFirst();
            Found answer = partial(version, new ByteRange.Resolved(part.offsetBytes(), part.sizeBytes()), headers);
            if (ObjectHeaders.checksumsAsked(call)) {
                ObjectHeaders.setPartChecksum(headers, version, part);
            }
            return answer;
        }
        if (number != 1) {
            throw new S3Exception(S3Error.INVALID_PART_NUMBER);
        }
        return version.sizeBytes() == 0
                ? new Found(version, new ByteRange.Resolved(0, 0), 200, headers)
                : partial(version, new ByteRange.Resolved(0, version.sizeBytes()), headers);
    }

    private static Found partial(ObjectVersion version, ByteRange.Resolved range, List<Field> headers) {
        if (range.lengthBytes() == 0) {
            return new Found(version, range, 200, headers); // an empty part: Content-Range cannot say it
        }
        // A checksum of the whole would not match the bytes that are sent.
        if (range.lengthBytes() != version.sizeBytes()) {
            headers.removeIf(header -> header.name().startsWith("x-amz-checksum-"));
        }
        long last = range.offsetBytes() + range.lengthBytes() - 1;
        headers.add(
                new Field("content-range", "bytes " + range.offsetBytes() + "-" + last + "/" + version.sizeBytes()));
        return new Found(version, range, 206, headers);
    }

    /**
     * The range that a header asks for; all of it when the header is not one range of bytes, or If-Range names another version
     * (RFC 9110, section 14.2: what is not understood is ignored).
     */
    private static ByteRange range(String header, RequestHead head, ObjectVersion version) {
        Matcher matcher = RANGE.matcher(header.strip());
        String ifRange = head.header("if-range");
        boolean otherVersion = ifRange != null
                && !Conditions.tag(ifRange).filter(version.etag()::equals).isPresent()
                && !HttpDates.parse(ifRange)
                        .equals(Optional.of(version.lastModified().truncatedTo(ChronoUnit.SECONDS)));
        if (otherVersion || !matcher.matches()) {
            return new ByteRange.Whole();
        }
        String first = matcher.group(1);
        String last = matcher.group(2);
        if (first.isEmpty()) {
            return last.isEmpty() ? new ByteRange.Whole() : new ByteRange.Suffix(position(last));
        }
        if (last.isEmpty()) {
            return new ByteRange.From(position(first));
        }
        long from = position(first);
        long to = position(last);
        return from <= to ? new ByteRange.Between(from, to) : new ByteRange.Whole();
    }

    /** A range with both ends, as UploadPartCopy demands it; empty if the header is anything else. */
    static Optional<ByteRange> explicitRange(String header) {
        Matcher matcher = RANGE.matcher(header);
        if (!matcher.matches() || matcher.group(1).isEmpty() || matcher.group(2).isEmpty()) {
            return Optional.empty();
        }
        long from = position(matcher.group(1));
        long to = position(matcher.group(2));
        return from <= to ? Optional.of(new ByteRange.Between(from, to)) : Optional.empty();
    }

    /** A position in an object; one that no object reaches, however many digits it has, is as good as the greatest. */
    private static long position(String digits) {
        return digits.length() > MAX_DIGITS ? Long.MAX_VALUE : Long.parseLong(digits);
    }
}
