package io.headgate.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.http.RequestHead;
import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Collectors;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Signs requests as a client does at one moment; for canonical paths and queries. Thread-safe. */
final class ClientSignature {
    static final String ACCESS_KEY = "AKIDEXAMPLE";
    static final String SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY";
    static final String REGION = "us-east-1";
    /** Noon of 30 November 2026, for benchmarks that set the verifier's clock too. */
    static final ClientSignature FIXED = new ClientSignature("20261130T120000Z");

    private static final String SHA256_OF_NOTHING = sha256(new byte[0]);

    private final String timestamp;
    private final String scope;
    private final byte[] key;

    /** @param timestamp such as {@code 20261130T120000Z} */
    ClientSignature(String timestamp) {
        this.timestamp = timestamp;
        this.scope = timestamp.substring(0, 8) + "/" + REGION + "/s3/aws4_request";
        this.key = key(scope);
    }

    /** Adds what a signature in the header needs. */
    RequestHead inHeader(String method, String target, String payloadHash, List<RequestHead.Field> headers) {
        List<RequestHead.Field> fields = new ArrayList<>(headers);
        fields.add(new RequestHead.Field("x-amz-date", timestamp));
        fields.add(new RequestHead.Field("x-amz-content-sha256", payloadHash));
        String signature = sign(method, target, fields, payloadHash);
        fields.add(new RequestHead.Field(
                "authorization",
                "AWS4-HMAC-SHA256 Credential=" + ACCESS_KEY + "/" + scope + ", SignedHeaders=" + names(fields)
                        + ", Signature=" + signature));
        return new RequestHead(method, target, fields, "127.0.0.1");
    }

    /** Presigns for an hour. */
    RequestHead inQuery(String method, String path, List<RequestHead.Field> headers) {
        return inQuery(method, path, "", headers);
    }

    /**
     * The same with a query.
     *
     * @param query parameters in their order, whose names begin with small letters, an ampersand before each
     */
    RequestHead inQuery(String method, String path, String query, List<RequestHead.Field> headers) {
        String target = path + "?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=" + ACCESS_KEY + "%2F"
                + scope.replace("/", "%2F") + "&X-Amz-Date=" + timestamp
                + "&X-Amz-Expires=3600&X-Amz-SignedHeaders=host" + query;
        String signature = sign(
                method,
                target,
                headers.stream().filter(f -> f.name().equals("host")).toList(),
                "UNSIGNED-PAYLOAD");
        return new RequestHead(method, target + "&X-Amz-Signature=" + signature, headers, "127.0.0.1");
    }

    /** A signed aws-chunked body without a trailer. */
    byte[] chunked(RequestHead head, byte[] content, int chunkBytes) {
        String authorization = String.valueOf(head.header("authorization"));
        String previous = authorization.substring(authorization.indexOf("Signature=") + "Signature=".length());
        ByteArrayOutputStream body = new ByteArrayOutputStream(content.length + content.length / 100);
        for (int at = 0; at <= content.length; at += chunkBytes) {
            int length = Math.min(chunkBytes, content.length - at);
            byte[] chunk = new byte[length];
            System.arraycopy(content, at, chunk, 0, length);
            previous = HexFormat.of()
                    .formatHex(hmac(
                            key,
                            "AWS4-HMAC-SHA256-PAYLOAD\n" + timestamp + "\n" + scope + "\n" + previous + "\n"
                                    + SHA256_OF_NOTHING + "\n" + sha256(chunk)));
            body.writeBytes((Integer.toHexString(length) + ";chunk-signature=" + previous + "\r\n").getBytes(UTF_8));
            body.writeBytes(chunk);
            body.writeBytes("\r\n".getBytes(UTF_8));
        }
        return body.toByteArray();
    }

    static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }

    private String sign(String method, String target, List<RequestHead.Field> fields, String payloadHash) {
        int question = target.indexOf('?');
        String path = question < 0 ? target : target.substring(0, question);
        String query = question < 0 ? "" : target.substring(question + 1);
        String canonical = method + "\n" + path + "\n" + query + "\n"
                + fields.stream()
                        .sorted(Comparator.comparing(RequestHead.Field::name))
                        .map(f -> f.name() + ":" + f.value() + "\n")
                        .collect(Collectors.joining())
                + "\n" + names(fields) + "\n" + payloadHash;
        return HexFormat.of()
                .formatHex(hmac(
                        key,
                        "AWS4-HMAC-SHA256\n" + timestamp + "\n" + scope + "\n" + sha256(canonical.getBytes(UTF_8))));
    }

    private static String names(List<RequestHead.Field> fields) {
        return fields.stream().map(RequestHead.Field::name).sorted().collect(Collectors.joining(";"));
    }

    private static byte[] key(String scope) {
        byte[] key = ("AWS4" + SECRET).getBytes(UTF_8);
        for (String step : scope.split("/", -1)) {
            key = hmac(key, step);
        }
        return key;
    }

    private static byte[] hmac(byte[] key, String text) {
        try {
            Mac mac = Mac.getInstance("HmacSHA256");
            mac.init(new SecretKeySpec(key, "HmacSHA256"));
            return mac.doFinal(text.getBytes(UTF_8));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException(e);
        }
    }
}
