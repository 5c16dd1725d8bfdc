package io.headgate.conformance;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Signature V4 for raw requests, written from the specification and apart from the SDK's, so that each checks the other. It signs
 * what it is told, right or wrong.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-authenticating-requests.html">S3: authenticating requests</a>
 */
record Signer(Endpoint endpoint, String accessKey, String secretKey, String region, Instant now) {
    static final String UNSIGNED = "UNSIGNED-PAYLOAD";
    static final String SIGNED_CHUNKS = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
    static final String SIGNED_CHUNKS_TRAILER = "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER";
    static final String UNSIGNED_CHUNKS_TRAILER = "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
    static final String EMPTY_HASH = sha256(new byte[0]);

    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);
    private static final int SIGNATURE_HEX_DIGITS = 64;

    static Signer of(Endpoint endpoint) {
        return new Signer(
                endpoint,
                endpoint.accessKey(),
                endpoint.secretKey(),
                endpoint.region(),
                Instant.now().truncatedTo(ChronoUnit.SECONDS));
    }

    Signer withSecretKey(String other) {
        return new Signer(endpoint, accessKey, other, region, now);
    }

    Signer withAccessKey(String other) {
        return new Signer(endpoint, other, secretKey, region, now);
    }

    Signer withRegion(String other) {
        return new Signer(endpoint, accessKey, secretKey, other, now);
    }

    Signer at(Instant time) {
        return new Signer(endpoint, accessKey, secretKey, region, time);
    }

    /** Signs with the hash of the body. */
    RawRequest sign(RawRequest request) {
        return sign(request, sha256(request.body()));
    }

    /**
     * Adds Host (unless given), x-amz-date, x-amz-content-sha256 and Authorization. Every header given so far is signed, but for
     * those that proxies may change.
     */
    RawRequest sign(RawRequest request, String payloadHash) {
        RawRequest complete = request.header("Host").isPresent() ? request : request.with("Host", endpoint.authority());
        complete = complete.with("x-amz-date", TIME.format(now)).with("x-amz-content-sha256", payloadHash);
        SortedMap<String, String> signed = signedHeaders(complete);
        String signature = signature(canonical(complete, queryOf(complete.target()), signed, payloadHash));
        return complete.with(
                "Authorization",
                "AWS4-HMAC-SHA256 Credential=" + accessKey + "/" + scope() + ", SignedHeaders="
                        + String.join(";", signed.keySet()) + ", Signature=" + signature);
    }

    /** Moves the signature into the query: the request needs no headers but those that were given before, which are signed. */
    RawRequest presign(RawRequest request, Duration expires) {
        RawRequest complete = request.header("Host").isPresent() ? request : request.with("Host", endpoint.authority());
        SortedMap<String, String> signed = signedHeaders(complete);
        String target = complete.target() + (complete.target().contains("?") ? "&" : "?")
                + "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential="
                + encode(accessKey + "/" + scope()) + "&X-Amz-Date=" + TIME.format(now) + "&X-Amz-Expires="
                + expires.toSeconds() + "&X-Amz-SignedHeaders=" + encode(String.join(";", signed.keySet()));
        RawRequest unsigned = complete.withTarget(target);
        String signature = signature(canonical(unsigned, queryOf(target), signed, UNSIGNED));
        return unsigned.withTarget(target + "&X-Amz-Signature=" + signature);
    }

    /** Signs and frames a body as {@code aws-chunked} with signed chunks, without trailers. */
    RawRequest signChunks(RawRequest request, byte[] body, int chunkSize) {
        return chunked(request, body, chunkSize, SIGNED_CHUNKS, "", "");
    }

    /** As {@link #signChunks}, with a signed trailer. */
    RawRequest signChunks(RawRequest request, byte[] body, int chunkSize, String trailer, String value) {
        return chunked(request.with("x-amz-trailer", trailer), body, chunkSize, SIGNED_CHUNKS_TRAILER, trailer, value);
    }

    /** Frames a body as {@code aws-chunked} without chunk signatures and with a trailer; only the head is signed. */
    RawRequest unsignedChunks(RawRequest request, byte[] body, int chunkSize, String trailer, String value) {
        return chunked(
                request.with("x-amz-trailer", trailer), body, chunkSize, UNSIGNED_CHUNKS_TRAILER, trailer, value);
    }

    private RawRequest chunked(
            RawRequest request, byte[] body, int chunkSize, String mode, String trailer, String trailerValue) {
        boolean signs = !mode.equals(UNSIGNED_CHUNKS_TRAILER);
        List<byte[]> chunks = new ArrayList<>();
        for (int start = 0; start < body.length; start += chunkSize) {
            chunks.add(Arrays.copyOfRange(body, start, Math.min(body.length, start + chunkSize)));
        }
        chunks.add(new byte[0]);
        // The length is signed and the signatures are in the body: find the length first, all signatures being of one
        // length.
        String placeholder = "0".repeat(SIGNATURE_HEX_DIGITS);
        int length = frame(chunks, signs, trailer, trailerValue, chunk -> placeholder, value -> placeholder).length;
        RawRequest head = sign(
                request.with("Content-Encoding", "aws-chunked")
                        .with("x-amz-decoded-content-length", Integer.toString(body.length))
                        .with("Content-Length", Integer.toString(length)),
                mode);
        String[] previous = {signatureOf(head)};
        byte[] framed = frame(
                chunks,
                signs,
                trailer,
                trailerValue,
                chunk -> previous[0] = signString("AWS4-HMAC-SHA256-PAYLOAD\n" + TIME.format(now) + "\n" + scope()
                        + "\n" + previous[0] + "\n" + EMPTY_HASH + "\n" + sha256(chunk)),
                value ->
                        signString("AWS4-HMAC-SHA256-TRAILER\n" + TIME.format(now) + "\n" + scope() + "\n" + previous[0]
                                + "\n" + sha256((trailer + ":" + value + "\n").getBytes(StandardCharsets.UTF_8))));
        return head.withUnframedBody(framed);
    }

    private static String signatureOf(RawRequest signed) {
        String authorization = signed.header("Authorization").orElseThrow();
        return authorization.substring(authorization.lastIndexOf('=') + 1);
    }

    private interface ChunkSignature {
        String of(byte[] chunk);
    }

    private interface TrailerSignature {
        String of(String value);
    }

    private static byte[] frame(
            List<byte[]> chunks,
            boolean signs,
            String trailer,
            String trailerValue,
            ChunkSignature chunkSignature,
            TrailerSignature trailerSignature) {
        ByteArrayOutputStream framed = new ByteArrayOutputStream();
        for (byte[] chunk : chunks) {
            String extension = signs ? ";chunk-signature=" + chunkSignature.of(chunk) : "";
            framed.writeBytes(
                    (Integer.toHexString(chunk.length) + extension + "\r\n").getBytes(StandardCharsets.US_ASCII));
            framed.writeBytes(chunk);
            if (chunk.length > 0) {
                framed.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
            }
        }
        String end = trailer.isEmpty() ? "" : trailer + ":" + trailerValue + "\r\n";
        if (!trailer.isEmpty() && signs) {
            end += "x-amz-trailer-signature:" + trailerSignature.of(trailerValue) + "\r\n";
        }
        framed.writeBytes((end + "\r\n").getBytes(StandardCharsets.UTF_8));
        return framed.toByteArray();
    }

    private static SortedMap<String, String> signedHeaders(RawRequest request) {
        return request.headers().stream()
                .filter(header -> !List.of("connection", "expect", "transfer-encoding", "user-agent")
                        .contains(header.name().toLowerCase(Locale.ROOT)))
                .collect(Collectors.toMap(
                        header -> header.name().toLowerCase(Locale.ROOT),
                        header -> header.value().strip().replaceAll(" +", " "),
                        (first, second) -> first + "," + second,
                        TreeMap::new));
    }

    private static String queryOf(String target) {
        int question = target.indexOf('?');
        if (question < 0) {
            return "";
        }
        return Arrays.stream(target.substring(question + 1).split("&"))
                .filter(parameter -> !parameter.isEmpty())
                .map(parameter -> parameter.contains("=") ? parameter : parameter + "=")
                .sorted(Comparator.comparing((String parameter) -> parameter.substring(0, parameter.indexOf('=')))
                        .thenComparing(Comparator.naturalOrder()))
                .collect(Collectors.joining("&"));
    }

    private static String canonical(
            RawRequest request, String query, SortedMap<String, String> signed, String payloadHash) {
        int question = request.target().indexOf('?');
        String path = question < 0 ? request.target() : request.target().substring(0, question);
        StringBuilder headers = new StringBuilder();
        signed.forEach(
                (name, value) -> headers.append(name).append(':').append(value).append('\n'));
        return String.join(
                "\n", request.method(), path, query, headers, String.join(";", signed.keySet()), payloadHash);
    }

    private String signature(String canonicalRequest) {
        return signString("AWS4-HMAC-SHA256\n" + TIME.format(now) + "\n" + scope() + "\n"
                + sha256(canonicalRequest.getBytes(StandardCharsets.UTF_8)));
    }

    private String signString(String stringToSign) {
        byte[] key = hmac(
                ("AWS4" + secretKey).getBytes(StandardCharsets.UTF_8),
                TIME.format(now).substring(0, 8));
        for (String part : List.of(region, "s3", "aws4_request")) {
            key = hmac(key, part);
        }
        return HexFormat.of().formatHex(hmac(key, stringToSign));
    }

    private String scope() {
        return TIME.format(now).substring(0, 8) + "/" + region + "/s3/aws4_request";
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(StandardCharsets.UTF_8));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    /** Percent-encodes all but RFC 3986's unreserved characters, as S3 wants it in a query; {@code /} too. */
    static String encode(String text) {
        StringBuilder encoded = new StringBuilder();
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            boolean unreserved =
                    b >= 'A' && b <= 'Z' || b >= 'a' && b <= 'z' || b >= '0' && b <= '9' || "-._~".indexOf(b) >= 0;
            encoded.append(unreserved ? Character.toString(b) : String.format("%%%02X", b & 0xff));
        }
        return encoded.toString();
    }

    /** Percent-encodes a key for the path: as {@link #encode}, but slashes stay. */
    static String encodePath(String key) {
        return encode(key).replace("%2F", "/");
    }
}
