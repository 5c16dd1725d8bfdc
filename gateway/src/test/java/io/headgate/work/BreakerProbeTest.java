package io.headgate.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.account.CircuitBreaker.Status;
import io.headgate.work.FaultyStore.Fault;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class BreakerProbeTest {
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    @TempDir
    Path directory;

    private Site site;
    private BreakerProbe probe;

    @BeforeEach
    void open() {
        site = new Site(directory);
        probe = new BreakerProbe(site.account("disk-1"), site.namespace, site.intents, site.clock, INTERVAL);
    }

    @AfterEach
    void close() {
        site.close();
    }

    @Test
    void an_account_that_is_well_again_comes_back_five_minutes_after_its_third_failure_without_traffic()
            throws Exception {
        site.store("disk-1").set(Fault.FAILS);
        failedWrite();
        failedWrite();
        assertThat(status()).isEqualTo(Status.CLOSED);
        failedWrite();
        assertThat(status()).isEqualTo(Status.OPEN);
        site.store("disk-1").set(Fault.NONE);

        site.clock.move(Duration.ofMinutes(5).minusMillis(1));
        assertThat(probe.work()).isEqualTo(Turn.idle(INTERVAL));
        assertThat(status()).isEqualTo(Status.OPEN);

        site.clock.move(Duration.ofMillis(1));
        assertThat(status()).isEqualTo(Status.HALF_OPEN);
        probe.work();
        assertThat(status()).isEqualTo(Status.CLOSED);
        assertThat(site.blobs("disk-1")).isEmpty();
    }

    @Test
    void an_account_that_fails_its_probe_stays_out_for_another_five_minutes_and_nothing_is_left_behind()
            throws Exception {
        site.store("disk-1").set(Fault.FAILS);
        failedWrite();
        failedWrite();
        failedWrite();
        site.clock.move(Duration.ofMinutes(5));

        probe.work();
        assertThat(status()).isEqualTo(Status.OPEN);
        site.store("disk-1").set(Fault.NONE);
        site.clock.move(Duration.ofMinutes(5).minusMillis(1));
        probe.work();
        assertThat(status()).isEqualTo(Status.OPEN);
        site.clock.move(Duration.ofMillis(1));
        probe.work();
        assertThat(status()).isEqualTo(Status.CLOSED);

        assertThat(site.namespace.accountUsage().get("disk-1").garbageBlobs())
                .as("the failed probe's blob, to be deleted in case it is there after all")
                .isEqualTo(1);
        site.clock.move(Site.WINDOW.plusSeconds(1));
        site.intents.renew();
        assertThat(site.namespace.standingIntents()).isEmpty();
    }

    private void failedWrite() {
        assertThatThrownBy(() -> {
                    var write = site.intents.begin();
                    try {
                        site.write(write, "disk-1", 1);
                    } finally {
                        write.settle();
                    }
                })
                .isInstanceOf(IOException.class);
    }

    private Status status() {
        return site.account("disk-1").breaker().status();
    }
}
