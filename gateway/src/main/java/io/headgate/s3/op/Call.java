package io.headgate.s3.op;

import io.headgate.domain.BucketName;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.http.Exchange;
import io.headgate.http.RequestHead;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Namespace;
import io.headgate.s3.QueryParameters;
import io.headgate.s3.S3BodyException;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.XmlElement;
import io.headgate.s3.auth.BodyClaims;
import io.headgate.s3.auth.Payload;
import io.headgate.s3.auth.RelayedBody;
import io.headgate.s3.auth.VerifiedBody;
import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** An authenticated request on its way through its operation. Used by one thread. */
final class Call {
    /** Larger than the largest document that S3 accepts: 10,000 parts with checksums, 1,000 keys of 1,024 bytes. */
    private static final int MAX_DOCUMENT_BYTES = 4 << 20;

    private final Exchange exchange;
    private final QueryParameters query;
    private final String userId;
    private final Payload payload;
    private final Namespace namespace;
    private final BucketRegions regions;
    private final boolean forwarded;
    private @Nullable Bucket bucket;
    private boolean bodyTaken;
    private Optional<String> sourceRegion = Optional.empty();

    Call(
            Exchange exchange,
            QueryParameters query,
            String userId,
            Payload payload,
            Namespace namespace,
            BucketRegions regions,
            boolean forwarded) {
        this.exchange = exchange;
        this.query = query;
        this.userId = userId;
        this.payload = payload;
        this.namespace = namespace;
        this.regions = regions;
        this.forwarded = forwarded;
    }

    /** The same request, of which it is now known who sent it. */
    Call by(String user) {
        Call known = new Call(exchange, query, user, payload, namespace, regions, forwarded);
        known.bodyTaken = bodyTaken;
        exchange.label(Exchange.Label.USER, user);
        return known;
    }

    Exchange exchange() {
        return exchange;
    }

    RequestHead head() {
        return exchange.head();
    }

    /** The parameters of the request's target. */
    QueryParameters query() {
        return query;
    }

    @Nullable String header(String name) {
        return exchange.head().header(name);
    }

    /** Who sent the request, or {@link Users#ANONYMOUS}. */
    String userId() {
        return userId;
    }

    /** Whether another region's gateway has sent it here. */
    boolean isForwarded() {
        return forwarded;
    }

    /** The other region that has the source of a copy, which is then read by that region's rules; empty if it is here. */
    Optional<String> sourceRegion() {
        return sourceRegion;
    }

    /** Says so once, when it is decided by whose rules the source is read. */
    void sourceIsIn(Optional<String> region) {
        sourceRegion = region;
    }

    /** The request's bucket, looked up once. */
    Bucket bucket(BucketName name) {
        Bucket found = bucket;
        if (found == null || !found.name().equals(name)) {
            found = namespace.bucket(name).orElseThrow(() -> new S3Exception(S3Error.NO_SUCH_BUCKET));
            bucket = found;
        }
        return found;
    }

    /** The account region that the request asks for, or else the bucket's; empty for none. */
    String region(BucketName name) {
        String asked = header("x-headgate-region");
        return asked == null ? regions.of(name, () -> bucket(name).location()) : asked;
    }

    /** What the head says of the body; MissingContentLength if it does not say how long it is. */
    BodyClaims claims() {
        return BodyClaims.of(head(), payload, exchange.contentLength());
    }

    /**
     * The body, whose last read verifies signature, length and checksums.
     *
     * @param unasked the checksum to compute if the client sends none
     */
    VerifiedBody body(BodyClaims claims, Optional<ChecksumAlgorithm> unasked) {
        bodyTaken = true;
        return new VerifiedBody(claims, exchange.body(), unasked.orElse(null));
    }

    /** The body of a form, which says itself how it is signed. */
    InputStream formBody() {
        bodyTaken = true;
        return exchange.body();
    }

    /** Whether the body, or a part of it, may have been read. */
    boolean isBodyTaken() {
        return bodyTaken;
    }

    /** The body for another region's gateway; empty if the request announces none. */
    Optional<RelayedBody> relayedBody() {
        return RelayedBody.of(head(), payload, exchange.contentLength(), exchange.body());
    }

    /** What the checksum headers of a request with a document are about. */
    enum DigestOf {
        DOCUMENT,
        /** The same, and there must be one, or a Content-MD5, lest a damaged document deletes the wrong objects. */
        DOCUMENT_REQUIRED,
        OBJECT
    }

    /** The whole body of a request that carries a document, verified; empty if there is none. */
    byte[] document(DigestOf digestOf) {
        boolean noBody = exchange.contentLength().isEmpty() && header("transfer-encoding") == null;
        OptionalLong length = noBody ? OptionalLong.of(0) : exchange.contentLength();
        BodyClaims claims = digestOf == DigestOf.OBJECT
                ? BodyClaims.withoutChecksum(head(), payload, length)
                : BodyClaims.of(head(), payload, length);
        if (digestOf == DigestOf.DOCUMENT_REQUIRED && !claims.hasDigest()) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "Missing required header for this request: Content-MD5 OR x-amz-checksum-*");
        }
        if (claims.lengthBytes() > MAX_DOCUMENT_BYTES) {
            throw new S3Exception(S3Error.MALFORMED_XML, "The document is too large");
        }
        try (VerifiedBody body = body(claims, Optional.empty())) {
            byte[] document = body.readNBytes((int) claims.lengthBytes()); // grows as bytes arrive
            body.finish();
            return document;
        } catch (IOException broken) {
            throw bodyFailure(broken);
        }
    }

    /** The body as XML with that root. */
    XmlElement document(String root, DigestOf digestOf) {
        return XmlElement.parse(document(digestOf), root);
    }

    /** The S3 error for a body that could not be read. */
    static S3Exception bodyFailure(IOException broken) {
        if (broken instanceof S3BodyException wrong) {
            return wrong.asAnswer();
        }
        return new S3Exception(S3Error.INCOMPLETE_BODY);
    }
}
