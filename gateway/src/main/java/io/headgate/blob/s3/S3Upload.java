package io.headgate.blob.s3;

import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BodyParts;
import io.headgate.blob.Persistence;
import io.headgate.blob.s3.S3Settings.Checksum;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.ChecksumAlgorithm;
import software.amazon.awssdk.services.s3.model.CompletedPart;

/** Puts blobs, whole or in parts. A part that is throttled is sent again, because no other account could take it any more. */
final class S3Upload {
    /** Up to this length a throttled put fails at once: whoever wrote it still has the bytes and may go to another account. */
    private static final int MOVABLE_BYTES = 128 << 10;
    /** A service may take long to put a large blob together. */
    private static final Duration COMPLETION_TIME = Duration.ofMinutes(2);

    private static final String MEDIA_TYPE = "application/octet-stream";
    private static final Logger LOG = LoggerFactory.getLogger(S3Upload.class);

    private final S3Requests requests;
    private final String bucket;
    private final Checksum checksum;

    S3Upload(S3Requests requests, String bucket, Checksum checksum) {
        this.requests = requests;
        this.bucket = bucket;
        this.checksum = checksum;
    }

    /** Puts a blob of one part. */
    void whole(String key, BodyParts body) throws IOException {
        body.next();
        if (body.count() <= MOVABLE_BYTES) {
            putObject(key, body);
        } else {
            Persistence.whileThrottled(() -> {
                putObject(key, body);
                return null;
            });
        }
    }

    private void putObject(String key, BodyParts body) throws BlobStoreException {
        PartDigest digest = PartDigest.of(checksum, body.buffer(), body.count());
        Duration attempt = requests.attemptTimeout(body.count());
        requests.send(
                "put a blob",
                () -> requests.client()
                        .putObject(
                                put -> put.bucket(bucket)
                                        .key(key)
                                        .contentType(MEDIA_TYPE)
                                        .checksumCRC32C(digest.crc32c())
                                        .contentMD5(digest.md5())
                                        .overrideConfiguration(override -> override.apiCallAttemptTimeout(attempt)
                                                .apiCallTimeout(S3Requests.total(attempt))),
                                bytes(body)));
    }

    /** Puts a blob of several parts. The upload is begun before the body is read, so that an account that refuses costs no bytes. */
    void inParts(String key, BodyParts body) throws IOException {
        String uploadId = requests.send(
                "begin an upload",
                () -> requests.client()
                        .createMultipartUpload(create -> create.bucket(bucket)
                                .key(key)
                                .contentType(MEDIA_TYPE)
                                .checksumAlgorithm(checksum == Checksum.CRC32C ? ChecksumAlgorithm.CRC32_C : null))
                        .uploadId());
        boolean stored = false;
        try {
            List<CompletedPart> parts = new ArrayList<>();
            while (body.next()) {
                int number = parts.size() + 1;
                parts.add(Persistence.whileThrottled(() -> uploadPart(key, uploadId, number, body)));
            }
            Persistence.whileThrottled(() -> {
                complete(key, uploadId, parts);
                return null;
            });
            stored = true;
        } finally {
            if (!stored) {
                abort(key, uploadId);
            }
        }
    }

    private CompletedPart uploadPart(String key, String uploadId, int number, BodyParts body)
            throws BlobStoreException {
        PartDigest digest = PartDigest.of(checksum, body.buffer(), body.count());
        Duration attempt = requests.attemptTimeout(body.count());
        String etag = requests.send(
                "put a part",
                () -> requests.client()
                        .uploadPart(
                                part -> part.bucket(bucket)
                                        .key(key)
                                        .uploadId(uploadId)
                                        .partNumber(number)
                                        .checksumCRC32C(digest.crc32c())
                                        .contentMD5(digest.md5())
                                        .overrideConfiguration(override -> override.apiCallAttemptTimeout(attempt)
                                                .apiCallTimeout(S3Requests.total(attempt))),
                                bytes(body))
                        .eTag());
        return CompletedPart.builder()
                .partNumber(number)
                .eTag(etag)
                .checksumCRC32C(digest.crc32c())
                .build();
    }

    private void complete(String key, String uploadId, List<CompletedPart> parts) throws BlobStoreException {
        requests.send(
                "complete an upload",
                () -> requests.client()
                        .completeMultipartUpload(complete -> complete.bucket(bucket)
                                .key(key)
                                .uploadId(uploadId)
                                .multipartUpload(upload -> upload.parts(parts))
                                .overrideConfiguration(override -> override.apiCallAttemptTimeout(COMPLETION_TIME)
                                        .apiCallTimeout(S3Requests.total(COMPLETION_TIME)))));
    }

    /** Drops an upload, which the deletion of its blob does too if this fails. */
    private void abort(String key, String uploadId) {
        try {
            requests.send(
                    "abort an upload",
                    () -> requests.client()
                            .abortMultipartUpload(
                                    abort -> abort.bucket(bucket).key(key).uploadId(uploadId)));
        } catch (BlobStoreException left) {
            LOG.warn("{}; the deletion of blob {} will do it", left.getMessage(), key);
        }
    }

    /** Not copied, and read anew by each attempt. */
    private static RequestBody bytes(BodyParts body) {
        return RequestBody.fromContentProvider(
                () -> new ByteArrayInputStream(body.buffer(), 0, body.count()), body.count(), MEDIA_TYPE);
    }
}
