package io.headgate.conformance;

import java.util.Arrays;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Consumer;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.CompleteMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadRequest;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/** A multipart upload in the making: remembers what the server said of each part, and completes with it. */
final class Upload {
    private final S3Client client;
    private final String bucket;
    private final String key;
    private final String id;
    private final SortedMap<Integer, CompletedPart> parts = new TreeMap<>();

    private Upload(S3Client client, String bucket, String key, String id) {
        this.client = client;
        this.bucket = bucket;
        this.key = key;
        this.id = id;
    }

    static Upload start(S3Client client, String bucket, String key) {
        return start(client, bucket, key, request -> {});
    }

    static Upload start(
            S3Client client, String bucket, String key, Consumer<CreateMultipartUploadRequest.Builder> more) {
        CreateMultipartUploadRequest.Builder request =
                CreateMultipartUploadRequest.builder().bucket(bucket).key(key);
        more.accept(request);
        return new Upload(
                client,
                bucket,
                key,
                client.createMultipartUpload(request.build()).uploadId());
    }

    String id() {
        return id;
    }

    UploadPartResponse part(int number, byte[] body) {
        return part(number, body, request -> {});
    }

    UploadPartResponse part(int number, byte[] body, Consumer<UploadPartRequest.Builder> more) {
        UploadPartRequest.Builder request =
                UploadPartRequest.builder().bucket(bucket).key(key).uploadId(id).partNumber(number);
        more.accept(request);
        UploadPartResponse response = client.uploadPart(request.build(), RequestBody.fromBytes(body));
        remember(CompletedPart.builder()
                .partNumber(number)
                .eTag(response.eTag())
                .checksumCRC32(response.checksumCRC32())
                .checksumCRC32C(response.checksumCRC32C())
                .checksumCRC64NVME(response.checksumCRC64NVME())
                .checksumSHA1(response.checksumSHA1())
                .checksumSHA256(response.checksumSHA256())
                .build());
        return response;
    }

    /** Uploads the whole in parts of that size, the last perhaps smaller. */
    void parts(byte[] whole, int partSize) {
        parts(whole, partSize, request -> {});
    }

    void parts(byte[] whole, int partSize, Consumer<UploadPartRequest.Builder> more) {
        int number = 1;
        for (int start = 0; start < whole.length; start += partSize) {
            part(number++, Arrays.copyOfRange(whole, start, Math.min(whole.length, start + partSize)), more);
        }
    }

    void remember(CompletedPart part) {
        parts.put(part.partNumber(), part);
    }

    CompletedPart remembered(int number) {
        return parts.get(number);
    }

    CompleteMultipartUploadResponse complete() {
        return complete(request -> {});
    }

    CompleteMultipartUploadResponse complete(Consumer<CompleteMultipartUploadRequest.Builder> more) {
        CompleteMultipartUploadRequest.Builder request = CompleteMultipartUploadRequest.builder()
                .bucket(bucket)
                .key(key)
                .uploadId(id)
                .multipartUpload(completed -> completed.parts(parts.values()));
        more.accept(request);
        return client.completeMultipartUpload(request.build());
    }

    /** Completes naming just these parts, in this order. */
    CompleteMultipartUploadResponse completeWith(CompletedPart... named) {
        return complete(request -> request.multipartUpload(completed -> completed.parts(named)));
    }

    void abort() {
        client.abortMultipartUpload(request -> request.bucket(bucket).key(key).uploadId(id));
    }
}
