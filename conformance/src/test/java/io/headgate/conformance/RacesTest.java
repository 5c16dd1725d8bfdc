package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** Calls that race: whatever the order, what is left is one of the outcomes that some order explains. */
class RacesTest extends S3Test {

    /** Runs the calls at the same time; their statuses, 200 for success. */
    private static List<Integer> race(List<Callable<?>> calls) throws Exception {
        CyclicBarrier start = new CyclicBarrier(calls.size());
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Integer>> answers = new ArrayList<>();
            for (Callable<?> call : calls) {
                answers.add(threads.submit(() -> {
                    start.await();
                    try {
                        call.call();
                        return 200;
                    } catch (S3Exception refused) {
                        return refused.statusCode();
                    }
                }));
            }
            List<Integer> statuses = new ArrayList<>();
            for (Future<Integer> answer : answers) {
                statuses.add(answer.get());
            }
            return statuses;
        }
    }

    @Test
    void complete_against_abort_leaves_the_whole_object_or_none() throws Exception {
        String bucket = newBucket();
        for (int round = 0; round < 20; round++) {
            String key = "key-" + round;
            byte[] body = bytes(round, 1000);
            Upload upload = Upload.start(s3, bucket, key);
            upload.part(1, body);

            List<Integer> statuses = race(List.of(() -> upload.complete(), () -> {
                upload.abort();
                return null;
            }));

            boolean completed = statuses.get(0) == 200;
            assertThat(statuses.get(0)).isIn(200, 404);
            assertThat(statuses.get(1)).isIn(200, 404);
            if (completed) {
                assertThat(get(bucket, key)).isEqualTo(body);
            } else {
                assertThat(statuses.get(1)).as("one of the two took effect").isEqualTo(200);
                assertRefused(404, "NoSuchKey", () -> get(bucket, key));
            }
            assertThat(s3.listMultipartUploads(request -> request.bucket(bucket))
                            .uploads())
                    .isEmpty();
        }
    }

    @Test
    void completes_of_one_upload_at_once_agree() throws Exception {
        String bucket = newBucket();
        Upload upload = Upload.start(s3, bucket, "key");
        upload.part(1, bytes(1, 1000));
        List<Callable<?>> calls = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            calls.add(() -> upload.complete());
        }

        assertThat(race(calls)).containsOnly(200);

        assertThat(get(bucket, "key")).isEqualTo(bytes(1, 1000));
    }

    @Test
    void put_against_delete_leaves_the_object_whole_or_none() throws Exception {
        String bucket = newBucket();
        for (int round = 0; round < 20; round++) {
            byte[] body = bytes(round, 5000);
            put(bucket, "key", "old");

            assertThat(race(List.of(
                            () -> put(bucket, "key", body),
                            () -> s3.deleteObject(
                                    request -> request.bucket(bucket).key("key")))))
                    .containsOnly(200);

            try {
                assertThat(get(bucket, "key")).isEqualTo(body);
                assertThat(keys(bucket)).containsExactly("key");
            } catch (S3Exception deleted) {
                assertThat(deleted.statusCode()).isEqualTo(404);
                assertThat(keys(bucket)).isEmpty();
            }
        }
    }

    @Test
    void deleting_a_bucket_against_a_put_never_loses_an_acknowledged_object() throws Exception {
        for (int round = 0; round < 20; round++) {
            String bucket = newBucket();

            List<Integer> statuses = race(List.of(
                    () -> s3.deleteBucket(request -> request.bucket(bucket)), () -> put(bucket, "key", "content")));

            if (statuses.get(1) == 200) {
                assertThat(statuses.get(0)).isEqualTo(409);
                assertThat(getString(bucket, "key")).isEqualTo("content");
            } else {
                assertThat(statuses).containsExactly(200, 404);
                assertStatus(404, () -> s3.headBucket(request -> request.bucket(bucket)));
            }
        }
    }

    @Test
    void of_many_creators_of_one_bucket_one_is_the_first() throws Exception {
        String bucket = created(name -> {});
        List<Callable<?>> calls = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            calls.add(() -> s3.createBucket(request -> request.bucket(bucket)));
        }

        List<Integer> statuses = race(calls);

        assertThat(statuses).filteredOn(status -> status == 200).hasSize(1);
        assertThat(statuses).filteredOn(status -> status == 409).hasSize(15);
    }

    @Test
    void readers_see_one_version_or_the_other_never_a_mixture() throws Exception {
        String bucket = newBucket();
        byte[] letters = "a".repeat(MIB).getBytes(StandardCharsets.US_ASCII);
        put(bucket, "key", letters);
        List<Callable<?>> calls = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            byte[] version = Character.toString('b' + i).repeat(MIB - i).getBytes(StandardCharsets.US_ASCII);
            calls.add(() -> put(bucket, "key", version));
            calls.add(() -> {
                byte[] read = get(bucket, "key");
                assertThat(read).hasSize(read[0] == 'a' ? MIB : MIB - (read[0] - 'b'));
                assertThat(read).containsOnly(read[0]);
                return read;
            });
        }

        assertThat(race(calls)).containsOnly(200);
    }

    @Test
    void many_copies_and_deletes_of_one_source_at_once_keep_every_copy_whole() throws Exception {
        String bucket = newBucket();
        byte[] body = bytes(9, 10_000);
        put(bucket, "source", body);
        List<Callable<?>> calls = new ArrayList<>();
        for (int i = 0; i < 24; i++) {
            String destination = "copy-" + i;
            calls.add(() -> s3.copyObject(request -> request.sourceBucket(bucket)
                    .sourceKey("source")
                    .destinationBucket(bucket)
                    .destinationKey(destination)));
        }
        calls.add(() -> s3.deleteObject(request -> request.bucket(bucket).key("source")));

        List<Integer> statuses = race(calls);

        assertThat(statuses).containsAnyOf(200, 404);
        for (int i = 0; i < 24; i++) {
            String copy = "copy-" + i;
            if (statuses.get(i) == 200) {
                assertThat(get(bucket, copy)).isEqualTo(body);
            } else {
                assertRefused(404, "NoSuchKey", () -> get(bucket, copy));
            }
        }
    }
}
