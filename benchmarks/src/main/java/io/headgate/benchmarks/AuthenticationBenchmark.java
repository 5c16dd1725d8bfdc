package io.headgate.benchmarks;

import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.s3.QueryParameters;
import io.headgate.s3.auth.Authentication;
import io.headgate.s3.auth.Credential;
import io.headgate.s3.auth.SigV4;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What verifying a request's signature costs. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 4, time = 1)
@Measurement(iterations = 5, time = 1)
@Fork(1)
public class AuthenticationBenchmark {
    private static final Instant NOW = Instant.parse("2026-11-30T12:00:01Z");
    private static final Credential ALICE =
            new Credential(ClientSignature.ACCESS_KEY, ClientSignature.SECRET, "alice", "Alice");
    private static final String USER_AGENT = "Boto3/1.43.11 md/Botocore#1.43.11 ua/2.1 os/linux#6.18.44 md/arch#x86_64"
            + " lang/python#3.11.7 md/pyimpl#CPython m/e,Z,N,U,b,D cfg/retry-mode#legacy Botocore/1.43.11";

    private final SigV4 sigV4 =
            new SigV4("us-east-1", accessKey -> accessKey.equals(ALICE.accessKey()) ? ALICE : null, any -> "");
    private final RequestHead get = withUnsigned(ClientSignature.FIXED.inHeader(
            "GET",
            "/bucket/photos/2026/11/some-object-000123.jpg",
            ClientSignature.sha256(new byte[0]),
            List.of(new Field("host", "127.0.0.1:9000"))));
    private final RequestHead put = withUnsigned(ClientSignature.FIXED.inHeader(
            "PUT",
            "/bucket/photos/2026/11/some%20object%2B000123.jpg",
            ClientSignature.sha256(new byte[1]),
            List.of(
                    new Field("host", "127.0.0.1:9000"),
                    new Field("content-type", "image/jpeg"),
                    new Field("x-amz-checksum-crc32", "AAAAAA=="),
                    new Field("x-amz-meta-origin", "camera 7"),
                    new Field("x-amz-sdk-checksum-algorithm", "CRC32"))));
    private final RequestHead list = withUnsigned(ClientSignature.FIXED.inHeader(
            "GET",
            "/bucket?delimiter=%2F&encoding-type=url&list-type=2&max-keys=1000&prefix=photos%2F2026%2F",
            ClientSignature.sha256(new byte[0]),
            List.of(new Field("host", "127.0.0.1:9000"))));
    private final RequestHead presigned = ClientSignature.FIXED.inQuery(
            "GET",
            "/bucket/photos/2026/11/some-object-000123.jpg",
            List.of(new Field("host", "127.0.0.1:9000"), new Field("user-agent", USER_AGENT)));

    private static RequestHead withUnsigned(RequestHead head) {
        List<Field> fields = new ArrayList<>(head.fields());
        fields.add(new Field("user-agent", USER_AGENT));
        fields.add(new Field("accept-encoding", "identity"));
        fields.add(new Field("amz-sdk-invocation-id", "9185ddc6-8c94-48d4-a4a4-db5c121f4f88"));
        fields.add(new Field("amz-sdk-request", "attempt=1"));
        fields.add(new Field("content-length", "1"));
        return new RequestHead(head.method(), head.target(), fields, head.remoteAddress());
    }

    private Authentication authenticate(RequestHead head) {
        return sigV4.authenticate(head, QueryParameters.parse(head.rawQuery()), NOW);
    }

    @Benchmark
    public Authentication get() {
        return authenticate(get);
    }

    @Benchmark
    public Authentication put() {
        return authenticate(put);
    }

    @Benchmark
    public Authentication list() {
        return authenticate(list);
    }

    @Benchmark
    public Authentication presignedGet() {
        return authenticate(presigned);
    }
}
