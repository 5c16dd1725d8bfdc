package io.headgate.namespace;

import static io.headgate.namespace.Commands.BUCKET;
import static io.headgate.namespace.Commands.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BucketName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** What every engine promises of buckets. */
public abstract class BucketContract extends NamespaceSuite {
    private static final BucketName MISSING = new BucketName("no-such-bucket");

    @Test
    void a_bucket_is_found_as_it_was_made() {
        Bucket made = new Bucket(new BucketName("videos"), "bob", "eu-west", NOW);

        assertThat(namespace.createBucket(made)).isEqualTo(new BucketClaim(made, true));
        assertThat(namespace.bucket(made.name())).contains(made);
        assertThat(namespace.bucket(MISSING)).isEmpty();
    }

    @Test
    void a_setting_is_kept_until_it_is_changed_or_forgotten_or_the_bucket_goes() {
        Bucket plain = make.bucket(BUCKET.value());
        String large = "<→>".repeat(100_000);

        assertThat(done(namespace.changeBucket(BUCKET, BucketSetting.CORS, Optional.of("first"))))
                .isEqualTo(plain.with(BucketSetting.CORS, Optional.of("first")));
        done(namespace.changeBucket(BUCKET, BucketSetting.POLICY, Optional.of(large)));
        done(namespace.changeBucket(BUCKET, BucketSetting.CORS, Optional.of("second")));
        assertThat(namespace.bucket(BUCKET))
                .contains(plain.withSettings(Map.of(BucketSetting.CORS, "second", BucketSetting.POLICY, large)));

        done(namespace.changeBucket(BUCKET, BucketSetting.CORS, Optional.empty()));
        done(namespace.changeBucket(BUCKET, BucketSetting.CORS, Optional.empty()));
        assertThat(namespace.bucket(BUCKET)).contains(plain.withSettings(Map.of(BucketSetting.POLICY, large)));

        done(namespace.deleteBucket(BUCKET, NOW));
        namespace.createBucket(plain);
        assertThat(namespace.bucket(BUCKET)).contains(plain);
        assertRefused(
                namespace.changeBucket(MISSING, BucketSetting.CORS, Optional.of("first")), Refusal.NO_SUCH_BUCKET);
    }

    @Test
    void a_bucket_may_be_made_with_settings() {
        Bucket made = new Bucket(
                new BucketName("videos"), "bob", "eu-west", NOW, Map.of(BucketSetting.OWNERSHIP, "ObjectWriter"));

        assertThat(namespace.createBucket(made)).isEqualTo(new BucketClaim(made, true));
        assertThat(namespace.bucket(made.name())).contains(made);
        assertThat(namespace.listBuckets(new BucketQuery("bob", "", "", 10)))
                .containsExactly(made.withSettings(Map.of()));
    }

    @Test
    void settings_that_are_changed_at_once_are_all_kept() throws Exception {
        List<Callable<Outcome<Bucket>>> tasks = new ArrayList<>();
        for (BucketSetting setting : BucketSetting.values()) {
            tasks.add(() -> namespace.changeBucket(BUCKET, setting, Optional.of("of " + setting)));
        }
        atOnce(tasks).forEach(NamespaceSuite::done);

        assertThat(namespace.bucket(BUCKET).orElseThrow().settings().keySet())
                .containsExactlyInAnyOrder(BucketSetting.values());
    }

    @Test
    void a_taken_name_stays_with_its_owner() {
        BucketClaim second = namespace.createBucket(new Bucket(BUCKET, "mallory", "mars", NOW.plusSeconds(9)));

        assertThat(second).isEqualTo(new BucketClaim(make.bucket(BUCKET.value()), false));
        assertThat(namespace.bucket(BUCKET)).contains(make.bucket(BUCKET.value()));
    }

    @Test
    void a_deleted_bucket_is_gone_and_its_name_free() {
        assertThat(done(namespace.deleteBucket(BUCKET, NOW)).owner()).isEqualTo("alice");

        assertThat(namespace.bucket(BUCKET)).isEmpty();
        assertRefused(namespace.deleteBucket(BUCKET, NOW), Refusal.NO_SUCH_BUCKET);
        assertRefused(namespace.putObject(make.put("a", 1).command()), Refusal.NO_SUCH_BUCKET);
        assertThat(namespace
                        .createBucket(new Bucket(BUCKET, "bob", "", NOW))
                        .bucket()
                        .owner())
                .isEqualTo("bob");
        assertThat(usage()).isEqualTo(new BucketUsage(0, 0));
    }

