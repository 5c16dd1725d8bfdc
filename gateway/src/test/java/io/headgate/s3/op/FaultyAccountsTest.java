package io.headgate.s3.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.account.CircuitBreaker.Status;
import io.headgate.account.Limits;
import io.headgate.blob.CarrierWatch;
import io.headgate.blob.StallGuard;
import io.headgate.placement.Placement;
import io.headgate.placement.Thresholds;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.work.BreakerProbe;
import io.headgate.work.FaultyStore;
import io.headgate.work.FaultyStore.Fault;
import io.headgate.work.Site;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.OptionalInt;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What a client sees of accounts that fail, stall, fill up and come back, told by a moved clock. */
@Timeout(60)
final class FaultyAccountsTest {
    private static final int SMALL = 1000;
    private static final int LARGE = 1_000_000;
    private static final Duration OPEN = Duration.ofMinutes(5);

    @TempDir
    Path directory;

    private Site site;
    private Duration maxWait = Duration.ofMillis(200);
    private AccountWriter writer;
    private final CarrierWatch watch = new CarrierWatch();

    @AfterEach
    void close() {
        site.close();
        watch.close();
    }

    @Test
    void one_account_that_fails_costs_three_attempts_then_one_each_five_minutes_until_it_is_back() {
        open(new Site(directory));
        FaultyStore failing = site.store("disk-2");
        failing.set(Fault.FAILS);

        write(100, SMALL);
        assertThat(failing.puts()).as("the third failure opens the breaker").isEqualTo(3);
        assertThat(status("disk-2")).isEqualTo(Status.OPEN);

        site.clock.move(OPEN.minusMillis(1));
        write(100, SMALL);
        assertThat(failing.puts()).as("not asked while it is open").isEqualTo(3);

        site.clock.move(Duration.ofMillis(1));
        assertThat(status("disk-2")).isEqualTo(Status.HALF_OPEN);
        write(100, SMALL);
        assertThat(failing.puts()).as("one probe, which fails").isEqualTo(4);
        assertThat(status("disk-2")).isEqualTo(Status.OPEN);

        failing.set(Fault.NONE);
        site.clock.move(OPEN);
        Map<String, Integer> shares = write(300, SMALL);
        assertThat(status("disk-2")).isEqualTo(Status.CLOSED);
        assertThat(shares.get("disk-2")).as("it takes its share again").isGreaterThan(50);
    }

    @Test
    void a_single_account_that_works_takes_all_the_writes() {
        open(new Site(directory));
        site.store("disk-1").set(Fault.FAILS);
        site.store("disk-3").set(Fault.FAILS);

        assertThat(write(200, SMALL)).containsOnlyKeys("disk-2");
        assertThat(write(20, LARGE)).containsOnlyKeys("disk-2");
        assertThat(status("disk-1")).isEqualTo(Status.OPEN);
        assertThat(status("disk-3")).isEqualTo(Status.OPEN);
    }

    @Test
    void with_all_accounts_down_a_write_is_told_to_slow_down_until_the_first_comes_back() throws Exception {
        open(new Site(directory));
        site.stores.values().forEach(store -> store.set(Fault.FAILS));
        for (int i = 0; i < 10; i++) {
            assertRefused(SMALL, S3Error.SLOW_DOWN);
        }
        assertThat(site.stores.values()).extracting(FaultyStore::puts).containsOnly(3);

        site.store("disk-3").set(Fault.NONE);
        site.clock.move(OPEN);
        new BreakerProbe(site.account("disk-3"), site.namespace, site.intents, site.clock, Duration.ofSeconds(1))
                .work();

        assertThat(write(50, SMALL).get("disk-3")).isGreaterThanOrEqualTo(48);
    }

    @Test
    void a_full_account_is_not_asked_and_its_breaker_stays_closed() {
        open(new Site(directory));
        site.store("disk-1").set(Fault.FULL);

        assertThat(write(100, SMALL)).containsOnlyKeys("disk-2", "disk-3");

        assertThat(site.store("disk-1").puts()).isZero();
        assertThat(status("disk-1")).isEqualTo(Status.CLOSED);
    }

    @Test
    void an_account_that_throttles_is_passed_over_and_its_breaker_stays_closed() {
        open(new Site(directory));
        site.store("disk-1").set(Fault.THROTTLES);

        assertThat(write(100, SMALL)).containsOnlyKeys("disk-2", "disk-3");

        assertThat(status("disk-1")).isEqualTo(Status.CLOSED);
        assertThat(site.account("disk-1").requestCeilingPerSecond())
                .as("what it is believed to bear is lower now")
                .isFinite();
        assertThat(site.account("disk-2").requestCeilingPerSecond()).isInfinite();
    }

    @Test
    void clients_are_told_to_slow_down_once_every_account_throttles_or_a_large_write_cannot_move() {
        open(new Site(directory));
        site.stores.values().forEach(store -> store.set(Fault.THROTTLES));
        assertRefused(SMALL, S3Error.SLOW_DOWN);
        assertThat(site.stores.values()).extracting(FaultyStore::puts).containsOnly(1);

        site.stores.values().forEach(store -> store.set(Fault.THROTTLES_LATE));
        site.clock.move(Duration.ofMinutes(1));
        assertRefused(LARGE, S3Error.SLOW_DOWN);
        assertThat(site.stores.keySet()).extracting(this::status).containsOnly(Status.CLOSED);
    }

    @Test
    void a_fault_after_more_bytes_than_are_kept_is_an_error_and_the_blob_is_queued_as_garbage() {
        open(new Site(directory));
        site.stores.values().forEach(store -> store.set(Fault.FAILS_LATE));

        assertRefused(LARGE, S3Error.SERVICE_UNAVAILABLE);

        assertThat(site.namespace.accountUsage().values().stream()
                        .mapToLong(usage -> usage.garbageBlobs())
                        .sum())
                .isEqualTo(1);
    }

