package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.transfer.s3.S3TransferManager;
import software.amazon.awssdk.transfer.s3.model.CompletedDirectoryDownload;
import software.amazon.awssdk.transfer.s3.model.CompletedDirectoryUpload;

/** The SDK's transfer manager, over the client of Java that cuts into parts itself and over the C runtime's. */
@Tag("clients")
class TransferManagerTest extends TreeTest {
    enum Engine {
        JAVA,
        CRT;

        S3AsyncClient open(Endpoint endpoint) {
            return switch (this) {
                case JAVA -> ClientKind.multipart(endpoint);
                case CRT -> ClientKind.crt(endpoint);
            };
        }
    }

    @ParameterizedTest
    @EnumSource(Engine.class)
    void a_tree_round_trips(Engine engine) {
        try (S3AsyncClient client = engine.open(endpoint);
                S3TransferManager transfers =
                        S3TransferManager.builder().s3Client(client).build()) {
            CompletedDirectoryUpload up = transfers
                    .uploadDirectory(
                            request -> request.source(tree).bucket(bucket).s3Prefix("tree"))
                    .completionFuture()
                    .join();
            assertThat(up.failedTransfers()).isEmpty();
            assertThat(stored("tree/")).isEqualTo(sizes);

            CompletedDirectoryDownload down = transfers
                    .downloadDirectory(request -> request.destination(out)
                            .bucket(bucket)
                            .listObjectsV2RequestTransformer(list -> list.prefix("tree/")))
                    .completionFuture()
                    .join();
            assertThat(down.failedTransfers()).isEmpty();
            assertThat(Tree.digests(out)).isEqualTo(digests);
        }
    }

    @ParameterizedTest
    @EnumSource(Engine.class)
    void a_large_file_is_uploaded_copied_and_downloaded_in_parts(Engine engine) throws Exception {
        Path file = tree.resolve("sizes").resolve("bytes-" + 20 * MIB);
        try (S3AsyncClient client = engine.open(endpoint);
                S3TransferManager transfers =
                        S3TransferManager.builder().s3Client(client).build()) {
            transfers
                    .uploadFile(request -> request.source(file)
                            .putObjectRequest(put -> put.bucket(bucket).key("a large+file")))
                    .completionFuture()
                    .join();
            transfers
                    .copy(request -> request.copyObjectRequest(copy -> copy.sourceBucket(bucket)
                            .sourceKey("a large+file")
                            .destinationBucket(bucket)
                            .destinationKey("copy")))
                    .completionFuture()
                    .join();
            transfers
                    .downloadFile(request -> request.destination(out.resolve("copy"))
                            .getObjectRequest(get -> get.bucket(bucket).key("copy")))
                    .completionFuture()
                    .join();
        }

        assertThat(Files.mismatch(file, out.resolve("copy"))).isEqualTo(-1);
        assertThat(s3.headObject(request -> request.bucket(bucket).key("a large+file"))
                        .eTag())
                .as("went up in parts")
                .contains("-");
    }
}
