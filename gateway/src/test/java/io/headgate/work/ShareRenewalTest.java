package io.headgate.work;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.account.Account;
import io.headgate.account.AccountListener;
import io.headgate.account.Accounts;
import io.headgate.account.CircuitBreaker;
import io.headgate.account.Limits;
import io.headgate.account.Rate;
import io.headgate.account.Reservation;
import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.blob.local.Durability;
import io.headgate.blob.local.LocalBlobStore;
import io.headgate.domain.BlobId;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.postgres.Postgres;
import io.headgate.namespace.postgres.PostgresNamespace;
import io.headgate.namespace.postgres.PostgresOptions;
import io.headgate.placement.Thresholds;
import io.headgate.work.FaultyStore.Fault;
import java.io.ByteArrayInputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** Gateways without their fronts, which share an account that bears 300 requests/s by one database, by its clock. */
@Timeout(120)
@Execution(ExecutionMode.CONCURRENT)
final class ShareRenewalTest {
    private static final double LIMIT = 300;

    @TempDir
    private Path directory;

    private final PostgresOptions options = Postgres.fresh();
    private final List<Member> fleet = new ArrayList<>();

    private static final class Member implements AutoCloseable {
        private final PostgresNamespace namespace;
        private final FaultyStore store;
        private final Account account;
        private final ShareRenewal renewal;
        private boolean hungry;
        private boolean up = true;

        Member(PostgresOptions options, Path directory, String id) {
            namespace = PostgresNamespace.open(options, InstantSource.system());
            store = new FaultyStore(new LocalBlobStore(
                    "disk-1", namespace.id(), directory, Durability.NONE, true, InstantSource.system()));
            account = new Account(
                    new Account.Description(
                            "disk-1", "local", "", new Limits(1_000_000, (long) LIMIT, 3_000_000, 3_000_000)),
                    CircuitBreaker.Settings.DEFAULT,
                    store,
                    System::nanoTime,
                    AccountListener.NONE);
            renewal = new ShareRenewal(
                    namespace, new Accounts(List.of(account)), Thresholds.DEFAULT, id, System::nanoTime);
        }

        void turn() {
            if (up) {
                if (hungry) {
                    requests().missed(10_000);
                }
                renewal.work();
            }
        }

        Rate requests() {
            return account.meter().requests();
        }

        double limit() {
            return requests().limitPerSecond();
        }

        Reservation reserve(long bytes) {
            return account.tryReserve(bytes, Long.MAX_VALUE).orElseThrow();
        }

        /** The gateway does not reach the database any more. */
        void cutOff() {
            namespace.close();
            up = false;
        }

        @Override
        public void close() {
            account.close();
            namespace.close();
        }
    }

    @BeforeEach
    void open() {
        for (int i = 0; i < 3; i++) {
            fleet.add(new Member(options, directory.resolve("gateway-" + i), "gateway-" + i));
        }
    }

    @AfterEach
    void close() {
        fleet.forEach(Member::close);
    }

    /** All take their turns until it is so. */
    private void await(BooleanSupplier condition) {
        while (!condition.getAsBoolean()) {
            fleet.forEach(Member::turn);
            LockSupport.parkNanos(10_000_000);
        }
    }

    private static boolean isNear(double figure, double expected) {
        return Math.abs(figure - expected) < 1;
    }

    private boolean shared(double... parts) {
        for (int i = 0; i < parts.length; i++) {
            if (!isNear(fleet.get(i).limit(), parts[i])) {
                return false;
            }
        }
        return true;
    }

    @Test
    void the_first_has_everything_and_those_who_come_later_have_their_part() {
        fleet.getFirst().turn();
        assertThat(fleet.getFirst().limit()).isEqualTo(LIMIT);
        assertThat(fleet.getFirst().renewal.gateways()).isOne();
        fleet.getLast().turn();
        assertThat(fleet.getLast().limit())
                .as("the first has not given any of it back")
                .isZero();

        await(() -> shared(100, 100, 100));
        assertThat(fleet).allSatisfy(one -> assertThat(one.renewal.gateways()).isEqualTo(3));
        assertThat(fleet.getFirst().account.meter().ingress().limitPerSecond()).isBetween(970_000.0, 1_030_000.0);
        assertThat(fleet.getFirst().account.meter().egress().limitPerSecond()).isBetween(970_000.0, 1_030_000.0);
    }

    @Test
    void who_has_more_to_send_has_what_the_others_do_not_use() {
        await(() -> shared(100, 100, 100));
        fleet.getFirst().hungry = true;
        await(() -> shared(294, 3, 3));
        fleet.getLast().hungry = true;
        await(() -> shared(148.5, 3, 148.5));
        fleet.get(1).hungry = true;
        await(() -> shared(100, 100, 100));
    }

    @Test
    void the_part_of_one_that_dies_comes_back() {
        await(() -> shared(100, 100, 100));
        fleet.getFirst().hungry = true;
        fleet.getLast().cutOff();
        await(() -> isNear(fleet.getFirst().limit(), LIMIT - 4.5));
        assertThat(fleet.getFirst().renewal.gateways()).isEqualTo(2);
    }

    @Test
    void one_that_does_not_reach_the_database_falls_back_to_its_fair_part() {
        Member first = fleet.getFirst();
        await(() -> shared(100, 100, 100));
        first.hungry = true;
        await(() -> shared(294, 3, 3));

        first.cutOff();
        assertThatThrownBy(first.renewal::work).isInstanceOf(NamespaceException.class);
        await(() -> isNear(first.limit(), 100));

        Member second = fleet.get(1);
        second.hungry = true;
        fleet.getLast().hungry = true;
        await(() -> isNear(second.limit(), 150));
        assertThat(first.limit()).isEqualTo(100);
    }

    @Test
    void what_throttling_has_taught_one_the_others_know() throws Exception {
        await(() -> shared(100, 100, 100));
        Member first = fleet.getFirst();
        first.store.set(Fault.THROTTLES);
        try (Reservation reservation = first.reserve(1)) {
            assertThatThrownBy(() -> first.account.put(
                            reservation, BlobId.of(1_000, 1, 2, 3), 1, new ByteArrayInputStream(new byte[1])))
                    .isInstanceOfSatisfying(
                            BlobStoreException.class,
                            failed -> assertThat(failed.kind()).isEqualTo(Kind.THROTTLED));
        }
        assertThat(first.account.requestCeilingPerSecond()).isLessThan(100);
        Member second = fleet.get(1);
        await(() -> second.account.requestCeilingPerSecond() < 100);
        assertThat(second.account.ownCeilingPerSecond()).isEqualTo(LIMIT);
    }

    @Test
    void bytes_that_one_has_reserved_are_used_for_the_others() {
        Member first = fleet.getFirst();
        Member second = fleet.get(1);
        await(() -> shared(100, 100, 100));
        try (Reservation reservation = first.reserve(600_000)) {
            await(() -> second.account.state().usedBytes() == 600_000);
            assertThat(second.account.tryReserve(300_001, 900_000)).isEmpty();
            assertThat(second.account.tryAdmit(300_000, 900_000, Thresholds.DEFAULT))
                    .isPresent();
            assertThat(reservation.bytes()).isEqualTo(600_000);
        }
        await(() -> second.account.state().usedBytes() == 300_000);
    }

    @Test
    void a_renewal_asks_to_be_turned_a_few_times_a_second() throws Exception {
        assertThat(fleet.getFirst().renewal.work())
                .isInstanceOfSatisfying(
                        Turn.Idle.class, idle -> assertThat(idle.pause()).isLessThan(Duration.ofMillis(300)));
    }
}
