package io.headgate.blob.s3;

import io.headgate.blob.Allowance;
import io.headgate.servers.S3ProxyServer;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** One bucket of {@link S3ProxyServer}; each store has a prefix of its own. */
public final class TestService {
    public static final String BUCKET = "blobs-of-tests";
    public static final String REGION = S3ProxyServer.REGION;

    private TestService() {}

    /** Started when it is first asked for. */
    private static final class Running {
        static final URI ENDPOINT = start();
    }

    private static URI start() {
        try (S3Client client = client(S3ProxyServer.endpoint())) {
            client.createBucket(create -> create.bucket(BUCKET));
        }
        return S3ProxyServer.endpoint();
    }

    public static URI endpoint() {
        return Running.ENDPOINT;
    }

    /** A client of the test's own, to look behind a store's back. */
    static S3Client client() {
        return client(endpoint());
    }

    private static S3Client client(URI endpoint) {
        return S3Client.builder()
                .endpointOverride(endpoint)
                .region(Region.of(REGION))
                .forcePathStyle(true)
                .credentialsProvider(StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(S3ProxyServer.ACCESS_KEY, S3ProxyServer.SECRET_KEY)))
                .build();
    }

    static S3Credentials credentials() {
        return new S3Credentials.Key(S3ProxyServer.ACCESS_KEY, S3ProxyServer.SECRET_KEY);
    }

    /** Settings with a fresh prefix, below which nothing is. */
    public static S3Settings settings(URI endpoint, int partBytes) {
        return new S3Settings(
                Optional.of(endpoint),
                REGION,
                BUCKET,
                "test-" + UUID.randomUUID() + "/",
                true,
                credentials(),
                S3Settings.Checksum.CRC32C,
                64,
                Duration.ofSeconds(10),
                partBytes);
    }

    public static Allowance memory() {
        return Allowance.ofMemory("64 KiB of memory for uploads", 64 << 20, Duration.ofSeconds(10));
    }
}
