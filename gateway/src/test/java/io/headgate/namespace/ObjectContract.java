package io.headgate.namespace;

import static io.headgate.namespace.Commands.BUCKET;
import static io.headgate.namespace.Commands.LATER;
import static io.headgate.namespace.Commands.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BucketName;
import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** What every engine promises of puts, look-ups and deletes. */
public abstract class ObjectContract extends NamespaceSuite {
    private static final BucketName MISSING = new BucketName("no-such-bucket");
    private static final WriteCondition ABSENT = new WriteCondition.Absent();

    @Test
    void an_object_is_found_as_it_was_put() {
        PutObject command = make.put("a/ü/\u0000/\uD83D\uDE00", 42)
                .with(new ObjectAttributes(
                        Map.of("content-type", "text/plain", "cache-control", ""),
                        Map.of("name", "Zoë", "empty", ""),
                        Map.of("tag", "value"),
                        "GLACIER_IR"))
                .with(List.of(
                        new Checksum(ChecksumAlgorithm.CRC64NVME, Checksum.Type.FULL_OBJECT, "AAAAAAAAAAA="),
                        new Checksum(ChecksumAlgorithm.SHA1, Checksum.Type.FULL_OBJECT, "abc=")))
                .attempt("invocation", 1)
                .command();

        ObjectVersion expected = new ObjectVersion(
                command.key(),
                command.writeId(),
                NOW,
                42,
                command.etag(),
                command.attributes(),
                command.checksums(),
                Manifest.of(command.blob().orElseThrow()));
        assertThat(done(namespace.putObject(command))).isEqualTo(expected);
        assertThat(current(command.key().value())).isEqualTo(expected);
    }

    @Test
    void times_are_kept_to_the_millisecond() {
        Instant exact = NOW.plusNanos(456_789);
        PutObject command = make.put("a", 1).at(exact).command();

        assertThat(done(namespace.putObject(command)).lastModified()).isEqualTo(NOW);
        assertThat(current("a").lastModified()).isEqualTo(NOW);
    }

