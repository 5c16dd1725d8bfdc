package io.headgate.s3.op;

import io.headgate.domain.BlockInputStream;
import io.headgate.domain.ByteRange;
import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ETag;
import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.region.PeerRequest;
import io.headgate.region.PeerResponse;
import io.headgate.s3.CopySource;
import io.headgate.s3.PercentCoding;
import io.headgate.s3.S3BodyException;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.XmlElement;
import io.headgate.s3.auth.BodyClaims;
import io.headgate.s3.auth.Payload;
import io.headgate.s3.auth.VerifiedBody;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The source of a copy in another region, read as its user may read it there, while it is written here. To be closed, which frees the other
 * region. Used by one thread.
 */
final class RemoteSource implements AutoCloseable {
    /** With which a region asks another for the tags too, as {@code x-amz-tagging}. */
    private static final Logger LOG = LoggerFactory.getLogger(RemoteSource.class);

    private static final int MAX_ERROR_BYTES = 64 * 1024;

    /** The copy's headers about its source, and what they are when it is read. */
    private static final Map<String, String> CONDITIONS = Map.of(
            "x-amz-copy-source-if-match", "if-match",
            "x-amz-copy-source-if-none-match", "if-none-match",
            "x-amz-copy-source-if-modified-since", "if-modified-since",
            "x-amz-copy-source-if-unmodified-since", "if-unmodified-since",
            "x-amz-source-expected-bucket-owner", "x-amz-expected-bucket-owner");

    private final PeerResponse response;
    private final long sizeBytes;

    private RemoteSource(PeerResponse response, long sizeBytes) {
        this.response = response;
        this.sizeBytes = sizeBytes;
    }

    /**
     * Asks for the source, or for a range of it.
     *
     * @return empty if the source is in this region after all
     * @throws S3Exception as the other region answers, or ServiceUnavailable if it does not
     */
    static Optional<RemoteSource> open(
            OwningRegion owning, String region, CopySource source, ByteRange range, Call call) {
        List<Field> fields = new ArrayList<>();
        for (Field field : call.head().fields()) {
            String name = CONDITIONS.get(field.name());
            if (name != null) {
                fields.add(new Field(name, field.value()));
            }
        }
        for (String name : List.of("referer", "user-agent")) { // the source's bucket may have conditions on them
            call.head().headers(name).forEach(value -> fields.add(new Field(name, value)));
        }
        fields.add(new Field("x-amz-checksum-mode", "ENABLED"));
        fields.add(new Field(PeerRequest.WITH_TAGS, "true"));
        if (range instanceof ByteRange.Between(long first, long last)) {
            fields.add(new Field("range", "bytes=" + first + "-" + last));
        }
        String target = "/" + source.bucket() + "/"
                + PercentCoding.encodeForListing(source.key().value());
        Optional<PeerResponse> answer = owning.read(
                source.bucket(),
                region,
                new PeerRequest(
                        "GET",
                        target,
                        fields,
                        call.userId(),
                        call.head().remoteAddress(),
                        call.exchange().requestId(),
                        Optional.empty()));
        return answer.map(response -> opened(response, range));
    }

    private static RemoteSource opened(PeerResponse response, ByteRange range) {
        boolean opened = false;
        try {
            if (response.status() != 200 && response.status() != 206) {
                throw failure(response);
            }
            if (range instanceof ByteRange.Between(long first, long last) && !holds(response, first, last)) {
                throw new S3Exception(S3Error.INVALID_RANGE);
            }
            RemoteSource source = new RemoteSource(
                    response,
                    response.contentLengthBytes().orElseThrow(() -> new S3Exception(S3Error.SERVICE_UNAVAILABLE)));
            opened = true;
            return source;
        } finally {
            if (!opened) {
                close(response);
            }
        }
    }

    /** Whether all of the range lies in the source. */
    private static boolean holds(PeerResponse response, long first, long last) {
        return field(response, "content-range")
                .filter(value -> value.startsWith("bytes " + first + "-" + last + "/"))
                .isPresent();
    }

