package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketRange;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.DeleteObject;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectQuery;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.Upload;
import io.headgate.namespace.UploadPage;
import io.headgate.namespace.UploadQuery;
import io.headgate.namespace.WriteCondition;
import io.headgate.namespace.redis.RangeMoves.Step;
import io.headgate.servers.RedisCluster;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.random.RandomGenerator;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ranges are split, moved and joined: nothing is lost, nothing comes twice, whoever dies in the middle. */
@DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
final class RangeMovesTest {
    private static final RedisCluster CLUSTER = RedisCluster.shared();
    private static final BucketName BUCKET = Writers.BUCKET;
    private static final int KEYS = 1_500;

    private final RandomGenerator random = RandomGenerator.of("Random");
    private final List<RedisNamespace> open = new ArrayList<>();
    private Instant now = Instant.parse("2026-03-01T12:00:00Z");
    private RedisNamespace namespace;
    private long intent;

    /** A gateway that dies after a step. */
    private static final class Died extends RuntimeException {
        private static final long serialVersionUID = 1;
    }

    @BeforeEach
    void open() {
        CLUSTER.flush();
        namespace = gateway(null);
        namespace.createBucket(new Bucket(BUCKET, "alice", "", now));
        intent = namespace
                .openIntent("gateway", now, now.plusSeconds(3_600), now.plusSeconds(3_600))
                .id();
    }

    @AfterEach
    void close() {
        open.forEach(RedisNamespace::close);
    }

    private RedisNamespace gateway(@Nullable Step last) {
        RedisNamespace gateway = RedisNamespace.open(RedisNamespaceTest.options(), () -> now, random, step -> {
            if (step == last) {
                throw new Died();
            }
        });
        open.add(gateway);
        return gateway;
    }

    private static String key(int number) {
        return "%06d".formatted(number);
    }