    @Test
    void a_fault_in_the_midst_of_a_small_body_moves_it_to_another_account() {
        open(new Site(directory));
        site.store("disk-1").set(Fault.FAILS_LATE);
        site.store("disk-2").set(Fault.FAILS_LATE);

        assertThat(write(50, SMALL)).containsOnlyKeys("disk-3");
    }

    @Test
    void an_account_that_stalls_delays_three_writes_by_the_limit_and_then_is_left_alone() {
        open(new Site(directory, store -> new StallGuard(store, "disk", Duration.ofMillis(500), 32, watch)));
        FaultyStore stalling = site.store("disk-1");
        stalling.set(Fault.STALLS);

        assertThat(write(100, SMALL)).containsOnlyKeys("disk-2", "disk-3");
        assertThat(write(10, LARGE)).containsOnlyKeys("disk-2", "disk-3");

        assertThat(stalling.stalledCalls()).isEqualTo(3);
        assertThat(status("disk-1")).isEqualTo(Status.OPEN);
    }

    @Test
    void writes_that_find_every_account_busy_are_told_to_slow_down_and_are_known_as_demand() {
        open(new Site(directory, store -> store, new Limits(1_000_000, 10, Limits.UNLIMITED, Limits.UNLIMITED)));

        assertThat(write(12, SMALL)).as("half of 0.8 of the limit, at once").containsOnlyKeys(site.stores.keySet());
        assertRefused(SMALL, S3Error.SLOW_DOWN);
        site.clock.move(Duration.ofMillis(260));
        assertThat(write(12, SMALL).values()).as("the other half").containsOnly(4);
        assertRefused(SMALL, S3Error.SLOW_DOWN);
        site.clock.move(Duration.ofMillis(260));
        assertRefused(SMALL, S3Error.SLOW_DOWN);

        assertThat(site.accounts.all()).allSatisfy(account -> {
            assertThat(account.meter().requests().sentPerSecond()).isEqualTo(8);
            assertThat(account.meter().requests().missedTotal()).isGreaterThanOrEqualTo(3);
        });
        site.clock.move(Duration.ofMillis(520));
        assertThat(write(12, SMALL).values()).containsOnly(4);
    }

    /** Where half of a second's worth is no whole number of writes, so that one more almost fits. */
    @Test
    void a_write_that_finds_every_account_busy_is_taken_as_soon_as_one_is_not() throws Exception {
        maxWait = Duration.ofSeconds(50);
        open(new Site(directory, store -> store, new Limits(1_000_000, Limits.UNLIMITED, 16_662, Limits.UNLIMITED)));
        assertThat(write(18, SMALL).values()).containsOnly(6);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<Map<String, Integer>> busy = threads.submit(() -> write(1, SMALL));
            await().until(() -> busy.isDone()
                    || site.accounts.all().stream()
                            .allMatch(account -> account.meter().ingress().missedTotal() > 0));

            site.clock.move(Duration.ofMillis(260));

            assertThat(busy.get()).hasSize(1);
        }
    }

    @Test
    void many_writes_at_once_never_take_an_account_over_its_capacity() throws Exception {
        open(new Site(
                directory, store -> store, new Limits(100_000, Limits.UNLIMITED, Limits.UNLIMITED, Limits.UNLIMITED)));
        AtomicInteger stored = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        CyclicBarrier together = new CyclicBarrier(8);
        try (ExecutorService threads = Executors.newFixedThreadPool(8)) {
            for (int t = 0; t < 8; t++) {
                threads.submit(() -> {
                    for (int i = 0; i < 50; i++) {
                        together.await();
                        try {
                            writer.write("", OptionalInt.empty(), SMALL, new ByteArrayInputStream(new byte[SMALL]))
                                    .committed();
                            stored.incrementAndGet();
                        } catch (S3Exception full) {
                            assertThat(full.error()).isEqualTo(S3Error.SLOW_DOWN);
                            refused.incrementAndGet();
                        }
                    }
                    return null;
                });
            }
        }
        assertThat(stored).as("90 in each of three accounts").hasValue(270);
        assertThat(refused).hasValue(130);
        assertThat(site.accounts.all())
                .allSatisfy(account -> assertThat(account.meter().usedBytes()).isEqualTo(90_000));
    }

    private void open(Site opened) {
        site = opened;
        writer = new AccountWriter(new Storage(
                site.namespace,
                site.intents,
                site.reads,
                site.accounts,
                new Placement(new Thresholds(0.9, 0.8, 0.8)),
                site.clock,
                () -> UUID.randomUUID().toString(),
                new Random(11),
                maxWait,
                64,
                _ -> {}));
    }

    /** Writes that must all succeed; how many landed in each account. */
    private Map<String, Integer> write(int count, int sizeBytes) {
        Map<String, Integer> shares = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            AccountWriter.Written written =
                    writer.write("", OptionalInt.empty(), sizeBytes, new ByteArrayInputStream(new byte[sizeBytes]));
            shares.merge(written.slice().orElseThrow().account(), 1, Integer::sum);
            written.committed();
        }
        return shares;
    }

    private void assertRefused(int sizeBytes, S3Error error) {
        assertThatThrownBy(() ->
                        writer.write("", OptionalInt.empty(), sizeBytes, new ByteArrayInputStream(new byte[sizeBytes])))
                .isInstanceOfSatisfying(
                        S3Exception.class,
                        refused -> assertThat(refused.error()).isEqualTo(error));
    }

    private Status status(String account) {
        return site.account(account).breaker().status();
    }
}
