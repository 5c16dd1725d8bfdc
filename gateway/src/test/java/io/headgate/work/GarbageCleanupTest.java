package io.headgate.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.account.CircuitBreaker.Status;
import io.headgate.domain.BlobId;
import io.headgate.namespace.AccountUsage;
import io.headgate.work.FaultyStore.Fault;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class GarbageCleanupTest {
    private static final Duration GRACE = Duration.ofMinutes(10);
    private static final WorkSettings.Garbage SETTINGS =
            new WorkSettings.Garbage(GRACE, Duration.ofSeconds(10), 100, 4, Duration.ofMinutes(5), Duration.ofHours(6));

    @TempDir
    Path directory;

    private Site site;

    @BeforeEach
    void open() {
        site = new Site(directory);
    }

    @AfterEach
    void close() {
        site.close();
    }

    @Test
    void garbage_is_deleted_once_the_grace_is_over_and_not_before() throws Exception {
        BlobId kept = site.put("kept", "disk-1", 10);
        BlobId gone = site.garbage("disk-1", 20);
        GarbageCleanup cleanup = cleanup("disk-1");

        site.clock.move(GRACE);
        assertThat(site.turnUntilIdle(cleanup)).isEqualTo(Turn.idle(SETTINGS.interval()));
        assertThat(site.blobs("disk-1")).containsExactlyInAnyOrder(kept, gone);

        site.clock.move(Duration.ofMillis(1));
        site.turnUntilIdle(cleanup);
        assertThat(site.blobs("disk-1")).containsExactly(kept);
        assertThat(usage("disk-1")).isEqualTo(new AccountUsage(1, 10, 0, 0));
    }

    @Test
    void of_two_gateways_one_cleans_an_account_and_the_other_goes_on_when_it_dies() throws Exception {
        for (int i = 0; i < 150; i++) {
            site.garbage("disk-1", 4);
        }
        site.clock.move(GRACE.plusSeconds(1));
        GarbageCleanup other = cleanup("disk-1", "gateway-2");
        assertThat(cleanup("disk-1").work()).isEqualTo(Turn.BUSY);

        assertThat(other.work()).isEqualTo(Turn.idle(SETTINGS.interval()));
        assertThat(usage("disk-1").garbageBlobs()).isEqualTo(50);
        site.clock.move(Lease.SPAN);
        site.turnUntilIdle(other);
        assertThat(site.blobs("disk-1")).isEmpty();
    }

    @Test
    void an_account_that_one_gateway_cannot_clean_is_left_to_another() throws Exception {
        site.garbage("disk-1", 4);
        site.clock.move(GRACE.plusSeconds(1));
        site.store("disk-1").set(Fault.FAILS);
        site.turnUntilIdle(cleanup("disk-1"));

        site.store("disk-1").set(Fault.NONE);
        site.turnUntilIdle(cleanup("disk-1", "gateway-2"));
        assertThat(site.blobs("disk-1")).isEmpty();
    }

    @Test
    void a_read_under_way_keeps_what_was_deleted_since_it_began_however_long_it_takes() throws Exception {
        BlobId before = site.garbage("disk-1", 20);
        site.clock.move(Duration.ofMinutes(1)); // more than a commit may take
        long read = site.reads.begin();
        site.clock.move(Duration.ofSeconds(5));
        BlobId since = site.garbage("disk-1", 20);
        GarbageCleanup cleanup = cleanup("disk-1");

        site.clock.move(Duration.ofHours(10));
        site.turnUntilIdle(cleanup);
        assertThat(site.blobs("disk-1")).containsExactly(since).doesNotContain(before);

        site.reads.end(read);
        site.turnUntilIdle(cleanup);
        assertThat(site.blobs("disk-1")).isEmpty();
    }

    @Test
    void more_garbage_than_a_batch_goes_without_a_wait_and_the_meter_follows() throws Exception {
        for (int i = 0; i < 250; i++) {
            site.garbage("disk-1", 4);
        }
        site.account("disk-1").meter().setUsage(0, 1000, 0);
        site.clock.move(GRACE.plusSeconds(1));
        GarbageCleanup cleanup = cleanup("disk-1");

        assertThat(cleanup.work()).isEqualTo(Turn.BUSY);
        assertThat(site.account("disk-1").meter().garbageBytes()).isEqualTo(600);
        assertThat(cleanup.work()).isEqualTo(Turn.BUSY);
        assertThat(cleanup.work()).isEqualTo(Turn.idle(SETTINGS.interval()));

        assertThat(site.blobs("disk-1")).isEmpty();
        assertThat(site.account("disk-1").meter().garbageBytes()).isZero();
        assertThat(usage("disk-1").garbageBlobs()).isZero();
    }

    @Test
    void an_undeletable_blob_holds_up_none_behind_it_never_opens_the_breaker_and_is_tried_again() throws Exception {
        List<BlobId> poison = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            poison.add(site.garbage("disk-1", 1));
            site.store("disk-1").makeUndeletable(poison.getLast());
            site.clock.move(Duration.ofSeconds(1));
        }
        for (int i = 0; i < 150; i++) {
            site.garbage("disk-1", 1);
        }
        site.clock.move(GRACE.plusSeconds(1));
        GarbageCleanup cleanup = cleanup("disk-1");

        for (int i = 0; i < 1000; i++) {
            site.turnUntilIdle(cleanup);
            site.clock.move(SETTINGS.interval());
            assertThat(site.account("disk-1").breaker().status()).isEqualTo(Status.CLOSED);
        }
        assertThat(site.blobs("disk-1")).hasSameElementsAs(poison);

        poison.forEach(site.store("disk-1")::makeDeletable);
        site.clock.move(Duration.ofHours(7));
        site.turnUntilIdle(cleanup);
        site.clock.move(Duration.ofMinutes(2));
        site.turnUntilIdle(cleanup);
        assertThat(site.blobs("disk-1")).isEmpty();
        assertThat(usage("disk-1").garbageBlobs()).isZero();
    }

    @Test
    void an_account_that_fails_waits_ever_longer_and_is_cleaned_when_it_is_back() throws Exception {
        for (int i = 0; i < 20; i++) {
            site.garbage("disk-1", 1);
        }
        site.clock.move(GRACE.plusSeconds(1));
        site.store("disk-1").set(Fault.FAILS);
        GarbageCleanup cleanup = cleanup("disk-1");

        List<Turn> turns = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            Turn turn = cleanup.work();
            turns.add(turn);
            site.clock.move(((Turn.Throttled) turn).pause());
        }
        assertThat(turns)
                .containsExactly(
                        Turn.throttled(Duration.ofSeconds(10)),
                        Turn.throttled(Duration.ofSeconds(20)),
                        Turn.throttled(Duration.ofSeconds(40)),
                        Turn.throttled(Duration.ofSeconds(80)),
                        Turn.throttled(Duration.ofSeconds(160)),
                        Turn.throttled(Duration.ofMinutes(5)));

        site.store("disk-1").set(Fault.NONE);
        for (int i = 0; i < 40; i++) {
            site.turnUntilIdle(cleanup);
            site.clock.move(Duration.ofHours(6));
        }
        assertThat(site.blobs("disk-1")).isEmpty();
        assertThat(usage("disk-1").garbageBlobs()).isZero();
    }

    @Test
    void a_full_account_whose_breaker_is_open_is_emptied_all_the_same() throws Exception {
        for (int i = 0; i < 30; i++) {
            site.garbage("disk-1", 1);
        }
        site.clock.move(GRACE.plusSeconds(1));
        site.store("disk-1").set(Fault.FULL);
        for (int i = 0; i < 3; i++) {
            failedWrite("disk-1");
        }
        assertThat(site.account("disk-1").breaker().status()).isEqualTo(Status.OPEN);
        GarbageCleanup cleanup = cleanup("disk-1");

        for (int i = 0; i < 4; i++) {
            site.turnUntilIdle(cleanup);
        }
        assertThat(site.blobs("disk-1")).isEmpty();
    }

    @Test
    void garbage_whose_bytes_went_before_the_answer_was_lost_is_forgotten_the_next_time() throws Exception {
        BlobId blob = site.garbage("disk-1", 20);
        site.account("disk-1").delete(blob); // as if the process had died before the namespace was told
        site.clock.move(GRACE.plusSeconds(1));

        site.turnUntilIdle(cleanup("disk-1"));

        assertThat(usage("disk-1")).isEqualTo(new AccountUsage(0, 0, 0, 0));
    }

    private void failedWrite(String account) {
        try {
            site.writeBlob(site.intents.begin().newBlobId(), account, 1);
            throw new AssertionError("the write succeeded");
        } catch (java.io.IOException expected) {
            assertThat(expected).hasMessageContaining("no space");
        }
    }

    private GarbageCleanup cleanup(String account) {
        return cleanup(account, "gateway-1");
    }

    private GarbageCleanup cleanup(String account, String gateway) {
        Lease lease = site.lease("cleanup", gateway);
        return new GarbageCleanup(site.account(account), site.namespace, site.reads, site.clock, lease, SETTINGS);
    }

    private AccountUsage usage(String account) {
        return site.namespace.accountUsage().getOrDefault(account, AccountUsage.NONE);
    }
}
