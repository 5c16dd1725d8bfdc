package io.headgate.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BlobId;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.WriteIntents;
import io.headgate.work.FaultyStore.Fault;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class ExpiredIntentSweepTest {
    private static final WorkSettings.Garbage GARBAGE = new WorkSettings.Garbage(
            Duration.ofHours(1), Duration.ofSeconds(10), 1000, 4, Duration.ofMinutes(5), Duration.ofHours(6));
    private static final WorkSettings.Sweep SETTINGS =
            new WorkSettings.Sweep(Duration.ofMinutes(1), 2, Duration.ofMillis(50), Duration.ofMinutes(10));
    private static final Duration UNTIL_EXPIRED = Site.WINDOW.plus(Site.LEASE).plusSeconds(1);

    @TempDir
    Path directory;

    private Site site;
    private ExpiredIntentSweep sweep;

    @BeforeEach
    void open() {
        site = new Site(directory);
        sweep = new ExpiredIntentSweep(site.namespace, site.accounts, site.clock, site.lease("sweeps"), SETTINGS);
    }

    @AfterEach
    void close() {
        site.close();
    }

    @Test
    void of_two_gateways_one_sweeps_and_the_other_goes_on_when_it_dies() throws Exception {
        WriteIntents dead = site.newIntents("dead");
        site.write(dead.begin(), "disk-1", 7);
        site.clock.move(UNTIL_EXPIRED);
        Lease held = site.lease("sweeps", "gateway-2");
        assertThat(held.isAcquired()).isTrue();

        assertThat(sweep.work()).isEqualTo(Turn.idle(Lease.INTERVAL));
        assertThat(site.namespace.accountUsage()).isEmpty();
        site.clock.move(Lease.SPAN);
        site.turnUntilIdle(sweep);
        deleteGarbage();
        assertThat(site.blobs("disk-1")).isEmpty();
    }

    @Test
    void what_a_dead_gateway_left_is_swept_from_all_accounts_and_what_it_committed_stays() throws Exception {
        WriteIntents dead = site.newIntents("dead");
        WriteIntents.Write write = dead.begin();
        site.clock.move(Duration.ofSeconds(9));
        BlobId whole = site.write(write, "disk-1", 5);
        site.commit(write, "a", "disk-1", whole, 5);
        for (int i = 0; i < 40; i++) {
            site.write(dead.begin(), "disk-" + (1 + i % 3), 7);
        }

        site.clock.move(UNTIL_EXPIRED);
        assertThat(site.turnUntilIdle(sweep)).isEqualTo(Turn.idle(SETTINGS.interval()));
        deleteGarbage();

        assertThat(site.blobs("disk-1")).containsExactly(whole);
        assertThat(site.blobs("disk-2")).isEmpty();
        assertThat(site.blobs("disk-3")).isEmpty();
        assertThat(openIntents()).isEmpty();
    }

    @Test
    void an_intent_that_is_renewed_is_not_swept() throws Exception {
        WriteIntents.Write upload = site.intents.begin();
        BlobId blob = site.write(upload, "disk-1", 5);
        for (int i = 0; i < 20; i++) {
            site.clock.move(Site.LEASE.dividedBy(4));
            site.intents.renew();
            site.turnUntilIdle(sweep);
        }

        assertThat(site.commit(upload, "late", "disk-1", blob, 5)).isInstanceOf(Outcome.Done.class);
        deleteGarbage();
        assertThat(site.blobs("disk-1")).containsExactly(blob);
    }

    @Test
    void a_write_whose_intent_was_swept_is_refused_and_leaves_no_blob() throws Exception {
        WriteIntents.Write late = site.intents.begin();
        BlobId blob = site.write(late, "disk-1", 5);
        site.clock.move(UNTIL_EXPIRED);
        site.turnUntilIdle(sweep);
        deleteGarbage();

        assertThat(site.commit(late, "late", "disk-1", blob, 5))
                .isInstanceOfSatisfying(
                        Outcome.Refused.class,
                        refused -> assertThat(refused.reason()).isEqualTo(Refusal.INTENT_EXPIRED));
        deleteGarbage();
        assertThat(site.blobs("disk-1")).isEmpty();
    }

    @Test
    void an_account_that_is_down_is_swept_when_it_is_back_and_the_others_at_once() throws Exception {
        WriteIntents dead = site.newIntents("dead");
        site.write(dead.begin(), "disk-1", 5);
        site.write(dead.begin(), "disk-2", 5);
        site.store("disk-2").set(Fault.FAILS);

        site.clock.move(UNTIL_EXPIRED);
        assertThat(site.turnUntilIdle(sweep)).isEqualTo(Turn.throttled(SETTINGS.interval()));
        deleteGarbage();
        assertThat(site.blobs("disk-1")).isEmpty();

        assertThat(site.turnUntilIdle(sweep)).as("ever more seldom").isEqualTo(Turn.throttled(Duration.ofMinutes(2)));
        site.store("disk-2").set(Fault.NONE);
        assertThat(site.turnUntilIdle(sweep)).isEqualTo(Turn.idle(SETTINGS.interval()));
        deleteGarbage();
        assertThat(site.blobs("disk-2")).isEmpty();
        assertThat(openIntents()).isEmpty();
    }

    @Test
    void an_upload_under_way_elsewhere_in_the_same_second_is_left_alone_until_it_is_over() throws Exception {
        WriteIntents dead = site.newIntents("dead");
        BlobId abandoned = site.write(dead.begin(), "disk-1", 5);
        WriteIntents.Write upload = site.intents.begin();
        BlobId uploading = site.write(upload, "disk-1", 5);
        for (int i = 0; i < 8; i++) {
            site.clock.move(Site.LEASE.dividedBy(4));
            site.intents.renew();
        }

        assertThat(site.turnUntilIdle(sweep)).isEqualTo(Turn.throttled(SETTINGS.interval()));
        assertThat(site.blobs("disk-1")).containsExactlyInAnyOrder(abandoned, uploading);

        assertThat(site.commit(upload, "slow", "disk-1", uploading, 5)).isInstanceOf(Outcome.Done.class);
        upload.settle();
        site.intents.renew();
        assertThat(site.turnUntilIdle(sweep)).isEqualTo(Turn.idle(SETTINGS.interval()));
        deleteGarbage();
        assertThat(site.blobs("disk-1")).containsExactly(uploading);
    }

    @Test
    void a_commit_whose_outcome_stayed_unknown_is_swept_if_it_did_not_take_effect() throws Exception {
        WriteIntents.Write lost = site.intents.begin();
        BlobId blob = site.write(lost, "disk-3", 5);
        lost.abandon();
        site.intents.renew();
        BlobId other = site.put("other", "disk-3", 5);

        site.clock.move(UNTIL_EXPIRED);
        site.intents.renew();
        site.turnUntilIdle(sweep);
        deleteGarbage();

        assertThat(site.blobs("disk-3")).containsExactly(other).doesNotContain(blob);
    }

    private void deleteGarbage() throws Exception {
        site.clock.move(GARBAGE.grace().plusSeconds(1));
        for (String name : List.of("disk-1", "disk-2", "disk-3")) {
            site.turnUntilIdle(new GarbageCleanup(
                    site.account(name), site.namespace, site.reads, site.clock, site.lease("cleanup"), GARBAGE));
        }
    }

    private List<?> openIntents() {
        return site.namespace.takeExpiredIntents(Instant.parse("2100-01-01T00:00:00Z"), 100);
    }
}
