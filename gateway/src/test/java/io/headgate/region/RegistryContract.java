package io.headgate.region;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BucketName;
import io.headgate.region.RegistryEntry.State;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What every engine of the registry promises. Tests may share a database: each has names, owners and regions of its own. */
@Timeout(120)
public abstract class RegistryContract {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00.123456789Z");
    private static final AtomicInteger TESTS = new AtomicInteger();

    private final String suffix = "-" + TESTS.incrementAndGet();
    private final String alice = "alice" + suffix;
    private final String bob = "Bob \u00e9\u4e2d" + suffix;
    private final String north = "north" + suffix;
    private final String south = "south" + suffix;
    private final AtomicInteger claims = new AtomicInteger();
    private final List<Registry> opened = new ArrayList<>();
    private Registry registry;

    /** Another registry over the one database. */
    protected abstract Registry open() throws Exception;

    @BeforeEach
    final void open_one() throws Exception {
        registry = another();
    }

    @AfterEach
    final void close_all() {
        opened.forEach(Registry::close);
    }

    private Registry another() throws Exception {
        Registry another = open();
        opened.add(another);
        return another;
    }

    private BucketName name(String name) {
        return new BucketName(name + suffix);
    }

    private RegistryEntry claim(String name, String owner, String region) {
        return new RegistryEntry(
                name(name), owner, region, NOW, "claim" + suffix + "." + claims.incrementAndGet(), State.CLAIMED);
    }

    /** An entry that stands in the registry. */
    private RegistryEntry claimed(String name, String owner, String region) {
        RegistryEntry entry = claim(name, owner, region);
        assertThat(registry.claim(entry)).isEqualTo(new Claim.Made());
        return entry;
    }

    private RegistryEntry live(String name, String owner, String region) {
        RegistryEntry entry = claimed(name, owner, region);
        assertThat(registry.confirm(entry.name(), entry.claimId())).isTrue();
        return entry.live();
    }

