package io.headgate.benchmarks;

import io.headgate.admin.AccessLog;
import io.headgate.admin.Metrics;
import io.headgate.admin.RequestMetrics;
import io.headgate.http.CompletedExchange;
import io.headgate.http.Exchange.Label;
import io.headgate.http.RequestHead;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/** What a request pays for being observed: nanoseconds a request. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(1)
public class ObserverBenchmark {
    private final RequestMetrics metrics = new Metrics().requests();
    private final AccessLog log = AccessLog.start(new Discarding(), 64L << 20, InstantSource.system());
    private final CompletedExchange presignedGet = exchange();

    /** Counters, histogram and bytes. */
    @Benchmark
    public void metrics() {
        metrics.completed(presignedGet);
    }

    /** The line, formatted and queued, or dropped when the writer does not keep up: the cost to the request is the same. */
    @Benchmark
    public void accessLog() {
        log.completed(presignedGet);
    }

    @TearDown(Level.Trial)
    public void close() {
        log.close();
    }

    private static CompletedExchange exchange() {
        String target = "/photos/2026/11/30/holiday-0001.jpg?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIDEXAMPLE%2F20261130%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20261130T062444Z"
                + "&X-Amz-Expires=3600&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=fe5f80f77d5fa3beca038a248ff027d0445342fe2855ddc963176630326f1024";
        RequestHead head = new RequestHead(
                "GET",
                target,
                List.of(
                        new RequestHead.Field("host", "127.0.0.1:9000"),
                        new RequestHead.Field("accept", "*/*"),
                        new RequestHead.Field("user-agent", "aws-sdk-java/2.57.8 md/io#sync md/http#Apache ua/2.1")),
                "192.0.2.17");
        Map<Label, String> labels = new EnumMap<>(Label.class);
        labels.put(Label.OPERATION, "GetObject");
        labels.put(Label.BUCKET, "photos");
        labels.put(Label.KEY, "2026/11/30/holiday-0001.jpg");
        labels.put(Label.USER, "alice");
        labels.put(Label.ACCOUNT, "disk-1");
        return new CompletedExchange(
                head,
                "00112233445566AA",
                Instant.parse("2026-11-30T06:24:44.123Z"),
                labels,
                200,
                0,
                4096,
                Duration.ofNanos(180_000),
                Duration.ofNanos(210_000),
                false);
    }

    private static final class Discarding implements WritableByteChannel {
        @Override
        public int write(ByteBuffer bytes) {
            int count = bytes.remaining();
            bytes.position(bytes.limit());
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {
            // Nothing is open.
        }
    }
}