    private void fill(int keys) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < keys; i++) {
                PutObject put = put(key(i), i + 1);
                threads.submit(() -> namespace.putObject(put));
            }
        }
    }

    private PutObject put(String key, long size) {
        return Writers.put(key, size, intent, now, random);
    }

    private List<Range> ranges() {
        RangeMap map = namespace.buckets().load(BUCKET);
        return map == null ? List.of() : List.copyOf(map.all());
    }

    private RangeMove moving(Range range, byte[] border, int slot) {
        String id = Long.toUnsignedString(random.nextLong(), Character.MAX_RADIX);
        return new RangeMove(BUCKET, range, range.movedTo(id, slot, border, now));
    }

    private RangeMove splitAt(int number, int slot) {
        return moving(ranges().getLast(), new ObjectKey(key(number)).bytes(), slot);
    }

    private List<String> listed() {
        List<String> keys = new ArrayList<>();
        String after = "";
        while (true) {
            List<String> page = listed(namespace, new ObjectQuery(BUCKET, "", "", after, 1_000));
            keys.addAll(page);
            if (page.size() < 1_000) {
                return keys;
            }
            after = page.getLast();
        }
    }

    private static List<String> listed(RedisNamespace gateway, ObjectQuery query) {
        List<String> keys = new ArrayList<>();
        if (gateway.listObjects(query) instanceof Outcome.Done<ObjectPage>(ObjectPage page)) {
            page.entries().forEach(entry -> {
                if (entry instanceof ObjectPage.Entry.Current current) {
                    keys.add(current.object().key().value());
                }
            });
        }
        return keys;
    }

    private static List<String> keys(int from, int to) {
        List<String> keys = new ArrayList<>();
        for (int i = from; i < to; i++) {
            keys.add(key(i));
        }
        return keys;
    }

    private void assertWhole() {
        assertThat(listed()).isEqualTo(keys(0, KEYS));
        assertThat(namespace.bucketUsage(BUCKET))
                .isEqualTo(new Outcome.Done<>(new BucketUsage(KEYS, (long) KEYS * (KEYS + 1) / 2)));
    }

    @ParameterizedTest
    @EnumSource
    void a_gateway_that_dies_after_any_step_of_a_split_leaves_one_owner_for_each_key(Step last) {
        fill(KEYS);
        RedisNamespace dying = gateway(last);
        RangeMove move = splitAt(700, 4_711);

        assertThatExceptionOfType(Died.class)
                .isThrownBy(() -> dying.rangeMoves().move(move));

        stoppedLongAgo(move);
        for (int i = 0; i < KEYS; i += 50) {
            assertThat(namespace.putObject(put(key(i), i + 1))).isInstanceOf(Outcome.Done.class);
        }
        assertWhole();
        namespace.rangeMoves().recover();
        assertWhole();
        boolean moved = last.compareTo(Step.CUT) >= 0;
        assertThat(ranges()).hasSize(moved ? 2 : 1);
        assertThat(namespace.rangeMoves().move(moved ? moving(ranges().getFirst(), new byte[0], 3) : move))
                .as("it can be moved again")
                .isTrue();
        assertWhole();
        assertNothingIsLeft();
    }

    /** As if the writes of a range had been stopped a while ago, if they have been, by the clock of its master. */
    private static void stoppedLongAgo(RangeMove move) {
        String root = new String(move.source().root(), UTF_8);
        RedisCluster.Node master = CLUSTER.masterOf(move.source().slot());
        if (String.valueOf(master.ask("HGET", root, "e")).endsWith("!")) {
            master.ask("HSET", root, "at", "1");
        }
    }

    @Test
    void a_gateway_whose_clock_is_wrong_does_not_let_writes_go_on_that_another_has_just_stopped() {
        fill(KEYS);
        RedisNamespace dying = gateway(Step.FROZEN);
        RangeMove move = splitAt(700, 4_711);
        assertThatExceptionOfType(Died.class)
                .isThrownBy(() -> dying.rangeMoves().move(move));

        now = now.plusSeconds(3_600);
        settle();
        assertThat(epoch(move)).endsWith("!");

        stoppedLongAgo(move);
        settle();
        assertThat(epoch(move)).isEqualTo("1");
    }

    private void settle() {
        RangeMap map = namespace.buckets().load(BUCKET);
        map.all().forEach(range -> namespace.rangeMoves().settle(map, range));
    }

    private static String epoch(RangeMove move) {
        return String.valueOf(CLUSTER.masterOf(move.source().slot())
                .ask("HGET", new String(move.source().root(), UTF_8), "e"));
    }

    @Test
    void a_bucket_is_open_again_that_somebody_was_closing_who_has_died_and_not_before() {
        Range range = ranges().getFirst();
        String bucket = new String(Buckets.key(BUCKET), UTF_8);
        RedisCluster.Node master = CLUSTER.masterOf(
                Math.toIntExact((Long) CLUSTER.masters().getFirst().ask("CLUSTER", "KEYSLOT", bucket)));
        try (Cluster cluster = new Cluster(RedisNamespaceTest.options())) {
            BucketClosing closing = new BucketClosing(cluster);
            assertThat(closing.begin(BUCKET, "dead")).isEqualTo(BucketClosing.Begun.OURS);
            CLUSTER.masterOf(range.slot()).ask("HSET", new String(range.root(), UTF_8), "e", "x1@dead");
            now = now.plusSeconds(3_600);

            assertThat(closing.begin(BUCKET, "another")).isEqualTo(BucketClosing.Begun.OTHERS);
            closing.reopenIfAbandoned(namespace.buckets().load(BUCKET));
            assertThat(master.ask("HEXISTS", bucket, "closing")).isEqualTo(1L);
        }

        master.ask("HSET", bucket, "closing", "dead@1");

        assertThat(namespace.putObject(Writers.emptyPut(BUCKET, "a"))).isInstanceOf(Outcome.Done.class);
        assertThat(master.ask("HEXISTS", bucket, "closing")).isEqualTo(0L);
    }

    @Test
    void a_bucket_whose_range_is_not_what_its_map_says_has_no_usage_after_a_while() {
        Range range = ranges().getFirst();
        CLUSTER.masterOf(range.slot()).ask("HSET", new String(range.root(), UTF_8), "e", "lost");
        RedisOptions options =
                new RedisOptions(RedisNamespaceTest.options().nodes(), false, null, null, Duration.ofSeconds(1), 1);
        RedisNamespace hasty = RedisNamespace.open(options, () -> now, random);
        open.add(hasty);

        assertThatExceptionOfType(NamespaceException.class)
                .isThrownBy(() -> hasty.bucketUsage(BUCKET))
                .withMessageContaining("moving for too long");
    }

    /** What no range owns. */
    private void assertNothingIsLeft() {
        long records = CLUSTER.masters().stream()
                .flatMap(master -> ((List<?>) master.ask("KEYS", "{*}o*"))
                        .stream().map(key -> (Long) master.ask("ZCARD", String.valueOf(key))))
                .mapToLong(Long::longValue)
                .sum();
        assertThat(ranges().stream()
                        .mapToLong(range -> Optional.ofNullable(
                                        CLUSTER.masterOf(range.slot()).ask("ZCARD", new String(range.records(), UTF_8)))
                                .map(Long.class::cast)
                                .orElse(0L))
                        .sum())
                .isEqualTo(records);
    }

    @ParameterizedTest
    @EnumSource
    void a_gateway_that_dies_after_any_step_of_a_move_leaves_one_owner_for_each_key(Step last) {
        fill(KEYS);
        RedisNamespace dying = gateway(last);
        RangeMove move = moving(ranges().getFirst(), new byte[0], 4_711);

        assertThatExceptionOfType(Died.class)
                .isThrownBy(() -> dying.rangeMoves().move(move));

        stoppedLongAgo(move);
        assertThat(namespace.putObject(put(key(7), 8))).isInstanceOf(Outcome.Done.class);
        assertWhole();
        namespace.rangeMoves().recover();
        assertWhole();
        assertThat(ranges().getFirst().slot())
                .isEqualTo(last.compareTo(Step.CUT) >= 0 ? 4_711 : move.source().slot());
        assertNothingIsLeft();
    }

    @Test
    void a_range_that_was_closed_by_a_gateway_that_closes_its_bucket_no_more_is_opened_by_who_meets_it() {
        Range range = ranges().getFirst();
        CLUSTER.masterOf(range.slot()).ask("HSET", new String(range.root(), UTF_8), "e", "x1@dead");

        assertThat(namespace.putObject(put(key(7), 8))).isInstanceOf(Outcome.Done.class);

        assertThat(listed()).containsExactly(key(7));
    }

    @Test
    void a_border_has_no_nul_which_would_end_it_in_the_map() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> moving(ranges().getFirst(), "key\0upload".getBytes(UTF_8), 3));
    }

    @Test
    void a_seal_that_is_sent_again_is_known_and_another_is_refused() {
        String id = UUID.randomUUID().toString();
        String key = new String(StoredUpload.key(id), UTF_8);
        RedisCluster.Node master = CLUSTER.masterOf(StoredUpload.slot(id));
        master.ask("HSET", key, "s", "o", "v", "3");
        String seal = Library.function(Script.UPLOAD_SEAL);

        assertThat(master.ask("FCALL", seal, "1", key, "3", "one end")).isEqualTo("1");
        assertThat(master.ask("FCALL", seal, "1", key, "3", "one end")).isEqualTo("1");
        assertThat(master.ask("FCALL", seal, "1", key, "3", "another")).isEqualTo("c");
    }

    @Test
    void a_range_that_tells_of_a_move_of_long_ago_is_left_as_it_is() {
        fill(KEYS);
        assertThat(namespace.rangeMoves().move(splitAt(700, 4_711))).isTrue();
        assertThat(namespace.rangeMoves().move(splitAt(1_000, 5_000))).isTrue();
        assertThat(namespace
                        .rangeMoves()
                        .move(moving(ranges().get(1), ranges().get(1).low(), 6_000)))
                .isTrue();
        List<BucketRange> before = namespace.ranges(BUCKET);

        settle();

        assertThat(namespace.ranges(BUCKET)).isEqualTo(before);
        assertWhole();
    }

    @Test
    void a_range_that_has_taken_its_neighbour_can_be_split_by_a_gateway_that_dies() {
        fill(KEYS);
        assertThat(namespace
                        .rangeMoves()
                        .move(splitAt(1_400, ranges().getFirst().slot())))
                .isTrue();
        assertThat(namespace.rangeMoves().join(BUCKET, ranges().getFirst(), ranges().getLast()))
                .isTrue();
        RedisNamespace dying = gateway(Step.CUT);
        RangeMove move = splitAt(700, 4_711);

        assertThatExceptionOfType(Died.class)
                .isThrownBy(() -> dying.rangeMoves().move(move));

        assertWhole();
        assertThat(ranges()).hasSize(2);
    }

    @Test
    void ranges_are_split_moved_and_joined_while_clients_read_and_write() throws Exception {
        fill(KEYS);
        AtomicBoolean over = new AtomicBoolean();
        AtomicLong moved = new AtomicLong();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<?>> clients = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                int client = i;
                clients.add(threads.submit(() -> client(client, over)));
            }
            RandomMoves moves = new RandomMoves(gateway(null), () -> now, random);
            clients.add(threads.submit(() -> {
                while (!over.get()) {
                    if (moves.once()) {
                        moved.incrementAndGet();
                    }
                }
            }));
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> moved.get() >= 40 || clients.stream().anyMatch(Future::isDone));
            over.set(true);
            for (Future<?> client : clients) {
                client.get();
            }
        }
        assertWhole();
        assertNothingIsLeft();
    }

    /** Overwrites, deletes and makes again keys of its own; looks at them and lists. Nothing is ever missing. */
    private void client(int client, AtomicBoolean over) {
        RedisNamespace gateway = gateway(null);
        RandomGenerator mine = RandomGenerator.of("Random");
        while (!over.get()) {
            int number = mine.nextInt(KEYS / 6) * 6 + client;
            ObjectKey key = new ObjectKey(key(number));
            switch (mine.nextInt(3)) {
                case 0 -> {
                    PutObject put = put(key.value(), number + 1);
                    assertThat(gateway.putObject(put)).isEqualTo(new Outcome.Done<>(put.version()));
                    assertThat(gateway.currentVersion(BUCKET, key)).isEqualTo(new Outcome.Done<>(put.version()));
                }
                case 1 -> {
                    assertThat(gateway.deleteObjects(BUCKET, List.of(new DeleteObject(key, WriteCondition.NONE)), now))
                            .containsExactly(new Outcome.Done<>(true));
                    assertThat(gateway.currentVersion(BUCKET, key)).isInstanceOf(Outcome.Refused.class);
                    assertThat(gateway.putObject(put(key.value(), number + 1))).isInstanceOf(Outcome.Done.class);
                }
                default -> {
                    Outcome<ObjectVersion> found = gateway.currentVersion(BUCKET, key);
                    assertThat(found).isInstanceOf(Outcome.Done.class);
                    assertThat(listed(gateway, new ObjectQuery(BUCKET, key.value(), "", "", 10)))
                            .containsExactly(key.value());
                    assertThat(listed(gateway, new ObjectQuery(BUCKET, "", "", key(Math.max(0, number - 20)), 60)))
                            .contains(number == 0 ? key(6) : key.value());
                }
            }
        }
    }

    @Test
    void a_range_is_split_though_keys_are_added_at_its_end_all_the_time() {
        fill(KEYS);
        AtomicInteger added = new AtomicInteger();
        try (ExecutorService clients = Executors.newVirtualThreadPerTaskExecutor()) {
            // Each on a thread of its own, as some wait until the new range is there.
            Runnable adding = () -> {
                assertThat(added.get()).as("keys added while it is copied").isLessThan(1_000);
                int number = KEYS + added.getAndIncrement();
                PutObject put = put(key(number), number + 1);
                clients.submit(() -> namespace.putObject(put));
            };

            assertThat(namespace.rangeMoves().move(splitAt(KEYS / 2, 7), adding))
                    .isTrue();
        }

        assertThat(ranges()).hasSize(2);
        assertThat(added.get()).isPositive();
        assertThat(listed()).isEqualTo(keys(0, KEYS + added.get()));
    }

    @Test
    void uploads_that_are_in_progress_move_with_their_keys() {
        for (int i = 0; i < 20; i++) {
            namespace.createUpload(new Upload(
                    UUID.randomUUID().toString(),
                    BUCKET,
                    new ObjectKey(key(i)),
                    new ObjectAttributes(Map.of(), Map.of(), Map.of(), "STANDARD"),
                    Optional.empty(),
                    "alice",
                    now));
        }
        Outcome<UploadPage> before = namespace.listUploads(new UploadQuery(BUCKET, "", "", "", "", 100));

        assertThat(namespace.rangeMoves().move(splitAt(10, 99))).isTrue();

        assertThat(namespace.listUploads(new UploadQuery(BUCKET, "", "", "", "", 100)))
                .isEqualTo(before);
    }

    @Test
    void a_page_asks_one_script_of_each_range_that_it_touches_and_none_outside_its_prefix() {
        fill(KEYS);
        for (int border = 100; border < KEYS; border += 100) {
            assertThat(namespace.rangeMoves().move(splitAt(border, border))).isTrue();
        }
        assertThat(ranges()).hasSize(15);
        namespace.listObjects(new ObjectQuery(BUCKET, "", "", "", 1));

        assertThat(scriptsOf(new ObjectQuery(BUCKET, "00035", "", "", 1_000))).isEqualTo(1);
        assertThat(scriptsOf(new ObjectQuery(BUCKET, "0003", "", "", 1_000)))
                .as("the border is 000300, behind the prefix")
                .isEqualTo(2);
        assertThat(scriptsOf(new ObjectQuery(BUCKET, "", "", key(449), 100))).isEqualTo(2);
        assertThat(scriptsOf(new ObjectQuery(BUCKET, "", "", key(449), 200))).isEqualTo(3);
        assertThat(scriptsOf(new ObjectQuery(BUCKET, "001", "", "", 1_000))).isEqualTo(6);
    }

    private long scriptsOf(ObjectQuery query) {
        long before = scripts();
        assertThat(namespace.listObjects(query)).isInstanceOf(Outcome.Done.class);
        return scripts() - before;
    }

    private static long scripts() {
        return CLUSTER.masters().stream()
                .flatMap(master ->
                        String.valueOf(master.ask("INFO", "commandstats")).lines())
                .filter(line -> line.startsWith("cmdstat_eval") || line.startsWith("cmdstat_fcall"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^:]*:calls=(\\d+),.*", "$1")))
                .sum();
    }
}
