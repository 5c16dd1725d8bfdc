package io.headgate.app;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.app.config.ConfigLoader;
import io.headgate.blob.Allowance;
import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStoreContract;
import io.headgate.blob.s3.S3BlobStore;
import io.headgate.blob.s3.S3Credentials;
import io.headgate.blob.s3.S3Settings;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/** An account of the kind {@code s3} that is another gateway, with parts so small that most blobs have several. */
final class HeadgateAsAccountTest extends BlobStoreContract {
    private static final Pattern READY = Pattern.compile("headgate ready: S3 on (http://127.0.0.1:\\d+),");
    private static final String ACCESS_KEY = "OTHERGATEWAY";
    private static final String SECRET_KEY = "other-gateway-secret-0123";
    private static final String BUCKET = "account";

    @TempDir
    private static Path data;

    private static Serve other;
    private static URI endpoint;

    @BeforeAll
    static void startTheOtherGateway() throws Exception {
        Map<String, String> environment = Map.of(
                "HEADGATE_ROOT_ACCESS_KEY",
                ACCESS_KEY,
                "HEADGATE_ROOT_SECRET_KEY",
                SECRET_KEY,
                "HEADGATE_MULTIPART_MIN_PART_SIZE",
                "1B",
                "HEADGATE_NAMESPACE_DURABILITY",
                "none",
                "STORAGE_SHARDS",
                "[{name: disk, type: local, durability: none, path: '" + data.resolve("disk") + "'}]",
                "HEADGATE_DATA_DIR",
                data.toString(),
                "HEADGATE_LISTEN",
                "127.0.0.1:0",
                "HEADGATE_ADMIN_LISTEN",
                "127.0.0.1:0");
        other = Serve.start(ConfigLoader.load(Optional.empty(), environment, List.of()));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        other.announce(new PrintStream(out, true, StandardCharsets.UTF_8));
        Matcher ready = READY.matcher(out.toString(StandardCharsets.UTF_8));
        assertThat(ready.find()).as("%s", out).isTrue();
        endpoint = URI.create(ready.group(1));
        createBucket();
    }

    private static void createBucket() {
        try (S3Client client = S3Client.builder()
                .endpointOverride(endpoint)
                .region(Region.US_EAST_1)
                .forcePathStyle(true)
                .credentialsProvider(
                        StaticCredentialsProvider.create(AwsBasicCredentials.create(ACCESS_KEY, SECRET_KEY)))
                .build()) {
            client.createBucket(create -> create.bucket(BUCKET));
        }
    }

    @AfterAll
    static void stopTheOtherGateway() {
        other.close();
    }

    @Override
    protected BlobStore openStore() {
        S3Settings settings = new S3Settings(
                Optional.of(endpoint),
                "us-east-1",
                BUCKET,
                UUID.randomUUID() + "/",
                true,
                new S3Credentials.Key(ACCESS_KEY, SECRET_KEY),
                S3Settings.Checksum.CRC32C,
                64,
                Duration.ofSeconds(15),
                64 << 10);
        return new S3BlobStore(
                "s3-1", settings, Allowance.ofMemory("units of memory", 64 << 20, Duration.ofSeconds(10)));
    }
}
