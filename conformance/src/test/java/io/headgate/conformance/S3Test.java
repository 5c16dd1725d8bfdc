package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.NoSuchBucketException;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** What nearly every test needs: the endpoint, a client, buckets of its own, and a few words to put, get and refuse. */
abstract class S3Test {
    static final int MIB = 1 << 20;

    final Endpoint endpoint = Endpoint.current();
    final S3Client s3 = ClientKind.SYNC.client();
    private final List<String> buckets = new ArrayList<>();

    /** A name that no other test uses. */
    static String unusedBucketName() {
        return "conf-" + UUID.randomUUID();
    }

    /** A fresh bucket, deleted after the test with all that is in it. */
    final String newBucket() {
        return created(bucket -> s3.createBucket(request -> request.bucket(bucket)));
    }

    /** As {@link #newBucket()}, made by the test's own call. */
    final String created(Consumer<String> create) {
        String bucket = unusedBucketName();
        deleteAfterwards(bucket);
        create.accept(bucket);
        return bucket;
    }

    /** Deletes that bucket after the test, if it exists then. */
    final void deleteAfterwards(String bucket) {
        buckets.add(bucket);
    }

    @AfterEach
    void deleteTheTestsBuckets() {
        for (String bucket : buckets) {
            try {
                empty(bucket);
                s3.deleteBucket(request -> request.bucket(bucket));
            } catch (NoSuchBucketException alreadyGone) {
                assertThat(alreadyGone.statusCode()).isEqualTo(404);
            }
        }
    }

    private void empty(String bucket) {
        for (MultipartUpload upload : s3.listMultipartUploadsPaginator(
                        request -> request.bucket(bucket).encodingType("url"))
                .uploads()) {
            s3.abortMultipartUpload(
                    request -> request.bucket(bucket).key(upload.key()).uploadId(upload.uploadId()));
        }
        // One by one: some tests' keys cannot be named in a DeleteObjects document.
        keys(bucket).parallelStream()
                .forEach(
                        key -> s3.deleteObject(request -> request.bucket(bucket).key(key)));
    }

    final PutObjectResponse put(String bucket, String key, byte[] body) {
        return s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromBytes(body));
    }

    final PutObjectResponse put(String bucket, String key, String body) {
        return s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromString(body));
    }

    final byte[] get(String bucket, String key) {
        return s3.getObjectAsBytes(request -> request.bucket(bucket).key(key)).asByteArray();
    }

    final String getString(String bucket, String key) {
        return s3.getObjectAsBytes(request -> request.bucket(bucket).key(key)).asUtf8String();
    }

    final List<String> keys(String bucket) {
        return s3.listObjectsV2Paginator(request -> request.bucket(bucket).encodingType("url")).contents().stream()
                .map(S3Object::key)
                .toList();
    }

    /** Bytes that no compression or pattern hides a mistake in, the same for the same seed. */
    static byte[] bytes(long seed, int length) {
        byte[] bytes = new byte[length];
        new Random(seed).nextBytes(bytes);
        return bytes;
    }

    /** Asserts that the call is refused with that status and S3 error code. */
    static S3Exception assertRefused(int status, String code, ThrowingCallable call) {
        S3Exception refused = catchThrowableOfType(S3Exception.class, call);
        assertThat(refused).as("an S3 error %s %s", status, code).isNotNull();
        assertThat(refused.awsErrorDetails().errorCode()).as("%s", refused).isEqualTo(code);
        assertThat(refused.statusCode()).as("%s", refused).isEqualTo(status);
        return refused;
    }

    /** As {@link #assertRefused}, for answers without a body: HEAD, 304. */
    static S3Exception assertStatus(int status, ThrowingCallable call) {
        S3Exception refused = catchThrowableOfType(S3Exception.class, call);
        assertThat(refused).as("an answer with status %s", status).isNotNull();
        assertThat(refused.statusCode()).as("%s", refused).isEqualTo(status);
        return refused;
    }
}