    private static S3Exception failure(PeerResponse response) {
        if (response.status() == 304) {
            return new S3Exception(S3Error.PRECONDITION_FAILED); // as a copy has no copy of its own to be current
        }
        try {
            byte[] document = response.body().isEmpty()
                    ? new byte[0]
                    : response.body().get().readNBytes(MAX_ERROR_BYTES);
            XmlElement error = XmlElement.parse(document, "Error");
            String code = error.requiredText("Code");
            for (S3Error known : S3Error.values()) {
                if (known.code().equals(code)) {
                    return new S3Exception(known, error.childText("Message").orElse(known.message()));
                }
            }
            LOG.warn("a region answered a read with {} {}", response.status(), code);
        } catch (IOException | S3Exception unreadable) {
            LOG.warn("a region answered a read with {} and no error that can be read", response.status());
        }
        return new S3Exception(S3Error.SERVICE_UNAVAILABLE);
    }

    /** How many bytes it has, or the range of it. */
    long sizeBytes() {
        return sizeBytes;
    }

    /** What a copy takes over: all but storage class and redirect. */
    ObjectAttributes attributes() {
        List<Field> fields = response.fields().stream()
                .filter(field -> !field.name().equals(ObjectAttributes.WEBSITE_REDIRECT))
                .toList();
        return RequestAttributes.read(new RequestHead("PUT", "/", fields, ""));
    }

    /** The algorithm of the source's checksum, if it has one. */
    Optional<ChecksumAlgorithm> checksumAlgorithm() {
        for (ChecksumAlgorithm algorithm : ChecksumAlgorithm.values()) {
            if (field(response, algorithm.header()).isPresent()) {
                return Optional.of(algorithm);
            }
        }
        return Optional.empty();
    }

    /** The bytes, with their MD5 and the checksum. */
    VerifiedBody body(Optional<ChecksumAlgorithm> checksum) {
        BodyClaims claims = BodyClaims.withoutChecksum(
                new RequestHead("PUT", "/", List.of(), ""), new Payload.Unsigned(), OptionalLong.of(sizeBytes));
        InputStream bytes = response.body().orElseGet(InputStream::nullInputStream);
        return new VerifiedBody(claims, new RegionStream(bytes), checksum.orElse(null));
    }

    /**
     * Compares what arrived with what was there: the entity tag is the MD5 of the bytes unless they were written in parts, and the checksum is of
     * the same bytes if it is of the whole.
     */
    void check(ETag arrived, Optional<Checksum> checksum) {
        Optional<ETag> source = field(response, "etag").flatMap(Conditions::tag);
        boolean otherBytes = source.isPresent()
                && source.get().value().length() == arrived.value().length()
                && !source.get().equals(arrived);
        boolean ofTheWhole = field(response, "x-amz-checksum-type")
                .filter(Checksum.Type.FULL_OBJECT.name()::equals)
                .isPresent();
        boolean otherChecksum = ofTheWhole
                && checksum.isPresent()
                && field(response, checksum.get().algorithm().header())
                        .filter(value -> !value.equals(checksum.get().base64()))
                        .isPresent();
        if (response.status() == 200 && (otherBytes || otherChecksum)) {
            throw new S3Exception(
                    S3Error.SERVICE_UNAVAILABLE, "The source was damaged on its way between regions. Please try again");
        }
    }

    private static Optional<String> field(PeerResponse response, String name) {
        return response.fields().stream()
                .filter(field -> field.name().equals(name))
                .map(Field::value)
                .findFirst();
    }

    @Override
    public void close() {
        close(response);
    }

    private static void close(PeerResponse response) {
        try {
            response.close();
        } catch (IOException failed) {
            LOG.debug("a connection to another region did not close in order", failed);
        }
    }

    /** What breaks here is not the client's fault. */
    private static final class RegionStream extends BlockInputStream {
        private final InputStream in;

        RegionStream(InputStream in) {
            this.in = in;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            try {
                return in.read(bytes, offset, length);
            } catch (IOException broken) {
                LOG.warn("a read from another region broke off: {}", broken.getMessage());
                throw new S3BodyException(S3Error.SERVICE_UNAVAILABLE);
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
