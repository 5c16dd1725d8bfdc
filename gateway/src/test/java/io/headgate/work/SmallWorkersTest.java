package io.headgate.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.namespace.Intent;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SmallWorkersTest {
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
    void the_meters_are_set_to_what_the_namespace_knows() throws Exception {
        site.put("a", "disk-1", 100);
        site.garbage("disk-1", 30);
        site.account("disk-2").meter().setUsage(5, 5, 0);

        Turn turn = new UsageRefresh(site.namespace, site.accounts, Duration.ofSeconds(10)).work();

        assertThat(turn).isEqualTo(Turn.idle(Duration.ofSeconds(10)));
        assertThat(site.account("disk-1").meter().heldBytes()).isEqualTo(100);
        assertThat(site.account("disk-1").meter().garbageBytes()).isEqualTo(30);
        assertThat(site.account("disk-2").meter().usedBytes()).isZero();
    }

    @Test
    void an_intent_is_renewed_four_times_a_lease_while_a_write_lasts_and_closed_after_it() {
        IntentRenewal renewal = new IntentRenewal(site.intents, Site.LEASE);
        var write = site.intents.begin();
        for (int i = 0; i < 10; i++) {
            Turn turn = renewal.work();
            assertThat(turn).isEqualTo(Turn.idle(Duration.ofSeconds(75)));
            site.clock.move(Duration.ofSeconds(75));
        }
        renewal.work();
        Intent renewed = site.namespace.standingIntents().getFirst();
        assertThat(renewed.expiresAt()).isAfter(site.clock.instant().plus(Site.LEASE));

        write.settle();
        renewal.work();
        assertThat(site.namespace.standingIntents()).isEmpty();
    }
}