    @Test
    void a_bucket_with_an_object_is_not_deleted() {
        put("a", 1);

        assertRefused(namespace.deleteBucket(BUCKET, NOW), Refusal.BUCKET_NOT_EMPTY);

        delete("a");
        done(namespace.deleteBucket(BUCKET, NOW));
    }

    @Test
    void deleting_a_bucket_aborts_its_uploads() {
        Upload upload = done(namespace.createUpload(make.upload("a")));
        PutPart part = make.putPart(upload, 1, 20);
        done(namespace.putPart(part));

        done(namespace.deleteBucket(BUCKET, NOW));
        namespace.createBucket(make.bucket(BUCKET.value()));

        assertRefused(namespace.upload(BUCKET, upload.key(), upload.id()), Refusal.NO_SUCH_UPLOAD);
        assertThat(garbage()).containsExactly(part.blob().orElseThrow().blob());
    }

    @Test
    void an_owner_lists_his_own_buckets_by_prefix_and_page() {
        for (String name : List.of("logs-2", "logs-10", "logs-1", "mail", "zoo")) {
            anotherBucket(name);
        }
        namespace.createBucket(new Bucket(new BucketName("logs-bob"), "bob", "", NOW));

        assertThat(names("", "", 100)).containsExactly("logs-1", "logs-10", "logs-2", "mail", "photos", "zoo");
        assertThat(names("logs", "", 100)).containsExactly("logs-1", "logs-10", "logs-2");
        assertThat(names("", "logs-10", 2)).containsExactly("logs-2", "mail");
        assertThat(names("logs", "logs-1", 100)).containsExactly("logs-10", "logs-2");
        assertThat(names("x", "", 100)).isEmpty();
    }

    private List<String> names(String prefix, String after, int limit) {
        return namespace.listBuckets(new BucketQuery("alice", prefix, after, limit)).stream()
                .map(bucket -> bucket.name().value())
                .toList();
    }

    @Test
    void usage_counts_current_objects_and_their_bytes() {
        put("a", 3);
        put("b", 0);
        put("a", 5);
        put("c", 7);
        delete("c");

        assertThat(usage()).isEqualTo(new BucketUsage(2, 5));
        assertRefused(namespace.bucketUsage(MISSING), Refusal.NO_SUCH_BUCKET);
    }

    @Test
    void of_many_that_make_one_name_at_the_same_instant_one_makes_it_and_all_see_it() throws Exception {
        List<Callable<BucketClaim>> tasks = new ArrayList<>();
        for (int i = 0; i < 32; i++) {
            Bucket mine = new Bucket(new BucketName("contested"), "user-" + i % 2, "", NOW);
            tasks.add(() -> namespace.createBucket(mine));
        }

        List<BucketClaim> claims = atOnce(tasks);
        assertThat(claims.stream().map(BucketClaim::bucket).distinct()).hasSize(1);
        assertThat(claims.stream().filter(BucketClaim::made)).hasSize(1);
    }

    @Test
    void a_bucket_deleted_while_objects_are_put_loses_none_that_was_acknowledged() throws Exception {
        for (int round = 0; round < 20; round++) {
            BucketName bucket = anotherBucket("round-" + round);
            List<Callable<Outcome<?>>> tasks = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                PutObject command = make.put("key-" + i, 1).in(bucket).command();
                tasks.add(() -> namespace.putObject(command));
            }
            tasks.add(4, () -> namespace.deleteBucket(bucket, NOW));
            List<Outcome<?>> outcomes = atOnce(tasks);

            boolean deleted = outcomes.remove(4) instanceof Outcome.Done;
            long stored =
                    outcomes.stream().filter(Outcome.Done.class::isInstance).count();
            assertThat(stored).isEqualTo(deleted ? 0 : 8);
            assertThat(namespace.bucket(bucket).isEmpty()).isEqualTo(deleted);
        }
    }
}
