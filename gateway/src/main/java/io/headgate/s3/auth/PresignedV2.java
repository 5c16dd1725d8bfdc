package io.headgate.s3.auth;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.http.RequestHead;
import io.headgate.s3.Decimal;
import io.headgate.s3.QueryParameters;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.security.InvalidKeyException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Verifies URLs presigned by Signature Version 2, which boto3 and version 1 of aws-cli still make by default for the region us-east-1
 * and for other old ones. Thread-safe.
 *
 * <p>This signature covers neither the Host header nor parameters that it does not know. So the bucket that the host stands for is put
 * into what must be signed, and a parameter that is not covered is refused if it could mean something.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/RESTAuthentication.html">S3: Signature Version 2</a>
 */
final class PresignedV2 {
    static final int SIGNATURE_BYTES = 20;

    /** What the signature covers. */
    private static final Set<String> SIGNED = Set.of(
            "acl",
            "cors",
            "delete",
            "lifecycle",
            "location",
            "logging",
            "notification",
            "partNumber",
            "policy",
            "replication",
            "requestPayment",
            "response-cache-control",
            "response-content-disposition",
            "response-content-encoding",
            "response-content-language",
            "response-content-type",
            "response-expires",
            "restore",
            "tagging",
            "torrent",
            "uploadId",
            "uploads",
            "versionId",
            "versioning",
            "versions",
            "website");

    /** What it does not cover and nobody acts on: the signature itself, and copies of signed headers. */
    private static final Set<String> IDLE =
            Set.of("AWSAccessKeyId", "Expires", "Signature", "content-md5", "content-type", "x-id");

    private final CredentialSource credentials;

    private final Function<RequestHead, String> hostBucket;

    /** @param hostBucket the bucket that the Host header stands for; empty in path style */
    PresignedV2(CredentialSource credentials, Function<RequestHead, String> hostBucket) {
        this.credentials = credentials;
        this.hostBucket = hostBucket;
    }

    /** Verifies a request whose query holds a signature. */
    Authentication.Verified verify(RequestHead head, QueryParameters query, Instant now) {
        checkAge(query.get("Expires"), now);
        String accessKey = query.get("AWSAccessKeyId");
        Credential credential = credentials.find(accessKey);
        if (credential == null) {
            throw new S3Exception(
                    S3Error.INVALID_ACCESS_KEY_ID,
                    S3Error.INVALID_ACCESS_KEY_ID.message(),
                    Map.of("AWSAccessKeyId", accessKey));
        }
        if (query.has("x-amz-security-token") || head.header("x-amz-security-token") != null) {
            throw SigV4.tokensNotSupported();
        }
        String payloadHash = head.header("x-amz-content-sha256");
        if (payloadHash != null && !payloadHash.equals(RequestSignature.UNSIGNED_PAYLOAD)) {
            throw RequestSignature.unsupportedMechanism();
        }
        String bucket = hostBucket.apply(head);
        String before = head.method() + "\n" + header(head, "content-md5") + "\n" + header(head, "content-type") + "\n"
                + query.get("Expires") + "\n" + amzHeaders(head) + (bucket.isEmpty() ? "" : "/" + bucket);
        String after = signedParameters(query);
        CanonicalText anew = new CanonicalText(head.target().length());
        anew.appendEncoded(head.rawPath(), 0, head.rawPath().length(), true, false);
        byte[] provided = BodyClaims.decode(query.get("Signature"), SIGNATURE_BYTES);
        if (provided == null
                || (!signs(credential, before + head.rawPath() + after, provided)
                        && !signs(credential, before + anew + after, provided))) {
            throw new S3Exception(
                    S3Error.SIGNATURE_DOES_NOT_MATCH,
                    S3Error.SIGNATURE_DOES_NOT_MATCH.message(),
                    Map.of("AWSAccessKeyId", accessKey, "StringToSign", before + head.rawPath() + after));
        }
        return new Authentication.Verified(credential, new Payload.Unsigned());
    }

    private static void checkAge(String expires, Instant now) {
        long seconds;
        try {
            seconds = Decimal.parse(expires);
        } catch (NumberFormatException notANumber) {
            throw new S3Exception(S3Error.ACCESS_DENIED, "Invalid date (should be seconds since epoch): Expires");
        }
        if (now.getEpochSecond() >= seconds) {
            throw new S3Exception(
                    S3Error.ACCESS_DENIED,
                    "Request has expired",
                    Map.of("Expires", expires, "ServerTime", now.toString()));
        }
    }

    private static String header(RequestHead head, String name) {
        String value = head.header(name);
        return value == null ? "" : value;
    }

    private static String amzHeaders(RequestHead head) {
        TreeMap<String, String> values = new TreeMap<>();
        for (RequestHead.Field field : head.fields()) {
            if (field.name().startsWith(CanonicalRequest.OWN_PREFIX)) {
                // Version 2 signs headers of Amazon's only.
                throw new S3Exception(
                        S3Error.ACCESS_DENIED,
                        "There were headers present in the request which were not signed",
                        Map.of("HeadersNotSigned", field.name()));
            }
            if (CanonicalRequest.mustBeSigned(field.name())) {
                values.merge(field.name(), field.value().strip(), (first, next) -> first + "," + next);
            }
        }
        StringBuilder text = new StringBuilder();
        values.forEach(
                (name, value) -> text.append(name).append(':').append(value).append('\n'));
        return text.toString();
    }

    private static String signedParameters(QueryParameters query) {
        List<String> names = query.names();
        TreeSet<String> signed = new TreeSet<>();
        for (String name : names) {
            boolean idle = IDLE.contains(name.toLowerCase(Locale.ROOT))
                    || IDLE.contains(name)
                    || name.toLowerCase(Locale.ROOT).startsWith("x-amz-");
            if (SIGNED.contains(name) ? !signed.add(name) : !idle) {
                throw new S3Exception(
                        S3Error.INVALID_REQUEST,
                        "Signature Version 2 does not cover this query. Please use " + RequestSignature.ALGORITHM
                                + ".");
            }
        }
        StringBuilder text = new StringBuilder();
        for (String name : signed) {
            // Like the headers, with a character for each byte.
            String value = new String(query.get(name).getBytes(UTF_8), ISO_8859_1);
            text.append(text.isEmpty() ? '?' : '&').append(name).append(value.isEmpty() ? "" : "=" + value);
        }
        return text.toString();
    }

    /** Whether {@code provided} is the HMAC-SHA1 of the text, in a time that does not tell how far it is. */
    static boolean signs(Credential credential, String text, byte[] provided) {
        try {
            Mac mac = Mac.getInstance("HmacSHA1");
            mac.init(new SecretKeySpec(credential.secret().getBytes(UTF_8), "HmacSHA1"));
            return MessageDigest.isEqual(mac.doFinal(text.getBytes(ISO_8859_1)), provided);
        } catch (NoSuchAlgorithmException | InvalidKeyException impossible) {
            throw new IllegalStateException("HmacSHA1 is part of every Java platform and takes any key", impossible);
        }
    }
}
