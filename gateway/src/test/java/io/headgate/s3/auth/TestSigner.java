package io.headgate.s3.auth;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.http.RequestHead;
import io.headgate.s3.QueryParameters;
import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs requests and bodies as a client does, plainly, with another HMAC than the verifier's. Paths and queries are canonical. */
final class TestSigner {
    static final String ACCESS_KEY = "AKIDEXAMPLE";
    static final String SECRET = "a secret";
    static final String SHA256_OF_NOTHING = hex(sha256(new byte[0]));
    static final RequestHead.Field HOST = new RequestHead.Field("host", "s3.test");

    String accessKey = ACCESS_KEY;
    String timestamp = "20261130T120000Z";
    RequestHead.Field date = new RequestHead.Field("x-amz-date", timestamp);
    String scopeDate = "20261130";
    String region = "us-east-1";
    String service = "s3";
    String terminal = "aws4_request";

    /** What the verifier says of a head, its query parsed as the endpoint parses it. */
    static Authentication authenticate(SigV4 verifier, RequestHead head, Instant now) {
        return verifier.authenticate(head, QueryParameters.parse(head.rawQuery()), now);
    }

    /** A head with the signature in the header; signs all {@code headers} and those that a signature requires. */
    RequestHead header(String method, String target, String payloadHash, RequestHead.Field... headers) {
        List<RequestHead.Field> fields = new ArrayList<>(List.of(headers));
        fields.add(HOST);
        fields.add(date);
        fields.add(new RequestHead.Field("x-amz-content-sha256", payloadHash));
        String signature = sign(method, target, fields, payloadHash);
        fields.add(new RequestHead.Field(
                "authorization",
                "AWS4-HMAC-SHA256 Credential=" + accessKey + "/" + scope() + ", SignedHeaders=" + names(fields)
                        + ", Signature=" + signature));
        return new RequestHead(method, target, fields, "127.0.0.1");
    }

    /** A head with the signature in the query; signs all {@code headers} and Host. {@code query} is empty or ends in &. */
    RequestHead presigned(String method, String path, String query, String expires, RequestHead.Field... headers) {
        List<RequestHead.Field> fields = new ArrayList<>(List.of(headers));
        fields.add(HOST);
        String target = path + "?" + query + "X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=" + accessKey + "%2F"
                + scope().replace("/", "%2F") + "&X-Amz-Date=" + timestamp + "&X-Amz-Expires=" + expires
                + "&X-Amz-SignedHeaders=" + names(fields).replace(";", "%3B");
        String signature = sign(method, target, fields, "UNSIGNED-PAYLOAD");
        return new RequestHead(method, target + "&X-Amz-Signature=" + signature, fields, "127.0.0.1");
    }

    private String sign(String method, String target, List<RequestHead.Field> fields, String payloadHash) {
        int question = target.indexOf('?');
        String path = question < 0 ? target : target.substring(0, question);
        String query = question < 0
                ? ""
                : Stream.of(target.substring(question + 1).split("&"))
                        .map(p -> p.contains("=") ? p : p + "=")
                        .sorted(Comparator.comparing((String p) -> p.substring(0, p.indexOf('=')))
                                .thenComparing(p -> p))
                        .collect(Collectors.joining("&"));
        String canonical = method + "\n" + path + "\n" + query + "\n"
                + sorted(fields).map(f -> f.name() + ":" + f.value() + "\n").collect(Collectors.joining())
                + "\n" + names(fields) + "\n" + payloadHash;
        return hex(hmac(
                key(),
                "AWS4-HMAC-SHA256\n" + timestamp + "\n" + scope() + "\n"
                        + hex(sha256(canonical.getBytes(ISO_8859_1)))));
    }

    /** A signed aws-chunked body; {@code trailer} is {@code null} for none, else lines that end in \n. */
    byte[] chunked(RequestHead head, List<byte[]> chunks, String trailer) {
        String authorization = head.header("authorization");
        String previous = authorization.substring(authorization.indexOf("Signature=") + "Signature=".length());
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        List<byte[]> all = new ArrayList<>(chunks);
        all.add(new byte[0]);
        for (byte[] chunk : all) {
            previous = hex(hmac(
                    key(),
                    "AWS4-HMAC-SHA256-PAYLOAD\n" + timestamp + "\n" + scope() + "\n" + previous + "\n"
                            + SHA256_OF_NOTHING + "\n" + hex(sha256(chunk))));
            body.writeBytes(
                    (Integer.toHexString(chunk.length) + ";chunk-signature=" + previous + "\r\n").getBytes(UTF_8));
            body.writeBytes(chunk);
            body.writeBytes(chunk.length > 0 || trailer == null ? "\r\n".getBytes(UTF_8) : new byte[0]);
        }
        if (trailer != null) {
            String signature = hex(hmac(
                    key(),
                    "AWS4-HMAC-SHA256-TRAILER\n" + timestamp + "\n" + scope() + "\n" + previous + "\n"
                            + hex(sha256(trailer.getBytes(UTF_8)))));
            body.writeBytes((trailer.replace("\n", "\r\n") + "x-amz-trailer-signature:" + signature + "\r\n\r\n")
                    .getBytes(UTF_8));
        }
        return body.toByteArray();
    }

    private String scope() {
        return scopeDate + "/" + region + "/" + service + "/" + terminal;
    }

    private byte[] key() {
        byte[] key = hmac(("AWS4" + SECRET).getBytes(UTF_8), scopeDate);
        return hmac(hmac(hmac(key, region), service), terminal);
    }

    private static Stream<RequestHead.Field> sorted(List<RequestHead.Field> fields) {
        return fields.stream().sorted(Comparator.comparing(RequestHead.Field::name));
    }

    private static String names(List<RequestHead.Field> fields) {
        return sorted(fields).map(RequestHead.Field::name).collect(Collectors.joining(";"));
    }

    static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(UTF_8));
        } catch (GeneralSecurityException e) {
            throw new AssertionError(e);
        }
    }

    static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
