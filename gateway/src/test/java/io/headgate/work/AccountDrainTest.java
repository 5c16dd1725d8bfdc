package io.headgate.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.account.Account;
import io.headgate.domain.BlobId;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.BlobMove;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.WriteIntents;
import io.headgate.placement.Placement;
import io.headgate.placement.Thresholds;
import io.headgate.work.FaultyStore.Fault;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class AccountDrainTest {
    private static final List<String> ACCOUNTS = List.of("disk-1", "disk-2", "disk-3");
    private static final Duration INTERVAL = Duration.ofSeconds(5);
    private static final WorkSettings.Garbage GARBAGE = new WorkSettings.Garbage(
            Duration.ZERO, Duration.ofSeconds(10), 1000, 4, Duration.ofMinutes(5), Duration.ofHours(6));

    private static final WorkSettings.Orphans ORPHANS =
            new WorkSettings.Orphans(Duration.ZERO, Duration.ofDays(1), Duration.ZERO, 1000, Duration.ofMillis(1), 1);

    @TempDir
    Path directory;

    private Site site;
    private Account source;
    private AccountDrain drain;
    /** The sizes of the objects that there are. */
    private final TreeMap<String, Long> objects = new TreeMap<>();

    @BeforeEach
    void open() {
        site = new Site(directory);
        source = site.account("disk-1");
        drain = drain(4, 1L << 40, site.clock::move);
    }

    private int gateways;

    @AfterEach
    void close() {
        site.close();
    }

    private AccountDrain drain(int parallelism, long bytesPerSecond, Pace.Pause pause) {
        return new AccountDrain(
                site.namespace,
                site.accounts,
                new Placement(Thresholds.DEFAULT),
                new Random(7),
                site.clock,
                new Pace(bytesPerSecond, site.clock::nanoTime, pause),
                site.lease("account-drain", "gateway-" + ++gateways),
                new AccountDrain.Settings(parallelism, INTERVAL, 0.02));
    }

    private BlobId put(String key, String account, long sizeBytes) throws Exception {
        objects.put(key, sizeBytes);
        return site.put(key, account, sizeBytes);
    }

    private void put(int count, long sizeBytes) throws Exception {
        for (int i = 0; i < count; i++) {
            put("key-" + i, "disk-1", sizeBytes);
        }
    }

    private void delete(String key) {
        objects.remove(key);
        site.delete(key);
    }

    private Slice slice(String key) {
        if (site.namespace.currentVersion(Site.BUCKET, new ObjectKey(key))
                        instanceof Outcome.Done<ObjectVersion>(ObjectVersion version)
                && version.manifest() instanceof Manifest.Inline inline) {
            return inline.slice().orElseThrow();
        }
        throw new AssertionError(key + " is not there");
    }

    private void setDraining(boolean draining) {
        site.namespace.setDraining("disk-1", draining);
        source.setDraining(draining);
    }

    private AccountUsage usage(String account) {
        return site.namespace.accountUsage().getOrDefault(account, AccountUsage.NONE);
    }

    /** Lets the drain work until its account is empty. */
    private void drainWhole() throws Exception {
        for (int rounds = 0; rounds < 100 && usage("disk-1").blobs() > 0; rounds++) {
            site.turnUntilIdle(drain);
            site.clock.move(Duration.ofMinutes(6));
            for (Account account : site.accounts.all()) {
                site.turnUntilIdle(new BreakerProbe(account, site.namespace, site.intents, site.clock, INTERVAL));
            }
        }
        assertThat(usage("disk-1").blobs()).isZero();
    }

    /** Every object can be read, each account holds what the namespace says, and nothing else once the garbage is gone. */
    private void assertNothingLostNorLeaked() throws Exception {
        for (String name : ACCOUNTS) {
            site.store(name).set(Fault.NONE);
        }
        site.clock.move(Duration.ofHours(7));
        Set<BlobId> live = new HashSet<>();
        for (String key : objects.keySet()) {
            Slice slice = slice(key);
            live.add(slice.blob());
            assertThat(slice.lengthBytes()).isEqualTo(objects.get(key));
            ByteBuffer read = ByteBuffer.allocate((int) slice.lengthBytes());
            try (ReadableByteChannel channel =
                    site.account(slice.account()).get(slice.blob(), 0, slice.lengthBytes())) {
                while (channel.read(read) > 0) {
                    // until all is there
                }
            }
            assertThat(read.hasRemaining()).as(key).isFalse();
        }
        int held = 0;
        for (String name : ACCOUNTS) {
            AccountUsage before = usage(name);
            site.turnUntilIdle(
                    new OrphanSweep(site.account(name), site.namespace, site.clock, site.lease("sweeps"), ORPHANS));
            assertThat(usage(name)).as("no strays in " + name).isEqualTo(before);
            site.turnUntilIdle(new GarbageCleanup(
                    site.account(name), site.namespace, site.reads, site.clock, site.lease("cleanup"), GARBAGE));
            AccountUsage usage = usage(name);
            assertThat(usage.garbageBlobs()).as(name).isZero();
            assertThat(site.blobs(name)).hasSize((int) usage.blobs()).isSubsetOf(live);
            held += site.blobs(name).size();
            assertThat(site.account(name).meter().reservedBytes()).isZero();
        }
        assertThat(held).isEqualTo(live.size());
        assertThat(site.namespace.movesUnderWay(10)).isEmpty();
    }

    @Test
    void all_live_blobs_of_a_draining_account_move_to_the_others_and_the_old_ones_go_as_garbage_goes()
            throws Exception {
        put(300, 1_000);
        put("elsewhere", "disk-2", 5);
        put("large", "disk-1", 3 << 20);
        delete("key-17");
        setDraining(true);

        assertThat(site.turnUntilIdle(drain)).isInstanceOf(Turn.Throttled.class);

        assertThat(usage("disk-1")).isEqualTo(new AccountUsage(0, 0, 301, 300_000 + (3 << 20)));
        assertThat(usage("disk-2").blobs()).isBetween(100L, 201L);
        assertThat(usage("disk-2").blobs() + usage("disk-3").blobs()).isEqualTo(301);
        assertThat(site.namespace.accountModes().get("disk-1").movedBlobs()).isEqualTo(300);
        assertThat(drain.progress(source).movedBytes()).isEqualTo(299_000 + (3 << 20));
        assertThat(site.blobs("disk-1")).hasSize(301);
        assertNothingLostNorLeaked();
        assertThat(site.blobs("disk-1")).isEmpty();
    }

    @Test
    void of_two_gateways_one_moves_and_the_other_goes_on_when_it_dies() throws Exception {
        put(300, 1_000);
        setDraining(true);
        AccountDrain other = drain(4, 1L << 40, site.clock::move);
        for (int turns = 0; turns < 3; turns++) {
            drain.work();
        }
        AccountUsage halfway = usage("disk-1");
        assertThat(halfway.blobs()).isBetween(1L, 299L);

        assertThat(other.work()).isEqualTo(Turn.idle(INTERVAL));
        assertThat(usage("disk-1")).isEqualTo(halfway);

        site.clock.move(Duration.ofSeconds(11)); // nobody renews the lease of the dead
        site.turnUntilIdle(other);
        assertThat(usage("disk-1").blobs()).isZero();
        assertThat(drain.work()).isEqualTo(Turn.idle(INTERVAL));
        assertNothingLostNorLeaked();
    }

    @Test
    void a_gateway_that_moves_again_gives_up_what_another_began_meanwhile() throws Exception {
        put(300, 1_000);
        AccountDrain other = drain(4, 1L << 40, site.clock::move);
        setDraining(true);
        for (int turns = 0; turns < 3; turns++) {
            drain.work();
        }
        setDraining(false);
        site.turnUntilIdle(drain); // gives the lease back
        setDraining(true);
        AccountUsage halfway = usage("disk-1");
        assertThat(halfway.blobs()).isBetween(1L, 299L);

        other.work();
        other.work();
        site.namespace.beginMoves(
                List.of(new BlobMove(anyIn("disk-1"), "disk-1", "disk-2", 1_000)), site.clock.instant());
        site.clock.move(Duration.ofSeconds(11)); // the other has died, before this one has noticed that it moved
        drainWhole();

        assertThat(site.namespace.movesUnderWay(10)).isEmpty();
        assertNothingLostNorLeaked();
    }

    @Test
    void moves_of_a_gateway_that_died_after_the_drain_was_called_off_are_given_up() throws Exception {
        put(3, 10);
        setDraining(true);
        site.turnUntilIdle(drain);
        setDraining(false);
        site.turnUntilIdle(drain);
        put("late", "disk-1", 10);

        site.namespace.beginMoves(
                List.of(new BlobMove(slice("late").blob(), "disk-1", "disk-2", 10)), site.clock.instant());
        site.clock.move(INTERVAL);
        site.turnUntilIdle(drain);

        assertThat(slice("late").account()).isEqualTo("disk-1");
        assertNothingLostNorLeaked();
    }

    /** Lets blobs move until accounts are balanced. */
    private void balanceWhole() throws Exception {
        for (int rounds = 0; rounds < 100 && site.namespace.rebalance().running(); rounds++) {
            site.turnUntilIdle(drain);
            site.clock.move(Duration.ofMinutes(6));
        }
        assertThat(site.namespace.rebalance().running()).isFalse();
    }

    private List<Long> blobsByAccount() {
        return ACCOUNTS.stream().map(name -> usage(name).blobs()).toList();
    }

    @Test
    void accounts_become_equally_full_and_no_fuller() throws Exception {
        put(300, 1_000);
        put("elsewhere", "disk-2", 1_000);
        site.namespace.setRebalancing(true);

        balanceWhole();

        assertThat(blobsByAccount()).allSatisfy(blobs -> assertThat(blobs).isBetween(99L, 102L));
        assertThat(site.namespace.rebalance().movedBlobs()).isBetween(196L, 202L);
        assertThat(drain.balanceProgress().movedBytes())
                .isEqualTo(site.namespace.rebalance().movedBytes());
        assertThat(drain.bytesOutOfBalance(site.namespace.accountUsage())).isZero();
        assertThat(source.draining()).isFalse();
        assertNothingLostNorLeaked();
    }

    @Test
    void blobs_that_cannot_move_back_yet_do_not_keep_others_from_moving() throws Exception {
        put(60, 1_000);
        setDraining(true);
        drainWhole();
        setDraining(false);
        for (int i = 0; i < 60; i++) {
            put("late-" + i, "disk-" + (2 + i % 2), 1_000);
        }
        site.namespace.setRebalancing(true);

        site.turnUntilIdle(drain);

        assertThat(site.namespace.rebalance().running()).isFalse();
        assertThat(blobsByAccount()).allSatisfy(blobs -> assertThat(blobs).isBetween(39L, 41L));
        assertNothingLostNorLeaked();
    }

    @Test
    void balance_goes_on_in_another_gateway_when_the_one_that_moved_dies() throws Exception {
        put(450, 1_000);
        site.namespace.setRebalancing(true);
        for (int turns = 0; turns < 3; turns++) {
            drain.work();
        }
        assertThat(usage("disk-1").blobs()).isBetween(151L, 449L);
        site.namespace.beginMoves(
                List.of(new BlobMove(anyIn("disk-1"), "disk-1", "disk-2", 1_000)), site.clock.instant());

        drain = drain(4, 1L << 40, site.clock::move);
        site.clock.move(Duration.ofSeconds(11));
        balanceWhole();

        assertThat(blobsByAccount()).allSatisfy(blobs -> assertThat(blobs).isBetween(147L, 153L));
        assertNothingLostNorLeaked();
    }

    @Test
    void balance_that_is_called_off_moves_no_more() throws Exception {
        put(450, 1_000);
        site.namespace.setRebalancing(true);
        for (int turns = 0; turns < 3; turns++) {
            drain.work();
        }
        site.namespace.setRebalancing(false);
        List<Long> before = blobsByAccount();
        site.turnUntilIdle(drain);

        assertThat(blobsByAccount()).isEqualTo(before);
        assertThat(before.getFirst()).isBetween(151L, 449L);
        assertNothingLostNorLeaked();
    }

    @Test
    void an_account_that_is_read_only_or_draining_has_no_part_in_the_balance() throws Exception {
        put(300, 1_000);
        site.account("disk-2").setReadOnly(true);
        site.namespace.setRebalancing(true);

        balanceWhole();

        assertThat(usage("disk-2").blobs()).isZero();
        assertThat(usage("disk-1").blobs()).isBetween(147L, 153L);
        assertThat(usage("disk-3").blobs()).isBetween(147L, 153L);
        assertNothingLostNorLeaked();
    }

    @Test
    void blobs_too_large_to_fit_stay_and_balancing_comes_to_an_end() throws Exception {
        put("huge", "disk-1", 1_000_000);
        put("small", "disk-1", 1_000);
        site.namespace.setRebalancing(true);

        balanceWhole();

        assertThat(slice("huge").account()).isEqualTo("disk-1");
        assertNothingLostNorLeaked();
    }

    private BlobId anyIn(String account) {
        return objects.keySet().stream()
                .map(this::slice)
                .filter(slice -> slice.account().equals(account))
                .findAny()
                .orElseThrow()
                .blob();
    }

    @Test
    void accounts_that_do_not_drain_are_left_alone() throws Exception {
        put(3, 10);

        assertThat(site.turnUntilIdle(drain)).isEqualTo(Turn.idle(INTERVAL));

        assertThat(usage("disk-1")).isEqualTo(new AccountUsage(3, 30, 0, 0));
    }

    @Test
    void a_write_that_commits_to_the_account_later_moves_as_well() throws Exception {
        put(3, 10);
        WriteIntents.Write late = site.intents.begin();
        BlobId blob = site.write(late, "disk-1", 20);
        setDraining(true);
        site.turnUntilIdle(drain);
        assertThat(usage("disk-1").blobs()).isZero();

        site.commit(late, "late", "disk-1", blob, 20);
        late.settle();
        objects.put("late", 20L);
        drainWhole();

        assertThat(slice("late").account()).isNotEqualTo("disk-1");
        assertNothingLostNorLeaked();
    }

    @Test
    void an_account_that_takes_no_copies_fails_none_for_good() throws Exception {
        put(40, 10);
        site.store("disk-2").set(Fault.FAILS_LATE);
        setDraining(true);

        drainWhole();

        assertThat(drain.progress(source).failedCopies()).isPositive();
        assertThat(usage("disk-3").blobs()).isEqualTo(40);
        assertNothingLostNorLeaked();
    }

    @Test
    void an_account_that_cannot_be_read_is_left_alone_for_a_while_and_drained_when_it_is_back() throws Exception {
        put(40, 10);
        setDraining(true);
        site.store("disk-1").set(Fault.FAILS);
        site.turnUntilIdle(drain);
        assertThat(usage("disk-1").blobs()).isEqualTo(40);
        assertThat(drain.progress(source).failedCopies()).isBetween(1L, 20L);

        site.store("disk-1").set(Fault.NONE);
        drainWhole();

        assertNothingLostNorLeaked();
    }

    @Test
    void a_copy_that_reads_otherwise_than_it_was_written_is_not_taken() throws Exception {
        BlobId blob = put("a", "disk-1", 100_000);
        site.store("disk-2").set(Fault.GARBLES);
        site.account("disk-3").setReadOnly(true);
        setDraining(true);

        site.turnUntilIdle(drain);
        assertThat(slice("a")).isEqualTo(new Slice(blob, "disk-1", 0, 100_000));
        assertThat(drain.progress(source).failedCopies()).isEqualTo(1);
        assertThat(usage("disk-2")).isEqualTo(new AccountUsage(0, 0, 1, 100_000));

        site.account("disk-3").setReadOnly(false);
        drainWhole();
        assertThat(slice("a").account()).isEqualTo("disk-3");
        assertNothingLostNorLeaked();
    }

    @Test
    void a_live_blob_that_is_missing_is_told_once_and_holds_up_no_other() throws Exception {
        put(20, 10);
        BlobId lost = slice("key-7").blob();
        site.store("disk-1").delete(lost);
        setDraining(true);

        for (int i = 0; i < 5; i++) {
            site.turnUntilIdle(drain);
            site.clock.move(Duration.ofMinutes(6));
        }

        assertThat(usage("disk-1").blobs()).isEqualTo(1);
        assertThat(slice("key-7").account()).isEqualTo("disk-1");
        assertThat(drain.progress(source).missingBlobs()).isEqualTo(1);
        delete("key-7");
        assertNothingLostNorLeaked();
    }

    @Test
    void with_no_account_left_to_take_them_blobs_stay_until_there_is_one() throws Exception {
        put(20, 10);
        site.account("disk-2").setReadOnly(true);
        site.account("disk-3").setReadOnly(true);
        setDraining(true);
        site.turnUntilIdle(drain);
        assertThat(usage("disk-1").blobs()).isEqualTo(20);
        assertThat(site.namespace.movesUnderWay(10)).isEmpty();

        site.account("disk-3").setReadOnly(false);
        drainWhole();

        assertThat(usage("disk-3").blobs()).isEqualTo(20);
        assertNothingLostNorLeaked();
    }

    @Test
    void what_a_mover_that_died_had_begun_is_given_up_and_begun_anew() throws Exception {
        put(20, 10);
        for (int i = 0; i < 10; i++) {
            BlobId blob = slice("key-" + i).blob();
            site.namespace.beginMoves(List.of(new BlobMove(blob, "disk-1", "disk-2", 10)), site.clock.instant());
            if (i < 5) {
                site.writeBlob(blob, "disk-2", i < 3 ? 10 : 4); // whole or half
            }
        }
        setDraining(true);

        drainWhole();

        assertThat(usage("disk-2").garbageBlobs()).isEqualTo(10);
        assertNothingLostNorLeaked();
    }

    @Test
    void undraining_stops_with_the_blobs_that_are_being_copied_and_a_blob_moves_back_when_that_is_safe()
            throws Exception {
        put(50, 10_000);
        drain = drain(1, 10_000, wait -> {
            site.clock.move(wait);
            setDraining(false);
        });
        setDraining(true);

        site.turnUntilIdle(drain);

        assertThat(usage("disk-1").blobs()).isEqualTo(48);
        assertThat(site.namespace.movesUnderWay(10)).isEmpty();
        assertThat(drain.progress(source).movedBlobs()).isEqualTo(2);
        site.account("disk-2").setDraining(true);
        site.account("disk-3").setDraining(true);
        source = site.account("disk-2");
        drain = drain(4, 1L << 40, site.clock::move);
        site.turnUntilIdle(drain);
        assertThat(usage("disk-1").blobs()).as("its garbage waits there").isEqualTo(48);
        GarbageCleanup cleanup = new GarbageCleanup(
                site.account("disk-1"), site.namespace, site.reads, site.clock, site.lease("cleanup"), GARBAGE);
        site.clock.move(Duration.ofMinutes(5));
        site.turnUntilIdle(cleanup);
        site.clock.move(Namespace.MOVE_BACK_AFTER.plusSeconds(1));
        site.turnUntilIdle(drain);
        assertThat(usage("disk-1").blobs()).isEqualTo(50);
        assertNothingLostNorLeaked();
    }

    @Test
    void a_blob_deleted_while_it_is_copied_goes_from_both_accounts() throws Exception {
        put(1, 200_000); // more than passes without a wait
        drain = drain(1, 100_000, wait -> {
            site.clock.move(wait);
            delete("key-0");
        });
        setDraining(true);

        drainWhole();

        assertThat(drain.progress(source).movedBlobs()).isZero();
        assertThat(drain.progress(source).failedCopies()).isZero();
        assertThat(usage("disk-2").garbageBlobs() + usage("disk-3").garbageBlobs())
                .isEqualTo(1);
        assertNothingLostNorLeaked();
    }

    @Test
    void bytes_move_no_faster_than_they_may_and_the_end_can_be_told() throws Exception {
        put(20, 50_000);
        drain = drain(4, 100_000, wait -> site.clock.move(wait.dividedBy(4))); // as four wait at once
        setDraining(true);
        long begun = site.clock.nanoTime();

        site.turnUntilIdle(drain);

        assertThat(usage("disk-1").blobs()).isZero();
        Duration took = Duration.ofNanos(site.clock.nanoTime() - begun);
        assertThat(took).isBetween(Duration.ofSeconds(2), Duration.ofSeconds(60));
        assertThat(drain.progress(source).bytesPerSecond())
                .isCloseTo(1_000_000 / (took.toMillis() / 1000.0), Percentage.withPercentage(5));
        assertThat(drain.progress(source).expected(40, 1_000_000).orElseThrow())
                .isCloseTo(took.multipliedBy(2), Duration.ofSeconds(2));
        site.clock.move(Duration.ofMinutes(2));
        assertThat(drain.progress(source).expected(40, 1_000_000)).isEmpty();
    }

    @Test
    void a_namespace_that_fails_loses_nothing() throws Exception {
        put(5, 10);
        BlobId blob = slice("key-0").blob();
        setDraining(true);
        drain.work(); // begins a pass
        drain.work(); // lists
        site.namespace.close();
        assertThat(new WorkerLoop(drain, site.clock).turn()).isPositive();
        site.close();

        site = new Site(directory);
        source = site.account("disk-1");
        drain = drain(4, 1L << 40, site.clock::move);
        new ModeRefresh(site.namespace, site.accounts).work();
        assertThat(source.draining()).isTrue();
        assertThat(slice("key-0")).isEqualTo(new Slice(blob, "disk-1", 0, 10));
        drainWhole();
        assertNothingLostNorLeaked();
    }

    @Test
    void modes_are_taken_over_from_the_namespace() throws Exception {
        ModeRefresh refresh = new ModeRefresh(site.namespace, site.accounts);
        site.namespace.setDraining("disk-1", true);
        site.namespace.setReadOnly("disk-2", true);
        refresh.work();
        assertThat(source.draining()).isTrue();
        assertThat(site.account("disk-2").readOnly()).isTrue();
        assertThat(site.account("disk-3").draining()).isFalse();

        site.namespace.setDraining("disk-1", false);
        refresh.work();
        assertThat(source.draining()).isFalse();
        assertThat(source.readOnly()).isFalse();
    }
}
