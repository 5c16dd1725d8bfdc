package io.headgate.s3.auth;

import io.headgate.http.RequestHead;
import io.headgate.s3.QueryParameters;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Verifies AWS Signature Version 4 of requests, in the Authorization header and in presigned URLs; of Version 2 the presigned URLs
 * that current SDKs still make. Thread-safe.
 *
 * <p>S3 signs the path with each byte encoded once, by one rule, and white space inside of headers as one space. Some clients send
 * another encoding than they sign (the SDK for Java sends the key {@code a//b} as {@code a/%2Fb} and signs {@code a//b}), some sign
 * another encoding and send it, some sign headers as they are (s3cmd). Each form that means the same is tried.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html">S3: authenticating requests
 *     (Signature Version 4)</a>
 */
public final class SigV4 {
    private static final Duration MAX_SKEW = Duration.ofMinutes(15);

    private final String region;
    private final CredentialSource credentials;
    /** By the regions that signatures may name. */
    private final Map<String, SigningKeys> signingKeys;

    private final PresignedV2 presignedV2;
    private final FormSignatures forms;

    /** With the one region that signatures must name. */
    public SigV4(String region, CredentialSource credentials, Function<RequestHead, String> hostBucket) {
        this(region, Set.of(region), credentials, hostBucket);
    }

    /**
     * @param region that a client is told of which signs for none of the regions
     * @param regions that signatures may name
     * @param hostBucket the bucket that a request's Host header stands for, by the same rule by which the request is routed; empty if
     *     the bucket stands in the path
     */
    public SigV4(
            String region,
            Set<String> regions,
            CredentialSource credentials,
            Function<RequestHead, String> hostBucket) {
        this.region = region;
        this.credentials = credentials;
        this.signingKeys = regions.stream().collect(Collectors.toUnmodifiableMap(name -> name, SigningKeys::new));
        this.presignedV2 = new PresignedV2(credentials, hostBucket);
        this.forms = new FormSignatures(region, signingKeys, credentials);
    }

    /**
     * Finds out who signed a request. The body is not looked at.
     *
     * @param query the head's
     * @param now by which the age of the signature is judged
     * @throws S3Exception with S3's error if the request claims to be signed but is not, not by a known key, not in time, not for
     *     here, or not in a way that is supported
     */
    public Authentication authenticate(RequestHead head, QueryParameters query, Instant now) {
        List<String> authorizations = head.headers("authorization");
        boolean presigned =
                query.has("X-Amz-Algorithm") || query.has("X-Amz-Credential") || query.has("X-Amz-Signature");
        boolean version2 = query.has("Signature") && query.has("AWSAccessKeyId");
        if (authorizations.size() + (presigned ? 1 : 0) + (version2 ? 1 : 0) > 1) {
            throw new S3Exception(
                    S3Error.INVALID_ARGUMENT,
                    "Only one auth mechanism allowed; only the X-Amz-Algorithm query parameter, Signature query string parameter"
                            + " or the Authorization header should be specified",
                    Map.of("ArgumentName", "Authorization"));
        }
        if (version2) {
            return presignedV2.verify(head, query, now);
        }
        if (presigned) {
            return verify(head, RequestSignature.ofQuery(head, query), query.has("X-Amz-Security-Token"), now);
        }
        if (authorizations.isEmpty()) {
            return new Authentication.Anonymous(unsigned(head));
        }
        return verify(head, RequestSignature.ofHeader(head, authorizations.getFirst()), false, now);
    }

    /**
     * Finds out who signed the policy of a browser's form.
     *
     * @param fields of the form, by their names in lower case
     * @throws S3Exception as {@link #authenticate} does
     */
    public Authentication authenticateForm(Map<String, String> fields, Instant now) {
        return forms.authenticate(fields, now);
    }

    private Authentication verify(RequestHead head, RequestSignature claim, boolean tokenInQuery, Instant now) {
        CredentialScope scope = claim.scope();
        SigningKeys keys = signingKeys.get(scope.region());
        scope.check(
                claim.carrier(),
                keys == null ? region : scope.region(),
                claim.signedAt().date());
        checkAge(claim, now);
        if (tokenInQuery || head.header("x-amz-security-token") != null) {
            throw tokensNotSupported();
        }
        Credential credential = credentials.find(scope.accessKey());
        if (credential == null) {
            throw new S3Exception(
                    S3Error.INVALID_ACCESS_KEY_ID,
                    S3Error.INVALID_ACCESS_KEY_ID.message(),
                    Map.of("AWSAccessKeyId", scope.accessKey()));
        }
        SigningKey key = Objects.requireNonNull(keys).get(credential.secret(), scope.date());
        byte[] signature = checkSignature(head, claim, key);
        return new Authentication.Verified(credential, payload(claim, key, signature));
    }

    static S3Exception tokensNotSupported() {
        return new S3Exception(S3Error.INVALID_TOKEN, "Security tokens are not supported here");
    }

    private static void checkAge(RequestSignature claim, Instant now) {
        Instant signedAt = claim.signedAt().instant();
        switch (claim.carrier()) {
            case HEADER -> {
                if (Duration.between(signedAt, now).abs().compareTo(MAX_SKEW) > 0) {
                    throw new S3Exception(
                            S3Error.REQUEST_TIME_TOO_SKEWED,
                            S3Error.REQUEST_TIME_TOO_SKEWED.message(),
                            Map.of(
                                    "RequestTime", claim.signedAt().text(),
                                    "ServerTime", now.toString(),
                                    "MaxAllowedSkewMilliseconds", Long.toString(MAX_SKEW.toMillis())));
                }
            }
            case QUERY, FORM -> {
                if (signedAt.isAfter(now.plus(MAX_SKEW))) {
                    throw new S3Exception(S3Error.ACCESS_DENIED, "Request is not valid yet");
                }
                Instant expires = signedAt.plusSeconds(claim.expiresSeconds());
                if (!now.isBefore(expires)) {
                    throw new S3Exception(
                            S3Error.ACCESS_DENIED,
                            "Request has expired",
                            Map.of(
                                    "X-Amz-Expires", Integer.toString(claim.expiresSeconds()),
                                    "Expires", expires.toString(),
                                    "ServerTime", now.toString()));
                }
            }
        }
    }

    /** The signature, if it is right for one of the forms in which clients sign what they sent: four at most, almost always the first. */
    private static byte[] checkSignature(RequestHead head, RequestSignature claim, SigningKey key) {
        CanonicalText asSent = new CanonicalText(head.target().length());
        asSent.append(head.rawPath());
        CanonicalRequest canonical = new CanonicalRequest(head, claim, true);
        byte[] signature = new byte[SigningKey.SIGNATURE_BYTES];
        if (signs(key, claim, canonical.sha256(asSent), signature)) {
            return signature;
        }
        CanonicalText anew = new CanonicalText(head.target().length());
        String rawPath = head.rawPath();
        anew.appendEncoded(rawPath, 0, rawPath.length(), true, false);
        byte[] hash = canonical.sha256(anew);
        if (signs(key, claim, hash, signature)) {
            return signature;
        }
        if (canonical.isCollapsible()) {
            CanonicalRequest asWritten = new CanonicalRequest(head, claim, false);
            if (signs(key, claim, asWritten.sha256(asSent), signature)
                    || signs(key, claim, asWritten.sha256(anew), signature)) {
                return signature;
            }
        }
        throw new S3Exception(
                S3Error.SIGNATURE_DOES_NOT_MATCH,
                S3Error.SIGNATURE_DOES_NOT_MATCH.message(),
                Map.of(
                        "AWSAccessKeyId", claim.scope().accessKey(),
                        "StringToSign", stringToSign(claim, hash).toString(),
                        "SignatureProvided", claim.signature(),
                        "CanonicalRequest", canonical.text(anew)));
    }

    /** Computes the signature of a canonical request with that hash; whether it is the one that the request presents. */
    private static boolean signs(SigningKey key, RequestSignature claim, byte[] canonicalHash, byte[] signature) {
        CanonicalText text = stringToSign(claim, canonicalHash);
        key.sign(text.bytes(), text.length(), signature);
        return SigningKey.matches(signature, claim.signature());
    }

    private static CanonicalText stringToSign(RequestSignature claim, byte[] canonicalHash) {
        CanonicalText text = new CanonicalText(192);
        text.append(RequestSignature.ALGORITHM);
        text.append('\n');
        text.append(claim.signedAt().text());
        text.append('\n');
        text.append(claim.scope().text());
        text.append('\n');
        text.appendHex(canonicalHash);
        return text;
    }

    /** How the body of a request without a signature is framed, and what is said of its hash. */
    private static Payload unsigned(RequestHead head) {
        String hash = head.header("x-amz-content-sha256");
        if (hash == null || hash.equals(RequestSignature.UNSIGNED_PAYLOAD)) {
            return new Payload.Unsigned();
        }
        return switch (hash) {
            case "STREAMING-UNSIGNED-PAYLOAD-TRAILER" -> new Payload.UnsignedChunks();
            default -> sha256(hash);
        };
    }

    private static Payload payload(RequestSignature claim, SigningKey key, byte[] signature) {
        String hash = claim.payloadHash();
        if (hash.equals(RequestSignature.UNSIGNED_PAYLOAD)) {
            return new Payload.Unsigned();
        }
        if (hash.startsWith("STREAMING-")) {
            return streaming(hash, claim, key, signature);
        }
        return sha256(hash);
    }

    private static Payload sha256(String hash) {
        boolean hex = hash.length() == 2 * SigningKey.SIGNATURE_BYTES
                && hash.chars().allMatch(c -> SigningKey.hexDigit(c) >= 0);
        if (!hex) {
            throw new S3Exception(
                    S3Error.INVALID_ARGUMENT,
                    "x-amz-content-sha256 must be UNSIGNED-PAYLOAD, STREAMING-UNSIGNED-PAYLOAD-TRAILER,"
                            + " STREAMING-AWS4-HMAC-SHA256-PAYLOAD, STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER, or a valid sha256"
                            + " value.",
                    Map.of("ArgumentName", "x-amz-content-sha256", "ArgumentValue", hash));
        }
        return new Payload.Sha256(hash);
    }

    private static Payload streaming(String mode, RequestSignature claim, SigningKey key, byte[] signature) {
        return switch (mode) {
            case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD" ->
                new Payload.SignedChunks(new ChunkSignatures(key, claim, signature), false);
            case "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER" ->
                new Payload.SignedChunks(new ChunkSignatures(key, claim, signature), true);
            case "STREAMING-UNSIGNED-PAYLOAD-TRAILER" -> new Payload.UnsignedChunks();
            default ->
                throw new S3Exception(S3Error.NOT_IMPLEMENTED, "The payload mode " + mode + " is not implemented");
        };
    }
}
