package io.headgate.blob.s3;

import io.headgate.blob.Allowance;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.gaul.s3proxy.S3Proxy;
import org.gaul.s3proxy.auth.AuthenticationType;
import org.gaul.s3proxy.nio2blob.TransientNio2BlobStore;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** An S3 service of another maker in this JVM, with one bucket; started once, at its first use. Each store has a prefix of its own. */
public final class TestService {
    public static final String BUCKET = "blobs-of-tests";
    public static final String REGION = "us-east-1";
    public static final String ACCESS_KEY = "TESTACCESSKEY";
    public static final String SECRET_KEY = "test-secret-key-0123456789";

    private static final S3Proxy SERVICE = start();

    private TestService() {}

    private static S3Proxy start() {
        S3Proxy service = S3Proxy.builder()
                .blobStore(new TransientNio2BlobStore())
                .endpoint(URI.create("http://127.0.0.1:0"))
                .awsAuthentication(AuthenticationType.AWS_V4, ACCESS_KEY, SECRET_KEY)
                .build();
        try {
            service.start();
        } catch (Exception failed) {
            throw new IllegalStateException("S3Proxy does not start", failed);
        }
        try (S3Client client = client(URI.create("http://127.0.0.1:" + service.getPort()))) {
            client.createBucket(create -> create.bucket(BUCKET));
        }
        return service;
    }

    public static URI endpoint() {
        return URI.create("http://127.0.0.1:" + SERVICE.getPort());
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
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create(ACCESS_KEY, SECRET_KEY)))
                .build();
    }

    static S3Credentials credentials() {
        return new S3Credentials.Key(ACCESS_KEY, SECRET_KEY);
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
