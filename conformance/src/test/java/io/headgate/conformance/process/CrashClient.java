package io.headgate.conformance.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.Delete;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;

/**
 * One client that writes to keys of its own, and knows after each answer, or the lack of one, what they may hold: the one state that
 * was acknowledged last, or, after a call that was cut off, the state before it or the one after it. Used by one thread at a time.
 */
final class CrashClient {
    private static final int KEYS = 8;

    /** What it does. */
    enum Operation {
        PUT,
        BIG_PUT,
        MULTIPART,
        DELETE,
        DELETE_MANY,
        COPY
    }

    private final String bucket;
    private final String prefix;
    private final Random random;
    private final AtomicLong blobNumbers;
    private final AtomicLong answers;
    private final Map<String, Set<Optional<Content>>> possible = new HashMap<>();
    private final Map<Operation, Integer> acknowledged = new EnumMap<>(Operation.class);
    /** What each key holds if the latest call took effect. */
    private final Map<String, Optional<Content>> latest = new HashMap<>();

    private int cutOff;

    CrashClient(String bucket, String prefix, long seed, AtomicLong blobNumbers, AtomicLong answers) {
        this.bucket = bucket;
        this.prefix = prefix;
        this.random = new Random(seed);
        this.blobNumbers = blobNumbers;
        this.answers = answers;
        for (int i = 0; i < KEYS; i++) {
            possible.put(prefix + "/key " + i, Set.of(Optional.empty()));
        }
    }

    /** Writes until the gateway is gone. */
    void writeUntilCutOff(S3Client s3) {
        try {
            while (!Thread.currentThread().isInterrupted()) {
                operate(s3, Operation.values()[random.nextInt(Operation.values().length)]);
            }
        } catch (SdkClientException gone) {
            cutOff++;
        }
    }

    private void operate(S3Client s3, Operation operation) {
        String key = anyKey();
        switch (operation) {
            case PUT -> put(s3, key, random.nextInt(10) == 0 ? 0 : 1 + random.nextInt(60_000));
            case BIG_PUT -> put(s3, key, 500_000 + random.nextInt(1_500_000));
            case MULTIPART -> multipart(s3, key);
            case DELETE -> {
                expect(key, Optional.empty());
                s3.deleteObject(request -> request.bucket(bucket).key(key));
                settle(key);
            }
            case DELETE_MANY -> deleteMany(s3, List.of(key, anyKey(), anyKey()));
            case COPY -> copy(s3, key, anyKey());
        }
        acknowledged.merge(operation, 1, Integer::sum);
        answers.incrementAndGet();
    }

    private void put(S3Client s3, String key, int sizeBytes) {
        Content content = new Content(sizeBytes == 0 ? List.of() : List.of(blob(sizeBytes)));
        expect(key, Optional.of(content));
        s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromBytes(content.bytes()));
        settle(key);
    }

    private void multipart(S3Client s3, String key) {
        List<Content.Blob> blobs = new ArrayList<>();
        List<CompletedPart> parts = new ArrayList<>();
        String upload = s3.createMultipartUpload(
                        request -> request.bucket(bucket).key(key))
                .uploadId();
        int count = 1 + random.nextInt(3);
        for (int number = 1; number <= count; number++) {
            uploadPart(s3, key, upload, number, blob(2000)); // replaced at once
            Content.Blob blob = blob(1024 + random.nextInt(100_000));
            parts.add(uploadPart(s3, key, upload, number, blob));
            blobs.add(blob);
        }
        expect(key, Optional.of(new Content(blobs)));
        s3.completeMultipartUpload(request ->
                request.bucket(bucket).key(key).uploadId(upload).multipartUpload(completed -> completed.parts(parts)));
        settle(key);
    }

    private CompletedPart uploadPart(S3Client s3, String key, String upload, int number, Content.Blob blob) {
        String etag = s3.uploadPart(
                        request ->
                                request.bucket(bucket).key(key).uploadId(upload).partNumber(number),
                        RequestBody.fromBytes(blob.bytes()))
                .eTag();
        return CompletedPart.builder().partNumber(number).eTag(etag).build();
    }

    private void deleteMany(S3Client s3, List<String> keys) {
        keys.forEach(key -> expect(key, Optional.empty()));
        List<ObjectIdentifier> named = keys.stream()
                .distinct()
                .map(key -> ObjectIdentifier.builder().key(key).build())
                .toList();
        assertThat(s3.deleteObjects(request -> request.bucket(bucket)
                                .delete(Delete.builder().objects(named).build()))
                        .errors())
                .isEmpty();
        keys.forEach(this::settle);
    }

    private void copy(S3Client s3, String from, String to) {
        Optional<Content> source = only(from);
        if (source.isEmpty() || from.equals(to)) {
            return;
        }
        expect(to, source);
        s3.copyObject(request -> request.sourceBucket(bucket)
                .sourceKey(from)
                .destinationBucket(bucket)
                .destinationKey(to));
        settle(to);
    }

    /** Reads every key: it must hold, whole, what it may hold. From then on that is what it holds. */
    void verify(S3Client s3) {
        for (String key : List.copyOf(possible.keySet())) {
            Optional<byte[]> found = get(s3, key);
            List<Optional<Content>> matching = possible.get(key).stream()
                    .filter(content -> content.isPresent() == found.isPresent()
                            && content.map(c -> Arrays.equals(c.bytes(), found.orElseThrow()))
                                    .orElse(true))
                    .toList();
            assertThat(matching)
                    .as(
                            "%s holds %s, and may hold %s",
                            key, found.map(bytes -> bytes.length + " bytes").orElse("nothing"), possible.get(key))
                    .hasSize(1);
            possible.put(key, Set.of(matching.getFirst()));
        }
    }

    /** What the keys hold, after {@link #verify}. */
    Map<String, Content> objects() {
        Map<String, Content> objects = new HashMap<>();
        possible.keySet().forEach(key -> only(key).ifPresent(content -> objects.put(key, content)));
        return objects;
    }

    void deleteAll(S3Client s3) {
        deleteMany(s3, List.copyOf(possible.keySet()));
    }

    Map<Operation, Integer> acknowledged() {
        return acknowledged;
    }

    int cutOff() {
        return cutOff;
    }

    private Optional<byte[]> get(S3Client s3, String key) {
        try {
            return Optional.of(
                    s3.getObjectAsBytes(request -> request.bucket(bucket).key(key))
                            .asByteArrayUnsafe());
        } catch (NoSuchKeyException absent) {
            return Optional.empty();
        }
    }

    private String anyKey() {
        return anyKey(random);
    }

    /** One of the client's keys. */
    String anyKey(Random choice) {
        return prefix + "/key " + choice.nextInt(KEYS);
    }

    private Content.Blob blob(int sizeBytes) {
        return new Content.Blob(blobNumbers.incrementAndGet(), sizeBytes);
    }

    private Optional<Content> only(String key) {
        assertThat(possible.get(key)).hasSize(1);
        return possible.get(key).iterator().next();
    }

    /** The call that is about to be made will leave this, if it takes effect. */
    private void expect(String key, Optional<Content> after) {
        Set<Optional<Content>> either = new HashSet<>(possible.get(key));
        latest.put(key, after);
        either.add(after);
        possible.put(key, either);
    }

    /** The call was acknowledged. */
    private void settle(String key) {
        possible.put(key, Set.of(latest.get(key)));
    }
}
