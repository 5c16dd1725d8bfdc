package io.headgate.benchmarks;

import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ChecksumDigest;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What the digests cost: microseconds a MiB. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 4, time = 1)
@Fork(1)
public class DigestBenchmark {
    @Param
    public ChecksumAlgorithm algorithm = ChecksumAlgorithm.CRC64NVME;

    private final byte[] bytes = new byte[1 << 20];

    public DigestBenchmark() {
        new Random(1).nextBytes(bytes);
    }

    @Benchmark
    public byte[] checksum() {
        ChecksumDigest digest = ChecksumDigest.of(algorithm);
        digest.update(bytes, 0, bytes.length);
        return digest.value();
    }

    /** The ETag's, for comparison. */
    @Benchmark
    public byte[] md5() throws NoSuchAlgorithmException {
        MessageDigest digest = MessageDigest.getInstance("MD5");
        digest.update(bytes, 0, bytes.length);
        return digest.digest();
    }
}