    @Test
    void no_reader_sees_an_older_version_than_one_that_was_acknowledged_or_read() throws Exception {
        int puts = 400;
        AtomicLong acknowledged = new AtomicLong(put("a", 1).sizeBytes());
        Callable<Boolean> reader = () -> {
            long seen = 0;
            while (seen < puts) {
                long least = Math.max(seen, acknowledged.get());
                seen = current("a").sizeBytes();
                assertThat(seen).isGreaterThanOrEqualTo(least);
            }
            return true;
        };
        try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
            List<Future<Boolean>> readers =
                    List.of(threads.submit(reader), threads.submit(reader), threads.submit(reader));
            for (int size = 2; size <= puts; size++) {
                acknowledged.set(put("a", size).sizeBytes());
            }
            for (Future<Boolean> done : readers) {
                assertThat(done.get()).isTrue();
            }
        }
    }

    @Test
    void an_empty_object_has_no_slice() {
        put("empty", 0);

        assertThat(current("empty").manifest()).isEqualTo(Manifest.EMPTY);
        assertThat(usage()).isEqualTo(new BucketUsage(1, 0));
    }

    @Test
    void what_is_not_there_is_refused_by_name() {
        assertRefused(namespace.currentVersion(BUCKET, new ObjectKey("a")), Refusal.NO_SUCH_KEY);
        assertRefused(namespace.currentVersion(MISSING, new ObjectKey("a")), Refusal.NO_SUCH_BUCKET);
        assertRefused(namespace.putObject(make.put("a", 1).in(MISSING).command()), Refusal.NO_SUCH_BUCKET);
    }

    @Test
    void an_overwritten_object_leaves_its_blob_as_garbage() {
        ObjectVersion first = put("a", 3);
        ObjectVersion second = put("a", 5);

        assertThat(current("a")).isEqualTo(second);
        assertThat(garbage()).containsExactly(blobOf(first));
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(1, 5, 1, 3));
    }

    @Test
    void a_put_that_fails_its_precondition_leaves_its_blob_as_garbage() {
        ObjectVersion first = put("a", 3);
        PutObject refused = make.put("a", 5).only(ABSENT).command();

        assertRefused(namespace.putObject(refused), Refusal.PRECONDITION_FAILED);

        assertThat(current("a")).isEqualTo(first);
        assertThat(garbage()).containsExactly(refused.blob().orElseThrow().blob());
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(1, 3, 1, 5));
        assertThat(usage()).isEqualTo(new BucketUsage(1, 3));
    }

    @Test
    void a_put_into_a_missing_bucket_leaves_its_blob_as_garbage() {
        PutObject refused = make.put("a", 5).in(MISSING).command();
        assertRefused(namespace.putObject(refused), Refusal.NO_SUCH_BUCKET);
        assertThat(garbage()).containsExactly(refused.blob().orElseThrow().blob());
    }

    @Test
    void write_conditions_look_at_the_current_version() {
        assertRefused(
                namespace.putObject(
                        make.put("a", 1).only(new WriteCondition.Present()).command()),
                Refusal.NO_SUCH_KEY);
        assertRefused(
                namespace.putObject(make.put("a", 1).only(matches(make.etag())).command()), Refusal.NO_SUCH_KEY);
        ObjectVersion first =
                done(namespace.putObject(make.put("a", 1).only(ABSENT).command()));
        assertRefused(
                namespace.putObject(make.put("a", 1).only(matches(make.etag())).command()),
                Refusal.PRECONDITION_FAILED);
        done(namespace.putObject(
                make.put("a", 1).only(matches(make.etag(), first.etag())).command()));
        done(namespace.putObject(
                make.put("a", 1).only(new WriteCondition.Present()).command()));
    }

    @Test
    void a_write_may_ask_that_the_current_version_is_another_than_some() {
        ETag other = make.etag();
        ObjectVersion first = done(namespace.putObject(
                make.put("a", 1).only(new WriteCondition.Differs(Set.of(other))).command()));
        assertRefused(
                namespace.putObject(make.put("a", 1)
                        .only(new WriteCondition.Differs(Set.of(other, first.etag())))
                        .command()),
                Refusal.PRECONDITION_FAILED);
        assertThat(current("a")).isEqualTo(first);
        ObjectVersion second = done(namespace.putObject(
                make.put("a", 1).only(new WriteCondition.Differs(Set.of(other))).command()));
        assertThat(current("a")).isEqualTo(second);
    }

    private static WriteCondition matches(ETag... etags) {
        return new WriteCondition.Matches(Set.of(etags));
    }

    @Test
    void of_32_conditional_puts_at_once_exactly_one_wins() throws Exception {
        for (int round = 0; round < 10; round++) {
            String key = "contested-" + round;
            List<Callable<Outcome<ObjectVersion>>> tasks = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                PutObject command = make.put(key, 1).only(ABSENT).command();
                tasks.add(() -> namespace.putObject(command));
            }

            List<ObjectVersion> winners = atOnce(tasks).stream()
                    .filter(Outcome.Done.class::isInstance)
                    .map(NamespaceSuite::done)
                    .toList();
            assertThat(winners).containsExactly(current(key));
        }
        assertThat(garbage()).hasSize(310);
    }

    @Test
    void of_32_conditional_overwrites_at_once_exactly_one_wins() throws Exception {
        ObjectVersion first = put("a", 1);
        List<Callable<Outcome<ObjectVersion>>> tasks = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            PutObject command = make.put("a", 1).only(matches(first.etag())).command();
            tasks.add(() -> namespace.putObject(command));
        }

        assertThat(atOnce(tasks).stream().filter(Outcome.Done.class::isInstance))
                .hasSize(1);
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(1, 1, 32, 32));
    }

    @Test
    void a_put_sent_twice_takes_effect_once() {
        PutObject command = make.put("a", 3).only(ABSENT).command();

        Outcome<ObjectVersion> first = namespace.putObject(command);
        assertThat(namespace.putObject(command)).isEqualTo(first);

        assertThat(garbage()).isEmpty();
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(1, 3, 0, 0));
        assertThat(usage()).isEqualTo(new BucketUsage(1, 3));
    }

    @Test
    void a_put_repeated_after_it_was_overwritten_does_not_come_back() {
        for (int size : List.of(0, 3)) {
            PutObject command = make.put("a", size).command();
            Outcome<ObjectVersion> first = namespace.putObject(command);
            ObjectVersion second = put("a", 5);

            assertThat(namespace.putObject(command)).isEqualTo(first);
            assertThat(current("a")).isEqualTo(second);
        }
    }

    @Test
    void a_put_repeated_after_it_was_deleted_does_not_come_back() {
        for (int size : List.of(0, 3)) {
            PutObject command = make.put("a", size).command();
            Outcome<ObjectVersion> first = namespace.putObject(command);
            assertThat(delete("a")).isTrue();

            assertThat(namespace.putObject(command)).isEqualTo(first);
            assertThat(exists("a")).isFalse();
        }
        assertThat(usage()).isEqualTo(new BucketUsage(0, 0));
    }

    @Test
    void a_refused_put_sent_again_is_refused_for_the_same_reason_though_it_would_do_now() {
        put("a", 3);
        PutObject command = make.put("a", 5).only(ABSENT).command();
        assertRefused(namespace.putObject(command), Refusal.PRECONDITION_FAILED);
        delete("a");

        assertRefused(namespace.putObject(command), Refusal.PRECONDITION_FAILED);

        assertThat(exists("a")).isFalse();
        assertThat(garbage()).contains(command.blob().orElseThrow().blob());
    }

    @Test
    void a_put_of_a_discarded_blob_is_refused() {
        PutObject command = make.put("a", 5).command();
        namespace.discard(List.of(new Garbage(command.blob().orElseThrow().blob(), "disk-1", 5, NOW)));

        assertRefused(namespace.putObject(command), Refusal.INTENT_EXPIRED);
        assertThat(exists("a")).isFalse();
    }

    @Test
    void a_slow_first_try_does_not_overwrite_the_retry() {
        ObjectVersion retry =
                done(namespace.putObject(make.put("a", 1).attempt("call", 2).command()));
        PutObject slow = make.put("a", 1).attempt("call", 1).command();

        assertRefused(namespace.putObject(slow), Refusal.SUPERSEDED);
        assertThat(current("a")).isEqualTo(retry);
        assertThat(garbage()).containsExactly(slow.blob().orElseThrow().blob());

        done(namespace.putObject(make.put("a", 1).attempt("another call", 1).command()));
        done(namespace.putObject(make.put("a", 1).attempt("another call", 2).command()));
        done(namespace.putObject(make.put("a", 1).command()));
    }

    @Test
    void a_put_under_an_intent_that_has_ended_is_refused() {
        long expired = namespace.openIntent("g", NOW, NOW, NOW.plusSeconds(5)).id();
        done(namespace.putObject(
                make.put("a", 1).under(expired).at(NOW.plusMillis(4_999)).command()));
        assertRefused(
                namespace.putObject(
                        make.put("a", 1).under(expired).at(NOW.plusSeconds(5)).command()),
                Refusal.INTENT_EXPIRED);
        assertRefused(namespace.putObject(make.put("a", 1).under(999_999).command()), Refusal.INTENT_EXPIRED);

        long taken = namespace.openIntent("g", NOW, NOW, NOW.plusSeconds(5)).id();
        namespace.takeExpiredIntents(NOW.plusSeconds(6), 100);
        assertRefused(namespace.putObject(make.put("a", 1).under(taken).command()), Refusal.INTENT_EXPIRED);
        assertThat(garbage()).hasSize(3);
    }

    @Test
    void deletes_say_what_was_there() {
        put("a", 1);
        ObjectVersion kept = put("b", 1);
        ObjectKey b = new ObjectKey("b");

        List<Outcome<Boolean>> outcomes = namespace.deleteObjects(
                BUCKET,
                List.of(
                        make.delete("a"),
                        make.delete("a"),
                        make.delete("never"),
                        new DeleteObject(b, matches(make.etag())),
                        new DeleteObject(new ObjectKey("c"), matches(make.etag())),
                        new DeleteObject(b, matches(kept.etag()))),
                NOW);

        assertThat(outcomes)
                .containsExactly(
                        new Outcome.Done<>(true),
                        new Outcome.Done<>(false),
                        new Outcome.Done<>(false),
                        new Outcome.Refused<>(Refusal.PRECONDITION_FAILED),
                        new Outcome.Refused<>(Refusal.NO_SUCH_KEY),
                        new Outcome.Done<>(true));
        assertThat(usage()).isEqualTo(new BucketUsage(0, 0));
        assertThat(garbage()).hasSize(2);
    }

    @Test
    void a_thousand_deletes_are_one_step() {
        List<DeleteObject> commands = new ArrayList<>();
        for (int i = 0; i < 1_000; i++) {
            put("key-" + i, 1);
            commands.add(make.delete("key-" + i));
        }
        assertThat(namespace.deleteObjects(BUCKET, commands, NOW))
                .hasSize(1_000)
                .containsOnly(new Outcome.Done<>(true));
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(0, 0, 1_000, 1_000));
    }

    @Test
    void deletes_in_a_missing_bucket_are_all_refused() {
        List<Outcome<Boolean>> outcomes =
                namespace.deleteObjects(MISSING, List.of(make.delete("a"), make.delete("b")), NOW);
        assertThat(outcomes).hasSize(2);
        outcomes.forEach(outcome -> assertRefused(outcome, Refusal.NO_SUCH_BUCKET));
    }

    @Test
    void a_copy_shares_the_blob_until_the_last_of_both_is_gone() {
        ObjectVersion source = put("a", 5);
        ObjectVersion copy = done(namespace.copyObject(make.copy("a", "b")));

        assertThat(copy.manifest()).isEqualTo(source.manifest());
        assertThat(copy.etag()).isEqualTo(source.etag());
        assertThat(current("b")).isEqualTo(copy);
        assertThat(usage()).isEqualTo(new BucketUsage(2, 10));
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(1, 5, 0, 0));

        delete("a");
        assertThat(garbage()).isEmpty();
        assertThat(current("b")).isEqualTo(copy);

        delete("b", LATER);
        assertThat(namespace.dueGarbage("disk-1", LATER, 10)).isEmpty();
        assertThat(namespace.dueGarbage("disk-1", LATER.plusMillis(1), 10))
                .containsExactly(new Garbage(blobOf(source), "disk-1", 5, LATER));
    }

    @Test
    void a_copy_onto_itself_changes_what_is_said_of_it() {
        ObjectVersion before = put("a", 5);
        ObjectAttributes said = new ObjectAttributes(
                Map.of("content-type", "image/png"), Map.of("x", "y"), Map.of("ignored", "tag"), "IGNORED");
        Checksum checksum = new Checksum(ChecksumAlgorithm.SHA256, Checksum.Type.FULL_OBJECT, "x");
        CopyObject command = new CopyObject(
                BUCKET,
                new ObjectKey("a"),
                Optional.of(before.writeId()),
                ReadCondition.NONE,
                BUCKET,
                new ObjectKey("a"),
                make.writeId(),
                Optional.of(said),
                Optional.of(Map.of("new", "tag")),
                "STANDARD_IA",
                Optional.empty(),
                Optional.of(List.of(checksum)),
                WriteCondition.NONE,
                LATER);

        ObjectVersion after = done(namespace.copyObject(command));

        assertThat(after.attributes())
                .isEqualTo(new ObjectAttributes(said.headers(), said.metadata(), Map.of("new", "tag"), "STANDARD_IA"));
        assertThat(after.checksums()).containsExactly(checksum);
        assertThat(after.manifest()).isEqualTo(before.manifest());
        assertThat(current("a")).isEqualTo(after);
        assertThat(garbage()).isEmpty();
        assertThat(usage()).isEqualTo(new BucketUsage(1, 5));
        assertRefused(
                namespace.copyObject(
                        make.copy("a", "b", WriteCondition.NONE, ReadCondition.NONE, Optional.of(before.writeId()))),
                Refusal.SOURCE_CHANGED);
    }

    @Test
    void a_website_redirect_is_not_copied_but_given() {
        put("a", 5);
        ObjectVersion redirecting = done(namespace.copyObject(redirecting("a", "b", Optional.of("/elsewhere"))));
        ObjectVersion copy = done(namespace.copyObject(redirecting("b", "c", Optional.empty())));

        assertThat(redirecting.attributes().headers()).containsEntry("x-amz-website-redirect-location", "/elsewhere");
        assertThat(copy.attributes().headers()).doesNotContainKey("x-amz-website-redirect-location");
        assertThat(current("b")).isEqualTo(redirecting);
        assertThat(current("c")).isEqualTo(copy);
    }

    private CopyObject redirecting(String from, String to, Optional<String> location) {
        return new CopyObject(
                BUCKET,
                new ObjectKey(from),
                Optional.empty(),
                ReadCondition.NONE,
                BUCKET,
                new ObjectKey(to),
                make.writeId(),
                Optional.empty(),
                Optional.empty(),
                ObjectAttributes.STANDARD,
                location,
                Optional.empty(),
                WriteCondition.NONE,
                NOW);
    }

    @Test
    void a_copy_keeps_conditions_on_both_sides() {
        ObjectVersion source = put("a", 5);
        put("b", 1);
        ReadCondition other = new ReadCondition(
                Optional.of(Set.of(make.etag())), Optional.empty(), Optional.empty(), Optional.empty());
        ReadCondition unchanged = new ReadCondition(
                Optional.empty(), Optional.of(Set.of(source.etag())), Optional.empty(), Optional.empty());
        for (CopyObject refused : List.of(
                make.copy("a", "b", ABSENT, ReadCondition.NONE, Optional.empty()),
                make.copy("a", "b", WriteCondition.NONE, other, Optional.empty()),
                make.copy("a", "b", WriteCondition.NONE, unchanged, Optional.empty()))) {
            assertRefused(namespace.copyObject(refused), Refusal.PRECONDITION_FAILED);
        }
        assertRefused(namespace.copyObject(make.copy("never", "b")), Refusal.NO_SUCH_KEY);
        assertThat(current("b").sizeBytes()).isEqualTo(1);
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(2, 6, 0, 0));
    }

    @Test
    void a_write_with_the_id_of_its_blob_takes_effect_once_and_is_copied_and_deleted_as_others() {
        PutObject command = make.put("a", 5).byBlob().command();
        Outcome<ObjectVersion> first = namespace.putObject(command);
        assertThat(namespace.putObject(command)).isEqualTo(first);
        assertThat(current("a")).isEqualTo(command.version());
        done(namespace.copyObject(make.copy("a", "b")));

        done(namespace.putObject(make.put("a", 7).byBlob().command()));
        assertThat(namespace.putObject(command)).isEqualTo(first);
        assertThat(current("a").sizeBytes()).isEqualTo(7);
        assertThat(garbage()).isEmpty();

        delete("b");
        assertThat(garbage()).containsExactly(blobOf(command.version()));
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(1, 7, 1, 5));
    }

    @Test
    void a_copy_sent_twice_takes_effect_once_even_after_it_was_replaced() {
        put("a", 5);
        CopyObject command = make.copy("a", "b");
        Outcome<ObjectVersion> first = namespace.copyObject(command);
        assertThat(namespace.copyObject(command)).isEqualTo(first);

        ObjectVersion second = put("b", 1);
        delete("a");
        assertThat(namespace.copyObject(command)).isEqualTo(first);
        assertThat(current("b")).isEqualTo(second);
    }

    @Test
    void puts_against_deletes_leave_exact_counters() throws Exception {
        List<Callable<Object>> tasks = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            PutObject command = make.put("key-" + i % 3, i % 7).command();
            tasks.add(() -> namespace.putObject(command));
            String deleted = "key-" + i % 5;
            tasks.add(() -> namespace.deleteObjects(BUCKET, List.of(make.delete(deleted)), NOW));
        }
        atOnce(tasks);

        ObjectPage page = done(namespace.listObjects(new ObjectQuery(BUCKET, "", "", "", 100)));
        long bytes = page.entries().stream()
                .mapToLong(entry -> ((ObjectPage.Entry.Current) entry).object().sizeBytes())
                .sum();
        assertThat(usage()).isEqualTo(new BucketUsage(page.entries().size(), bytes));
        assertThat(account("disk-1").liveBytes()).isEqualTo(bytes);
        assertThat(account("disk-1").garbageBlobs()).isEqualTo(garbage().size());
    }

    @Test
    void everything_is_there_after_it_was_closed_and_opened_again() throws Exception {
        ObjectVersion version = put("a", 5);
        put("b", 1);
        delete("b");
        namespace.close();

        namespace = reopen();
        assertThat(current("a")).isEqualTo(version);
        assertThat(usage()).isEqualTo(new BucketUsage(1, 5));
        assertThat(garbage()).hasSize(1);
        put("c", 1);
    }

    @Test
    void the_engine_answers_a_ping() {
        namespace.ping();
    }

    static io.headgate.domain.BlobId blobOf(ObjectVersion version) {
        return ((Manifest.Inline) version.manifest()).slice().orElseThrow().blob();
    }
}
