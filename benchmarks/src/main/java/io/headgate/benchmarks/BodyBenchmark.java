package io.headgate.benchmarks;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ChecksumDigest;
import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.s3.QueryParameters;
import io.headgate.s3.auth.Authentication;
import io.headgate.s3.auth.BodyClaims;
import io.headgate.s3.auth.Credential;
import io.headgate.s3.auth.Payload;
import io.headgate.s3.auth.SigV4;
import io.headgate.s3.auth.VerifiedBody;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What decoding, hashing and verifying an upload of 8 MiB costs: operations per second, so 8 times the figure in MiB/s. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.SECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(1)
public class BodyBenchmark {
    private static final int CONTENT_BYTES = 8 << 20;
    private static final int CHUNK_BYTES = 128 << 10;

    @Param({"unsigned", "sha256", "signedChunks", "unsignedChunks"})
    public String mode = "unsigned";

    /** Sent by the client, but for CRC64NVME, which the gateway computes if the client sends none. */
    @Param({"none", "CRC32", "CRC64NVME"})
    public String checksum = "none";

    private final byte[] buffer = new byte[64 << 10];
    private byte[] sent = new byte[0];
    private @Nullable BodyClaims claims;
    private @Nullable ChecksumAlgorithm unasked;

    @Setup
    public void prepare() {
        byte[] content = new byte[CONTENT_BYTES];
        new Random(1).nextBytes(content);
        List<Field> headers = new ArrayList<>();
        headers.add(new Field("host", "127.0.0.1:9000"));
        headers.add(new Field("x-amz-decoded-content-length", String.valueOf(CONTENT_BYTES)));
        ChecksumDigest digest = ChecksumDigest.of(ChecksumAlgorithm.CRC32);
        digest.update(content, 0, CONTENT_BYTES);
        String crc32 = Checksum.full(ChecksumAlgorithm.CRC32, digest.value()).base64();
        boolean inTrailer = mode.equals("unsignedChunks");
        if (checksum.equals("CRC32")) {
            headers.add(
                    inTrailer
                            ? new Field("x-amz-trailer", "x-amz-checksum-crc32")
                            : new Field("x-amz-checksum-crc32", crc32));
        }
        unasked = checksum.equals("CRC64NVME") ? ChecksumAlgorithm.CRC64NVME : null;
        RequestHead head = ClientSignature.FIXED.inHeader("PUT", "/b/k", payloadHash(content), headers);
        sent = switch (mode) {
            case "signedChunks" -> ClientSignature.FIXED.chunked(head, content, CHUNK_BYTES);
            case "unsignedChunks" ->
                unsignedChunks(content, checksum.equals("CRC32") ? "x-amz-checksum-crc32:" + crc32 + "\r\n" : "");
            default -> content;
        };
        claims = BodyClaims.of(head, payload(head), OptionalLong.of(sent.length));
    }

    private String payloadHash(byte[] content) {
        return switch (mode) {
            case "sha256" -> ClientSignature.sha256(content);
            case "signedChunks" -> "STREAMING-AWS4-HMAC-SHA256-PAYLOAD";
            case "unsignedChunks" -> "STREAMING-UNSIGNED-PAYLOAD-TRAILER";
            default -> "UNSIGNED-PAYLOAD";
        };
    }

    private static Payload payload(RequestHead head) {
        SigV4 sigV4 = new SigV4(
                "us-east-1",
                accessKey -> new Credential(accessKey, ClientSignature.SECRET, "alice", "Alice"),
                unused -> "");
        return switch (sigV4.authenticate(
                head, QueryParameters.parse(head.rawQuery()), Instant.parse("2026-11-30T12:00:01Z"))) {
            case Authentication.Verified verified -> verified.payload();
            case Authentication.Anonymous(Payload ignored) -> throw new IllegalStateException("not signed");
        };
    }

    private static byte[] unsignedChunks(byte[] content, String trailer) {
        ByteArrayOutputStream body = new ByteArrayOutputStream(content.length + content.length / 100);
        for (int at = 0; at < content.length; at += CHUNK_BYTES) {
            int length = Math.min(CHUNK_BYTES, content.length - at);
            body.writeBytes((Integer.toHexString(length) + "\r\n").getBytes(UTF_8));
            body.write(content, at, length);
            body.writeBytes("\r\n".getBytes(UTF_8));
        }
        body.writeBytes(("0\r\n" + trailer + "\r\n").getBytes(UTF_8));
        return body.toByteArray();
    }

    @Benchmark
    public String read() throws IOException {
        if (claims == null) {
            throw new IllegalStateException("not prepared");
        }
        try (VerifiedBody body = new VerifiedBody(claims, new ByteArrayInputStream(sent), unasked)) {
            while (body.read(buffer, 0, buffer.length) >= 0) {
                // hashed and verified on the way
            }
            return body.md5();
        }
    }
}
