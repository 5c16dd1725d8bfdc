package io.headgate.blob.s3;

import io.headgate.blob.BlobStore;
import io.headgate.blob.RemoteStoreContract;
import java.net.URI;
import java.util.Optional;
import java.util.UUID;

/** Bad ways to S3Proxy. */
final class S3RemoteTest extends RemoteStoreContract {
    private static final String WRONG_SECRET = "wrong-secret-key-0123456789";

    @Override
    protected URI service() {
        return TestService.endpoint();
    }

    @Override
    protected BlobStore openStore(URI endpoint, Keys keys, int maxConnections) {
        return open(
                endpoint,
                TestService.BUCKET,
                switch (keys) {
                    case RIGHT -> TestService.credentials();
                    case WRONG -> new S3Credentials.Key("TESTACCESSKEY", WRONG_SECRET);
                },
                maxConnections);
    }

    @Override
    protected BlobStore openStoreWithoutPlace(URI endpoint) {
        return open(endpoint, "no-such-bucket", TestService.credentials(), 64);
    }

    private static BlobStore open(URI endpoint, String bucket, S3Credentials credentials, int maxConnections) {
        S3Settings settings = new S3Settings(
                Optional.of(endpoint),
                TestService.REGION,
                bucket,
                "test-" + UUID.randomUUID() + "/",
                true,
                credentials,
                S3Settings.Checksum.CRC32C,
                maxConnections,
                STALL_TIMEOUT,
                S3Settings.PART_BYTES);
        return new S3BlobStore("s3-1", settings, TestService.memory());
    }

    @Override
    protected String throttling() {
        return response(
                "503 Slow Down",
                "",
                "<Error><Code>SlowDown</Code><Message>Please reduce your request rate.</Message></Error>");
    }

    @Override
    protected String failure() {
        return response(
                "500 Internal Server Error",
                "",
                "<Error><Code>InternalError</Code><Message>We encountered an internal error.</Message></Error>");
    }

    @Override
    protected String secret() {
        return WRONG_SECRET;
    }
}
