package io.headgate.blob.s3;

import io.headgate.blob.Allowance;
import io.headgate.blob.BlobStoreException;
import java.net.URI;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.retries.StandardRetryStrategy;
import software.amazon.awssdk.retries.api.BackoffStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;

/**
 * Requests to one S3 account: a bounded number at once, each within bounded time, and what they throw in the gateway's terms.
 *
 * <p>The SDK sends a request once more at most, when there was no answer or a 5xx that is no throttling; the rest is the gateway's
 * business, which has other accounts.
 */
final class S3Requests implements AutoCloseable {
    private static final int MAX_ATTEMPTS = 2;
    private static final Duration MAX_CONNECT_TIME = Duration.ofSeconds(5);
    /** Slower than so many bytes/s the service takes too long for what it is sent. */
    private static final long LEAST_BYTES_PER_SECOND = 128 << 10;

    private final String account;
    private final String host;
    private final Duration stallTimeout;
    private final Allowance connections;
    private final S3Identity identity;
    private final S3Client client;

    S3Requests(String account, S3Settings settings) {
        this.account = account;
        this.host = settings.endpoint().map(URI::getAuthority).orElse("AWS in " + settings.region());
        this.stallTimeout = settings.stallTimeout();
        this.connections = new Allowance("connections of account " + account, settings.maxConnections(), stallTimeout);
        this.identity = new S3Identity(settings.credentials(), settings.region());
        this.client = client(settings);
    }

    private S3Client client(S3Settings settings) {
        S3ClientBuilder builder = S3Client.builder()
                .region(Region.of(settings.region()))
                .forcePathStyle(settings.pathStyle())
                .credentialsProvider(identity.provider())
                // Each request brings its own checksum, computed before it is sent: some services know no trailers.
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
                .serviceConfiguration(
                        S3Configuration.builder().chunkedEncodingEnabled(false).build())
                .httpClientBuilder(Apache5HttpClient.builder()
                        .maxConnections(settings.maxConnections())
                        .connectionAcquisitionTimeout(stallTimeout)
                        .connectionTimeout(shorter(MAX_CONNECT_TIME, stallTimeout))
                        .socketTimeout(stallTimeout)
                        .tcpKeepAlive(true))
                .overrideConfiguration(override -> override.apiCallAttemptTimeout(stallTimeout)
                        .apiCallTimeout(total(stallTimeout))
                        .retryStrategy(StandardRetryStrategy.builder()
                                .useClientDefaults(false)
                                .maxAttempts(MAX_ATTEMPTS)
                                .retryOnException(S3Faults::isTransient)
                                .backoffStrategy(BackoffStrategy.exponentialDelay(
                                        Duration.ofMillis(100), Duration.ofMillis(400)))
                                .build()));
        settings.endpoint().ifPresent(builder::endpointOverride);
        return builder.build();
    }

    S3Client client() {
        return client;
    }

    /** How long one attempt may take that sends so many bytes. */
    Duration attemptTimeout(long bytes) {
        return stallTimeout.plusSeconds(bytes / LEAST_BYTES_PER_SECOND);
    }

    /** How long a call with such attempts may take. */
    static Duration total(Duration attempt) {
        return attempt.multipliedBy(MAX_ATTEMPTS).plusSeconds(1);
    }

    /** Makes a call that is over when it returns. */
    <T extends @Nullable Object> T send(String doing, Supplier<T> call) throws BlobStoreException {
        try (Allowance.Grant _ = connections.take(1)) {
            return call.get();
        } catch (SdkException failure) {
            throw fault(doing, failure);
        }
    }

    /** A connection for a call that goes on after it has returned. */
    Allowance.Grant connection() throws BlobStoreException {
        return connections.take(1);
    }

    BlobStoreException fault(String doing, SdkException failure) {
        return S3Faults.of(account, host, doing, failure);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) < 0 ? one : other;
    }

    @Override
    public void close() {
        client.close();
        identity.close();
    }
}
