package io.headgate.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.namespace.Namespace;
import io.headgate.namespace.postgres.Postgres;
import io.headgate.namespace.postgres.PostgresNamespace;
import io.headgate.namespace.postgres.PostgresOptions;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two gateways over one database. */
@Timeout(60)
final class LeasesTest {
    private final MovedClock clock = new MovedClock();
    private Namespace here;
    private Namespace there;
    private Leases mine;
    private Leases others;

    @BeforeEach
    void open() {
        PostgresOptions database = Postgres.fresh();
        here = PostgresNamespace.open(database, clock);
        there = PostgresNamespace.open(database, clock);
        mine = new Leases(here, "gateway-1", clock);
        others = new Leases(there, "gateway-2", clock);
    }

    @AfterEach
    void close() {
        here.close();
        there.close();
    }

    @Test
    void one_gateway_has_a_lease_for_as_long_as_it_renews_it() {
        assertThat(mine.of("sweeps").acquire()).isEqualTo(Lease.Term.NEW);
        for (int i = 0; i < 20; i++) {
            assertThat(others.of("sweeps").acquire()).isEqualTo(Lease.Term.NONE);
            clock.move(Duration.ofSeconds(3));
            mine.work();
            others.work();
            assertThat(mine.of("sweeps").acquire()).isEqualTo(Lease.Term.CONTINUED);
        }
        assertThat(others.of("moves").acquire()).as("another lease").isEqualTo(Lease.Term.NEW);
    }

    @Test
    void another_takes_it_within_seconds_when_its_gateway_dies() {
        assertThat(mine.of("sweeps").isAcquired()).isTrue();
        assertThat(others.of("sweeps").isAcquired()).isFalse();

        clock.move(Lease.SPAN);
        others.work();

        assertThat(others.of("sweeps").acquire()).isEqualTo(Lease.Term.NEW);
        assertThat(mine.of("sweeps").acquire()).isEqualTo(Lease.Term.NONE);
    }

    @Test
    void a_gateway_that_has_it_again_is_told_that_others_had_it() {
        mine.of("moves").acquire();
        mine.of("moves").release();
        others.of("moves").acquire();
        others.close();

        assertThat(mine.of("moves").acquire()).isEqualTo(Lease.Term.NEW);
        assertThat(mine.of("moves").acquire()).isEqualTo(Lease.Term.CONTINUED);
    }

    @Test
    void a_renewal_after_the_end_begins_a_new_term() {
        mine.of("moves").acquire();
        clock.move(Lease.SPAN);
        mine.work();

        assertThat(mine.of("moves").acquire()).isEqualTo(Lease.Term.NEW);
    }

    @Test
    void a_gateway_that_cannot_do_the_work_leaves_it_to_another() {
        AtomicBoolean able = new AtomicBoolean(true);
        Lease lease = mine.of("sweeps", able::get);
        assertThat(lease.isAcquired()).isTrue();

        able.set(false);
        assertThat(lease.isAcquired()).isFalse();
        mine.work();
        assertThat(others.of("sweeps").isAcquired()).isTrue();
    }

    @Test
    void a_lease_that_is_not_wanted_is_not_renewed() {
        mine.of("moves").acquire();
        mine.of("moves").release();
        mine.work();

        assertThat(others.of("moves").isAcquired()).isTrue();
    }
}
