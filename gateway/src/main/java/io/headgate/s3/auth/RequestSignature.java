package io.headgate.s3.auth;

import io.headgate.http.RequestHead;
import io.headgate.s3.Decimal;
import io.headgate.s3.QueryParameters;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A Signature V4 as a request presents it, parsed but not verified.
 *
 * @param signedHeaders lower-case names in ascending order, among them {@code host}
 * @param signature what should be 64 hex digits
 * @param expiresSeconds how long from {@code signedAt} on the signature holds, 1 to 604,800; 0 for a header's
 * @param payloadHash the last line of the canonical request
 */
record RequestSignature(
        Carrier carrier,
        CredentialScope scope,
        Timestamp signedAt,
        List<String> signedHeaders,
        String signature,
        int expiresSeconds,
        String payloadHash) {
    static final String ALGORITHM = "AWS4-HMAC-SHA256";
    static final String UNSIGNED_PAYLOAD = "UNSIGNED-PAYLOAD";
    private static final String ASYMMETRIC_ALGORITHM = "AWS4-ECDSA-P256-SHA256";
    private static final int MAX_EXPIRES_SECONDS = 7 * 24 * 60 * 60;

    /** Bounds the work of building a canonical request; more than any client signs. */
    private static final int MAX_SIGNED_HEADERS = 200;

    /** Parses the Authorization header. */
    static RequestSignature ofHeader(RequestHead head, String authorization) {
        int space = authorization.indexOf(' ');
        String scheme = space < 0 ? authorization : authorization.substring(0, space);
        checkScheme(scheme);
        String credential = null;
        String signedHeaders = null;
        String signature = null;
        for (int begin = scheme.length(); begin < authorization.length(); ) {
            int comma = authorization.indexOf(',', begin);
            int end = comma < 0 ? authorization.length() : comma;
            String part = authorization.substring(begin, end).strip();
            if (part.startsWith("Credential=") && credential == null) {
                credential = part.substring("Credential=".length());
            } else if (part.startsWith("SignedHeaders=") && signedHeaders == null) {
                signedHeaders = part.substring("SignedHeaders=".length());
            } else if (part.startsWith("Signature=") && signature == null) {
                signature = part.substring("Signature=".length());
            } else {
                throw Carrier.HEADER.malformed(
                        "The authorization header is malformed; the authorization component is malformed.");
            }
            begin = end + 1;
        }
        return new RequestSignature(
                Carrier.HEADER,
                CredentialScope.parse(present(credential, "Credential"), Carrier.HEADER),
                headerTimestamp(head),
                headerNames(present(signedHeaders, "SignedHeaders"), Carrier.HEADER),
                present(signature, "Signature"),
                0,
                headerPayloadHash(head));
    }

    private static void checkScheme(String scheme) {
        if (scheme.equals(ALGORITHM)) {
            return;
        }
        if (scheme.equals(ASYMMETRIC_ALGORITHM)) {
            throw new S3Exception(S3Error.NOT_IMPLEMENTED, "Signature V4A (" + scheme + ") is not implemented");
        }
        if (scheme.equals("AWS")) {
            throw unsupportedMechanism();
        }
        throw new S3Exception(
                S3Error.INVALID_ARGUMENT, "Unsupported Authorization Type", Map.of("ArgumentName", "Authorization"));
    }

    /** The error for Signature V2. */
    static S3Exception unsupportedMechanism() {
        return new S3Exception(
                S3Error.INVALID_REQUEST,
                "The authorization mechanism you have provided is not supported. Please use " + ALGORITHM + ".");
    }

    private static String present(@Nullable String component, String name) {
        if (component == null || component.isEmpty()) {
            throw Carrier.HEADER.malformed(
                    "The authorization header is malformed; the authorization header requires three components: Credential,"
                            + " SignedHeaders, and Signature; " + name + " is missing.");
        }
        return component;
    }

    private static Timestamp headerTimestamp(RequestHead head) {
        String text = head.header("x-amz-date");
        if (text == null) {
            text = head.header("date");
        }
        Timestamp timestamp = text == null ? null : Timestamp.parseHeader(text);
        if (timestamp == null) {
            throw new S3Exception(
                    S3Error.ACCESS_DENIED, "AWS authentication requires a valid Date or x-amz-date header");
        }
        return timestamp;
    }

    private static String headerPayloadHash(RequestHead head) {
        String hash = head.header("x-amz-content-sha256");
        if (hash == null) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST, "Missing required header for this request: x-amz-content-sha256");
        }
        return hash;
    }

    /** Parses the query of a presigned URL. */
    static RequestSignature ofQuery(RequestHead head, QueryParameters query) {
        String algorithm = query.get("X-Amz-Algorithm");
        String credential = query.get("X-Amz-Credential");
        String signature = query.get("X-Amz-Signature");
        String date = query.get("X-Amz-Date");
        String signedHeaders = query.get("X-Amz-SignedHeaders");
        String expires = query.get("X-Amz-Expires");
        if (algorithm.equals(ASYMMETRIC_ALGORITHM)) {
            throw new S3Exception(S3Error.NOT_IMPLEMENTED, "Signature V4A (" + algorithm + ") is not implemented");
        }
        if (algorithm.isEmpty()
                || credential.isEmpty()
                || signature.isEmpty()
                || date.isEmpty()
                || signedHeaders.isEmpty()
                || expires.isEmpty()) {
            throw Carrier.QUERY.malformed(
                    "Query-string authentication version 4 requires the X-Amz-Algorithm, X-Amz-Credential, X-Amz-Signature,"
                            + " X-Amz-Date, X-Amz-SignedHeaders, and X-Amz-Expires parameters.");
        }
        if (!algorithm.equals(ALGORITHM)) {
            throw Carrier.QUERY.malformed("X-Amz-Algorithm only supports \"" + ALGORITHM + "\"");
        }
        CredentialScope scope = CredentialScope.parse(credential, Carrier.QUERY);
        Timestamp signedAt = Timestamp.parse(date);
        if (signedAt == null) {
            throw Carrier.QUERY.malformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
        }
        return new RequestSignature(
                Carrier.QUERY,
                scope,
                signedAt,
                headerNames(signedHeaders, Carrier.QUERY),
                signature,
                expiresSeconds(expires),
                queryPayloadHash(head, query));
    }

    /** A time that no URL may have is answered as one that is over: clients that try ask for 403 there, as the public tests for S3 do. */
    private static int expiresSeconds(String text) {
        if (text.startsWith("-")) {
            throw new S3Exception(S3Error.ACCESS_DENIED, "Request has expired: X-Amz-Expires must be positive");
        }
        long seconds;
        try {
            seconds = Decimal.parse(text);
        } catch (NumberFormatException notANumber) {
            throw Carrier.QUERY.malformed("X-Amz-Expires should be a number");
        }
        if (seconds < 1) {
            throw new S3Exception(S3Error.ACCESS_DENIED, "Request has expired: X-Amz-Expires must be positive");
        }
        if (seconds > MAX_EXPIRES_SECONDS) {
            throw new S3Exception(
                    S3Error.ACCESS_DENIED,
                    "X-Amz-Expires must be less than a week (in seconds); that is, the given X-Amz-Expires must be less than "
                            + MAX_EXPIRES_SECONDS + " seconds");
        }
        return (int) seconds;
    }

    /** A presigned URL leaves the payload unsigned unless the header or, as some SDKs do, a parameter says otherwise. */
    private static String queryPayloadHash(RequestHead head, QueryParameters query) {
        String hash = head.header("x-amz-content-sha256");
        if (hash == null) {
            hash = query.find("X-Amz-Content-Sha256");
        }
        if (hash == null) {
            hash = query.find("X-Amz-Content-SHA256");
        }
        return hash == null ? UNSIGNED_PAYLOAD : hash;
    }

    private static List<String> headerNames(String joined, Carrier carrier) {
        List<String> names = new ArrayList<>();
        boolean host = false;
        for (int begin = 0; begin <= joined.length(); ) {
            int semicolon = joined.indexOf(';', begin);
            int end = semicolon < 0 ? joined.length() : semicolon;
            String name = joined.substring(begin, end);
            boolean ordered = names.isEmpty() || names.getLast().compareTo(name) < 0;
            if (name.isEmpty() || !ordered || !isLowerCase(name) || names.size() == MAX_SIGNED_HEADERS) {
                throw carrier.malformed("SignedHeaders must be lower-case names, each once, in alphabetical order");
            }
            host |= name.equals("host");
            names.add(name);
            begin = end + 1;
        }
        if (!host) {
            throw carrier.malformed("SignedHeaders must contain host");
        }
        return names;
    }

    private static boolean isLowerCase(String name) {
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            if ((c >= 'A' && c <= 'Z') || c <= ' ' || c == ':' || c >= 0x7F) {
                return false;
            }
        }
        return true;
    }
}
