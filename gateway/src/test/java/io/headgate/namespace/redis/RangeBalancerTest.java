package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.DeleteObject;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Upload;
import io.headgate.namespace.WriteCondition;
import io.headgate.servers.RedisCluster;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** Ranges are split when they are big or hot, and joined when they are small and cold. */
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RangeBalancerTest {
    private static final RedisCluster CLUSTER = RedisCluster.shared();
    private static final BucketName BUCKET = Writers.BUCKET;
    private static final RangeLimits LIMITS = new RangeLimits(100, 50, 40);

    private final RandomGenerator random = RandomGenerator.of("Random");
    private Instant now = Instant.parse("2026-03-01T12:00:00Z");
    private final List<RedisNamespace> open = new ArrayList<>();
    private RedisNamespace namespace;
    private long intent;

    @BeforeEach
    void open() {
        CLUSTER.flush();
        namespace = gateway();
        intent = namespace
                .openIntent("gateway", now, now.plusSeconds(360_000), now.plusSeconds(360_000))
                .id();
    }

    private RedisNamespace gateway() {
        RedisNamespace gateway =
                RedisNamespace.open(RedisNamespaceTest.options().withRanges(LIMITS), () -> now, random);
        open.add(gateway);
        return gateway;
    }

    @AfterEach
    void close() {
        open.forEach(RedisNamespace::close);
    }

    private void put(RedisNamespace gateway, String key) {
        assertThat(gateway.putObject(Writers.put(key, 1, intent, now, random))).isInstanceOf(Outcome.Done.class);
    }

    private void turn(RedisNamespace gateway, String name) {
        now = now.plus(RangeBalancer.TURN);
        assertThat(gateway.upkeep(name, now)).hasValue(RangeBalancer.TURN);
    }

    private List<Range> ranges() {
        RangeMap map = namespace.buckets().load(BUCKET);
        return map == null ? List.of() : List.copyOf(map.all());
    }

    private List<Long> objects() {
        return ranges().stream()
                .map(range -> Long.valueOf(String.valueOf(
                        CLUSTER.masterOf(range.slot()).ask("HGET", new String(range.root(), UTF_8), "n"))))
                .toList();
    }

    @Test
    void a_range_that_is_too_big_is_split_until_no_piece_is() {
        namespace.createBucket(new Bucket(BUCKET, "alice", "", now));
        for (int i = 0; i < 350; i++) {
            put(namespace, "%04d".formatted(i));
        }
        turn(namespace, "a");
        assertThat(ranges()).hasSize(2);

        turn(namespace, "a");
        turn(namespace, "a");
        turn(namespace, "a");

        assertThat(objects()).allSatisfy(count -> assertThat(count).isBetween(41L, 100L));
        assertThat(ranges().stream().map(Range::slot).distinct()).hasSizeGreaterThan(1);
        assertThat(namespace.bucketUsage(BUCKET)).isEqualTo(new Outcome.Done<>(new BucketUsage(350, 350)));
    }

    @Test
    void a_range_that_all_gateways_together_ask_too_often_is_split_where_half_of_the_requests_lie() {
        namespace.createBucket(new Bucket(BUCKET, "alice", "", now));
        RedisNamespace other = gateway();
        for (int i = 0; i < 60; i++) {
            put(namespace, "cold/%02d".formatted(i));
        }
        turn(namespace, "a");
        other.upkeep("b", now);
        for (int i = 0; i < 300; i++) {
            put(namespace, "hot/%02d".formatted(i % 20));
            put(other, "hot/%02d".formatted(i % 20));
        }

        other.upkeep("b", now.plus(RangeBalancer.TURN));
        turn(namespace, "a");

        assertThat(ranges()).hasSize(2);
        assertThat(new String(ranges().getLast().low(), UTF_8)).isBetween("hot/05", "hot/15");
    }

    @Test
    void small_neighbours_that_nobody_asks_for_become_one() {
        namespace.createBucket(new Bucket(BUCKET, "alice", "", now));
        for (int i = 0; i < 150; i++) {
            put(namespace, "%04d".formatted(i));
        }
        turn(namespace, "a");
        assertThat(ranges()).hasSize(2);
        for (int i = 0; i < 130; i++) {
            namespace.deleteObjects(
                    BUCKET, List.of(new DeleteObject(new ObjectKey("%04d".formatted(i)), WriteCondition.NONE)), now);
        }

        turn(namespace, "a");
        turn(namespace, "a");

        assertThat(ranges()).hasSize(1);
        assertThat(objects()).containsExactly(20L);
    }

    @Test
    void neighbours_with_too_many_uploads_to_be_joined_are_left_alone_for_a_while() {
        namespace.createBucket(new Bucket(BUCKET, "alice", "", now));
        for (int i = 0; i < 150; i++) {
            put(namespace, "%04d".formatted(i));
        }
        turn(namespace, "a");
        for (int i = 0; i < 130; i++) {
            namespace.deleteObjects(
                    BUCKET, List.of(new DeleteObject(new ObjectKey("%04d".formatted(i)), WriteCondition.NONE)), now);
        }
        Range second = ranges().getLast();
        RedisCluster.Node master = CLUSTER.masterOf(second.slot());
        String uploads = new String(second.uploads(), UTF_8);
        List<String> many = new ArrayList<>(List.of("ZADD", uploads));
        for (int i = 0; i < 2_001; i++) {
            many.addAll(List.of("0", "upload-" + i));
        }
        master.ask(many.toArray(String[]::new));
        List<Range> before = ranges();

        turn(namespace, "a");
        turn(namespace, "a");
        assertThat(ranges()).as("not even moved").usingRecursiveComparison().isEqualTo(before);

        master.ask("DEL", uploads);
        turn(namespace, "a");
        assertThat(ranges()).as("not looked at again yet").hasSize(2);

        now = now.plusSeconds(3_600);
        turn(namespace, "a");
        turn(namespace, "a");
        assertThat(ranges()).hasSize(1);
    }

    private static List<Object> keys(String pattern) {
        return CLUSTER.masters().stream()
                .flatMap(master -> ((List<?>) master.ask("KEYS", pattern)).stream())
                .map(Object.class::cast)
                .toList();
    }

    @Test
    void what_a_gateway_left_that_died_while_it_took_a_bucket_away_goes_an_hour_later() {
        namespace.createBucket(new Bucket(BUCKET, "alice", "", now));
        Upload upload = new Upload(
                UUID.randomUUID().toString(),
                BUCKET,
                new ObjectKey("film"),
                new ObjectAttributes(Map.of(), Map.of(), Map.of(), ObjectAttributes.STANDARD),
                Optional.empty(),
                "alice",
                now);
        namespace.createUpload(upload);
        assertThatThrownBy(() -> namespace.buckets().delete(BUCKET, _ -> {
                    throw new IllegalStateException("died");
                }))
                .hasMessage("died");
        assertThat(namespace.bucket(BUCKET)).isEmpty();
        namespace.createBucket(new Bucket(BUCKET, "alice", "", now));
        put(namespace, "another");
        turn(namespace, "a");
        assertThat(keys("{*}r*")).as("it may be at it still").hasSize(2);

        now = now.plusSeconds(3_600);
        turn(namespace, "a");

        assertThat(keys("{*}r*")).hasSize(1);
        assertThat(keys("{*}u*")).isEmpty();
        assertThat(CLUSTER.masterOf(StoredUpload.slot(upload.id()))
                        .ask("HGET", new String(StoredUpload.key(upload.id()), UTF_8), "s"))
                .as("aborted")
                .isEqualTo("x");
        assertThat(keys("L{*}")).isEmpty();
        assertThat(objects()).containsExactly(1L);
    }

    @Test
    void what_a_gateway_left_that_did_not_come_to_the_end_of_making_a_bucket_goes_an_hour_later() {
        Instant begun = now;
        AtomicBoolean begins = new AtomicBoolean();
        RedisNamespace slow = RedisNamespace.open(
                RedisNamespaceTest.options(), () -> begins.getAndSet(false) ? begun : begun.plusSeconds(601), random);
        open.add(slow);
        begins.set(true);
        assertThatThrownBy(() -> slow.createHashedBucket(new Bucket(BUCKET, "alice", "", now), 3))
                .isInstanceOf(NamespaceException.class);
        assertThat(keys("{*}r*")).hasSize(3);

        now = now.plusSeconds(3_601);
        turn(namespace, "a");

        assertThat(keys("{*}r*")).isEmpty();
        assertThat(keys("[NOL]{*}")).isEmpty();
        assertThat(namespace.bucket(BUCKET)).isEmpty();
    }

    @Test
    void one_gateway_at_a_time_moves_ranges_and_another_goes_on_when_it_dies() {
        namespace.createBucket(new Bucket(BUCKET, "alice", "", now));
        for (int i = 0; i < 150; i++) {
            put(namespace, "%04d".formatted(i));
        }
        RedisNamespace other = gateway();
        now = now.plusSeconds(1);
        assertThat(namespace.lease("ranges", "dead", now, now.plusSeconds(60))).isTrue();

        turn(other, "b");
        assertThat(ranges()).as("another has the lease").hasSize(1);
        now = now.plusSeconds(60);
        turn(other, "b");

        assertThat(ranges()).hasSize(2);
    }
}
