package io.headgate.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BlobId;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.WriteIntents;
import io.headgate.work.FaultyStore.Fault;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class OrphanSweepTest {
    private static final WorkSettings.Orphans SETTINGS = new WorkSettings.Orphans(
            Duration.ZERO, Duration.ofDays(1), Duration.ofHours(6), 2, Duration.ofMillis(200), 0.1);

    @TempDir
    Path directory;

    private Site site;
    private OrphanSweep sweep;

    @BeforeEach
    void open() {
        site = new Site(directory);
        sweep = new OrphanSweep(site.account("disk-1"), site.namespace, site.clock, site.lease("sweeps"), SETTINGS);
    }

    @AfterEach
    void close() {
        site.close();
    }

    @Test
    void old_blobs_that_nothing_knows_become_garbage_and_young_ones_are_left_to_a_later_pass() throws Exception {
        for (int i = 0; i < 20; i++) {
            orphan("disk-1", 3);
        }
        BlobId known = site.put("known", "disk-1", 3);
        BlobId garbage = site.garbage("disk-1", 3);
        site.clock.move(Duration.ofHours(7));
        site.intents.renew();
        orphan("disk-1", 3);

        assertThat(site.turnUntilIdle(sweep)).isEqualTo(Turn.idle(Duration.ofDays(1)));
        assertThat(usage()).isEqualTo(new AccountUsage(1, 3, 21, 63));

        site.clock.move(Duration.ofDays(1));
        site.turnUntilIdle(sweep);
        assertThat(usage()).isEqualTo(new AccountUsage(1, 3, 22, 66));
        assertThat(site.blobs("disk-1")).contains(known, garbage);
    }

    @Test
    void a_copy_of_a_blob_that_lives_elsewhere_is_an_orphan() throws Exception {
        site.put("known", "disk-1", 3);
        BlobId elsewhere = site.put("a", "disk-2", 3);
        site.writeBlob(elsewhere, "disk-1", 3); // as a copy that was stored long after it had been given up
        site.clock.move(Duration.ofHours(7));
        site.intents.renew();

        site.turnUntilIdle(sweep);

        assertThat(usage()).isEqualTo(new AccountUsage(1, 3, 1, 3));
        assertThat(site.namespace.accountUsage().get("disk-2")).isEqualTo(new AccountUsage(1, 3, 0, 0));
    }

    @Test
    void an_old_blob_whose_upload_still_goes_on_is_left_alone() throws Exception {
        WriteIntents.Write upload = site.intents.begin();
        BlobId blob = site.write(upload, "disk-1", 3);
        for (int i = 0; i < 400; i++) {
            site.clock.move(Site.LEASE.dividedBy(4));
            site.intents.renew();
        }

        site.turnUntilIdle(sweep);

        assertThat(usage().garbageBlobs()).isZero();
        assertThat(site.commit(upload, "a day long", "disk-1", blob, 3)).isInstanceOf(Outcome.Done.class);
    }

    @Test
    void a_pass_goes_on_where_it_was_when_the_account_fails_in_between() throws Exception {
        site.put("known", "disk-1", 3);
        for (int i = 0; i < 20; i++) {
            orphan("disk-1", 3);
        }
        site.clock.move(Duration.ofHours(7));
        site.intents.renew();
        for (int i = 0; i < 100; i++) {
            sweep.work();
        }
        site.store("disk-1").set(Fault.FAILS);
        assertThat(new WorkerLoop(sweep, site.clock).turn()).isPositive();
        site.store("disk-1").set(Fault.NONE);
        site.turnUntilIdle(sweep);

        assertThat(usage().garbageBlobs()).isEqualTo(20);
    }

    @Test
    void an_account_full_of_blobs_of_another_namespace_is_not_emptied() throws Exception {
        BlobId known = site.put("known", "disk-1", 3);
        for (int i = 0; i < Strays.PLAUSIBLE + 10; i++) {
            orphan("disk-1", 3);
        }
        site.clock.move(Duration.ofHours(7));
        site.intents.renew();

        site.turnUntilIdle(sweep);

        assertThat(usage().garbageBlobs()).isLessThanOrEqualTo(Strays.PLAUSIBLE);
        assertThat(site.blobs("disk-1")).hasSize(Strays.PLAUSIBLE + 11).contains(known);
    }

    @Test
    void an_account_of_which_the_namespace_knows_no_blob_is_left_alone() throws Exception {
        orphan("disk-1", 3);
        site.clock.move(Duration.ofHours(7));

        assertThat(site.turnUntilIdle(sweep)).isEqualTo(Turn.idle(Duration.ofDays(1)));

        assertThat(usage().garbageBlobs()).isZero();
    }

    /** As a write leaves it that came to its end after the sweep of its intent. */
    private void orphan(String account, long sizeBytes) throws Exception {
        site.writeBlob(site.blobIds.next(site.clock.instant()), account, sizeBytes);
    }

    private AccountUsage usage() {
        return site.namespace.accountUsage().getOrDefault("disk-1", AccountUsage.NONE);
    }
}