    /** Starts all at once and returns what came of them. */
    private static <T> List<T> atOnce(List<Callable<T>> tasks) throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<T> results = new ArrayList<>();
            for (Future<T> result : threads.invokeAll(tasks)) {
                results.add(result.get());
            }
            return results;
        }
    }

    @Test
    final void who_comes_first_has_the_name_and_the_others_are_told_who_that_is() {
        RegistryEntry first = claim("photos", bob, north);
        assertThat(registry.find(first.name())).isEmpty();

        assertThat(registry.claim(first)).isEqualTo(new Claim.Made());

        assertThat(registry.claim(claim("photos", bob, north))).isEqualTo(new Claim.Taken(first));
        assertThat(registry.claim(claim("photos", alice, south))).isEqualTo(new Claim.Taken(first));
        assertThat(registry.find(first.name())).contains(first);
        assertThat(first.createdAt()).isEqualTo(Instant.parse("2026-03-01T12:00:00.123Z"));
    }

    @Test
    final void a_claim_that_is_sent_again_is_made_and_changes_nothing() {
        RegistryEntry first = claimed("photos", alice, north);

        assertThat(registry.claim(first)).isEqualTo(new Claim.Made());
        assertThat(registry.confirm(first.name(), first.claimId())).isTrue();
        assertThat(registry.claim(first)).isEqualTo(new Claim.Made());

        assertThat(registry.find(first.name())).contains(first.live());
    }

    @Test
    final void a_claim_is_confirmed_by_its_id_as_often_as_that_is_asked() {
        RegistryEntry claim = claimed("photos", alice, north);

        assertThat(registry.confirm(claim.name(), "another")).isFalse();
        assertThat(registry.find(claim.name())).contains(claim);
        assertThat(registry.confirm(claim.name(), claim.claimId())).isTrue();
        assertThat(registry.confirm(claim.name(), claim.claimId())).isTrue();

        assertThat(registry.find(claim.name())).contains(claim.live());
        assertThat(registry.confirm(name("nobodys"), claim.claimId())).isFalse();
    }

    @Test
    final void a_name_may_be_claimed_live_at_once() {
        RegistryEntry live = claim("photos", alice, north).live();

        assertThat(registry.claim(live)).isEqualTo(new Claim.Made());

        assertThat(registry.find(live.name())).contains(live);
        assertThat(registry.ofOwner(alice, "", "", 10)).containsExactly(live);
    }

    @Test
    final void a_released_name_is_free_and_what_comes_late_of_its_claim_changes_nothing() {
        RegistryEntry old = live("photos", alice, north);

        assertThat(registry.release(old.name(), "another")).isFalse();
        assertThat(registry.release(old.name(), old.claimId())).isTrue();
        assertThat(registry.release(old.name(), old.claimId())).isFalse();
        assertThat(registry.find(old.name())).isEmpty();
        assertThat(registry.ofOwner(alice, "", "", 10)).isEmpty();
        assertThat(registry.ofRegion(north, "", 10)).isEmpty();

        RegistryEntry next = claimed("photos", bob, south);
        assertThat(registry.release(old.name(), old.claimId())).isFalse();
        assertThat(registry.confirm(old.name(), old.claimId())).isFalse();
        assertThat(registry.take(old, claim("photos", alice, north))).isFalse();
        assertThat(registry.find(old.name())).contains(next);
    }

    @Test
    final void another_claim_takes_a_name_over_from_just_the_one_it_knows() {
        RegistryEntry old = live("photos", alice, north);
        RegistryEntry next = claim("photos", bob, south);

        assertThat(registry.take(old, next)).isTrue();
        assertThat(registry.find(old.name())).contains(next);
        assertThat(registry.take(old, claim("photos", alice, north))).isFalse();
        assertThat(registry.take(old, next)).as("sent again").isTrue();
        assertThat(registry.confirm(old.name(), old.claimId())).isFalse();
        assertThat(registry.release(old.name(), old.claimId())).isFalse();

        assertThat(registry.find(old.name())).contains(next);
        assertThat(registry.ofOwner(alice, "", "", 10)).isEmpty();
        assertThat(registry.ofRegion(north, "", 10)).isEmpty();
        assertThat(registry.ofRegion(south, "", 10)).containsExactly(next);
        assertThat(registry.take(claim("nobodys", alice, north), claim("nobodys", bob, south)))
                .isFalse();
        assertThat(registry.find(name("nobodys"))).isEmpty();
    }

    @Test
    final void an_owner_has_what_is_live_in_all_regions_in_the_order_of_bytes() {
        RegistryEntry dot = live("logs.a", bob, north);
        RegistryEntry hyphen = live("logs-a", bob, south);
        RegistryEntry digit = live("logs0", bob, north);
        RegistryEntry letter = live("logsz", bob, south);
        RegistryEntry other = live("other", bob, south);
        claimed("logs-not-yet", bob, north);
        live("logs-of-another", alice, north);

        assertThat(registry.ofOwner(bob, "", "", 10)).containsExactly(hyphen, dot, digit, letter, other);
        assertThat(registry.ofOwner(bob, "logs", "", 10)).containsExactly(hyphen, dot, digit, letter);
        assertThat(registry.ofOwner(bob, "logs", dot.name().value(), 10)).containsExactly(digit, letter);
        assertThat(registry.ofOwner(bob, "logs", "a", 2)).containsExactly(hyphen, dot);
        assertThat(registry.ofOwner(bob, "logs", letter.name().value(), 10)).isEmpty();
        assertThat(registry.ofOwner(bob, letter.name().value(), "", 10)).containsExactly(letter);
        assertThat(registry.ofOwner("Bob", "", "", 10)).isEmpty();
    }

    @Test
    final void a_region_has_all_entries_whatever_their_state() {
        RegistryEntry claimed = claimed("b.claimed", alice, north);
        RegistryEntry live = live("b-live", bob, north);
        live("elsewhere", alice, south);

        assertThat(registry.ofRegion(north, "", 10)).containsExactly(live, claimed);
        assertThat(registry.ofRegion(north, "", 1)).containsExactly(live);
        assertThat(registry.ofRegion(north, live.name().value(), 10)).containsExactly(claimed);
        assertThat(registry.ofRegion("north", "", 10)).isEmpty();
    }

    @Test
    final void pages_go_on_where_the_one_before_ended() {
        List<RegistryEntry> all = new ArrayList<>();
        for (int i = 0; i < 50; i++) {
            RegistryEntry entry = claim("b" + (10 + i), alice, north).live();
            registry.claim(entry);
            all.add(entry);
        }

        assertThat(registry.ofOwner(alice, "", "", 40)).isEqualTo(all.subList(0, 40));
        assertThat(registry.ofOwner(alice, "", all.get(39).name().value(), 40)).isEqualTo(all.subList(40, 50));
        assertThat(registry.ofRegion(north, "", 40)).isEqualTo(all.subList(0, 40));
        assertThat(registry.ofRegion(north, all.get(39).name().value(), 40)).isEqualTo(all.subList(40, 50));
    }

    @Test
    final void of_thirty_two_claims_at_once_in_three_registries_one_is_made() throws Exception {
        List<Registry> registries = List.of(registry, another(), another());
        for (int round = 0; round < 5; round++) {
            List<RegistryEntry> wanted = new ArrayList<>();
            List<Callable<Claim>> tasks = new ArrayList<>();
            for (int i = 0; i < 32; i++) {
                RegistryEntry claim = claim("photos" + round, i % 2 == 0 ? alice : bob, i % 3 == 0 ? north : south);
                wanted.add(claim);
                Registry through = registries.get(i % 3);
                tasks.add(() -> through.claim(claim));
            }

            List<Claim> came = atOnce(tasks);

            assertThat(came).filteredOn(claim -> claim instanceof Claim.Made).hasSize(1);
            RegistryEntry winner = wanted.get(came.indexOf(new Claim.Made()));
            assertThat(came)
                    .filteredOn(claim -> claim instanceof Claim.Taken)
                    .hasSize(31)
                    .containsOnly(new Claim.Taken(winner));
            assertThat(registries)
                    .allSatisfy(each -> assertThat(each.find(winner.name())).contains(winner));
        }
    }

    @Test
    final void of_many_that_take_over_and_release_at_once_one_does() throws Exception {
        List<Registry> registries = List.of(registry, another());
        for (int round = 0; round < 5; round++) {
            RegistryEntry old = live("photos" + round, alice, north);
            List<RegistryEntry> takers = new ArrayList<>();
            List<Callable<Boolean>> tasks = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                RegistryEntry taker = claim("photos" + round, alice, i % 2 == 0 ? north : south);
                Registry through = registries.get(i % 2);
                takers.add(taker);
                tasks.add(() -> through.take(old, taker));
            }
            tasks.add(() -> registry.release(old.name(), old.claimId()));

            List<Boolean> done = atOnce(tasks);

            assertThat(done).filteredOn(Boolean::booleanValue).hasSize(1);
            int winner = done.indexOf(true);
            assertThat(registry.find(old.name()))
                    .isEqualTo(winner == 16 ? Optional.empty() : Optional.of(takers.get(winner)));
        }
    }
}
