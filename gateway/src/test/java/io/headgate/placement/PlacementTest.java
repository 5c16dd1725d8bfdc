package io.headgate.placement;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import io.headgate.placement.AccountState.Admission;
import io.headgate.placement.AccountState.Load;
import io.headgate.placement.Choice.Chosen;
import io.headgate.placement.Choice.NoneEligible;
import io.headgate.placement.Choice.PassedBy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class PlacementTest {
    private final Placement placement = new Placement(Thresholds.DEFAULT);
    private final Random random = new Random(42);

    private static Chosen chosen(String account, boolean probe) {
        return new Chosen(account, probe, Long.MAX_VALUE, List.of());
    }

    @Test
    void without_accounts_none_is_eligible() {
        assertThat(placement.choose(List.of(), Wish.ofSize(1), random)).isEqualTo(new NoneEligible(List.of()));
    }

    @Test
    void the_only_eligible_account_is_chosen() {
        List<AccountState> accounts = List.of(rejectedBy(Filter.DRAINING), account("b"), rejectedBy(Filter.CAPACITY));
        assertThat(placement.choose(accounts, Wish.ofSize(10), random)).isEqualTo(chosen("b", false));
    }

    @ParameterizedTest
    @EnumSource(Filter.class)
    void each_filter_alone_keeps_an_account_from_being_chosen(Filter filter) {
        List<AccountState> accounts = List.of(rejectedBy(filter));
        Wish wish = new Wish("", 10, Set.of(filter == Filter.EXCLUDED ? "rejected" : "other"), true);
        assertThat(placement.choose(accounts, wish, random)).isInstanceOfSatisfying(NoneEligible.class, none -> {
            assertThat(none.rejections()).singleElement().satisfies(rejection -> {
                assertThat(rejection.account()).isEqualTo("rejected");
                assertThat(rejection.filter()).isEqualTo(filter);
                assertThat(rejection.detail()).isNotBlank();
            });
        });
    }

    @Test
    void explain_names_every_filter_of_every_account_and_none_of_an_eligible_one() {
        AccountState bad = new AccountState(
                "bad", "", 100, 95, new Load(90, 100), Load.NONE, Load.NONE, true, false, true, Admission.OPEN);
        assertThat(placement.explain(List.of(bad, account("good")), Wish.ofSize(1)))
                .extracting(Rejection::account, Rejection::filter)
                .containsExactly(
                        tuple("bad", Filter.DRAINING),
                        tuple("bad", Filter.CAPACITY),
                        tuple("bad", Filter.REQUEST_RATE),
                        tuple("bad", Filter.BREAKER_OPEN));
    }

    @Test
    void an_account_may_be_filled_to_the_threshold_and_not_beyond() {
        AccountState account = capacity(1000, 800);
        assertThat(eligible(account, Wish.ofSize(100))).isTrue();
        assertThat(eligible(account, Wish.ofSize(101))).isFalse();
    }

    @Test
    void an_account_without_a_limit_is_never_too_full() {
        assertThat(eligible(capacity(Long.MAX_VALUE, Long.MAX_VALUE / 2), Wish.ofSize(Long.MAX_VALUE)))
                .isTrue();
    }

    @Test
    void an_account_without_capacity_takes_nothing_but_empty_blobs() {
        assertThat(eligible(capacity(0, 0), Wish.ofSize(1))).isFalse();
    }

    @Test
    void an_account_is_refused_from_the_rate_threshold_on() {
        assertThat(eligible(requests(79.9, 100), Wish.ofSize(1))).isTrue();
        assertThat(eligible(requests(80, 100), Wish.ofSize(1))).isFalse();
        assertThat(eligible(requests(1e12, Double.POSITIVE_INFINITY), Wish.ofSize(1)))
                .isTrue();
    }

    @Test
    void the_wished_region_is_preferred() {
        List<AccountState> accounts = List.of(region("a", "west"), region("b", "east"), region("c", "east"));
        Wish wish = new Wish("east", 1, Set.of(), true);
        assertThat(draws(accounts, wish, 1000).keySet()).containsExactlyInAnyOrder("b", "c");
    }

    @Test
    void another_region_serves_when_the_wished_one_has_no_eligible_account() {
        List<AccountState> accounts = List.of(region("a", "west"), region("b", "east"));
        Wish wish = new Wish("east", 1, Set.of("b"), true);
        assertThat(placement.choose(accounts, wish, random)).isEqualTo(chosen("a", false));
        assertThat(placement.choose(accounts, new Wish("north", 1, Set.of(), true), random))
                .isInstanceOf(Chosen.class);
    }

    @ParameterizedTest
    @CsvSource({"2, 1", "3, 1", "8, 1", "16, 1", "16, 2"})
    void after_100_000_writes_over_equal_accounts_the_fullest_holds_little_more_than_the_emptiest(int count, int seed) {
        Random draws = new Random(seed);
        List<AccountState> accounts = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            accounts.add(used(Integer.toString(i), 0));
        }
        for (int write = 0; write < 100_000; write++) {
            if (placement.choose(accounts, Wish.ofSize(1), draws) instanceof Chosen chosen) {
                int at = Integer.parseInt(chosen.account());
                accounts.set(at, used(chosen.account(), accounts.get(at).usedBytes() + 1));
            }
        }
        LongSummaryStatistics held =
                accounts.stream().mapToLong(AccountState::usedBytes).summaryStatistics();
        assertThat(held.getSum()).isEqualTo(100_000);
        assertThat((double) held.getMax()).isLessThan(1.01 * held.getMin());
    }

    @Test
    void an_account_that_is_much_emptier_gets_no_more_than_its_part() {
        List<AccountState> accounts = List.of(used("old", 1_000_000), used("older", 1_200_000), used("new", 0));
        assertThat(draws(accounts, Wish.ofSize(1), 300_000).values())
                .allSatisfy(count -> assertThat(count).isBetween(98_500, 101_500));
    }

    private static AccountState used(String name, long bytes) {
        return new AccountState(
                name, "", Long.MAX_VALUE, bytes, Load.NONE, Load.NONE, Load.NONE, false, false, true, Admission.CLOSED);
    }

    @Test
    void eligible_accounts_are_drawn_evenly() {
        List<AccountState> accounts = new ArrayList<>();
        for (String name : List.of("a", "b", "c")) {
            accounts.add(account(name));
        }
        accounts.add(rejectedBy(Filter.DRAINING));
        int draws = 300_000;
        Map<String, Integer> counts = draws(accounts, Wish.ofSize(1), draws);
        assertThat(counts.keySet()).containsExactlyInAnyOrder("a", "b", "c");
        assertThat(counts.values()).allSatisfy(count -> assertThat(count).isBetween(98_500, 101_500));
    }

    @Test
    void an_account_that_waits_for_a_probe_gets_it_in_ordinary_traffic() {
        List<AccountState> accounts = List.of(account("a"), admission("b", Admission.PROBE_DUE));
        Set<Choice> choices = new HashSet<>();
        for (int i = 0; i < 100; i++) {
            choices.add(placement.choose(accounts, Wish.ofSize(1), random));
        }
        assertThat(choices).containsExactlyInAnyOrder(chosen("a", false), chosen("b", true));
    }

    @Test
    void a_write_that_cannot_be_sent_again_probes_only_when_nothing_else_is_left() {
        AccountState probeDue = new AccountState(
                "b",
                "east",
                Long.MAX_VALUE,
                0,
                Load.NONE,
                Load.NONE,
                Load.NONE,
                false,
                false,
                true,
                Admission.PROBE_DUE);
        Wish wish = new Wish("east", 1, Set.of(), false);
        assertThat(draws(List.of(region("a", "west"), probeDue), wish, 100).keySet())
                .containsExactly("a");
        assertThat(placement.choose(List.of(admission("o", Admission.OPEN), probeDue), wish, random))
                .isEqualTo(chosen("b", true));
    }

    @Test
    void when_every_other_breaker_is_open_the_account_that_waits_for_a_probe_is_chosen() {
        List<AccountState> accounts = List.of(
                admission("a", Admission.OPEN), admission("b", Admission.PROBE_DUE), admission("c", Admission.OPEN));
        assertThat(placement.choose(accounts, Wish.ofSize(1), random)).isEqualTo(chosen("b", true));
    }

    @Test
    void the_same_generator_gives_the_same_choices() {
        List<AccountState> accounts = List.of(account("a"), account("b"), account("c"));
        RandomGenerator one = new Random(7);
        RandomGenerator other = new Random(7);
        for (int i = 0; i < 100; i++) {
            assertThat(placement.choose(accounts, Wish.ofSize(1), one))
                    .isEqualTo(placement.choose(accounts, Wish.ofSize(1), other));
        }
    }

    @Test
    void whatever_the_accounts_the_chosen_one_is_never_rejected_and_explain_agrees() {
        for (int round = 0; round < 20_000; round++) {
            List<AccountState> accounts = new ArrayList<>();
            for (int i = random.nextInt(6); i > 0; i--) {
                accounts.add(anyAccount("account-" + i));
            }
            Wish wish = new Wish(
                    anyRegion(),
                    random.nextInt(300),
                    random.nextInt(4) == 0 ? Set.of("account-1") : Set.of(),
                    random.nextBoolean());
            Set<String> rejected = placement.explain(accounts, wish).stream()
                    .map(Rejection::account)
                    .collect(Collectors.toCollection(TreeSet::new));
            switch (placement.choose(accounts, wish, random)) {
                case Chosen(String name, boolean probe, long maxUsedBytes, List<PassedBy> passedBy) -> {
                    assertThat(rejected).doesNotContain(name);
                    AccountState chosen = accounts.stream()
                            .filter(a -> a.name().equals(name))
                            .findAny()
                            .orElseThrow();
                    assertThat(chosen.usedBytes() + wish.sizeBytes()).isLessThanOrEqualTo(maxUsedBytes);
                    assertThat(probe).isEqualTo(chosen.admission() == Admission.PROBE_DUE);
                }
                case NoneEligible none -> {
                    assertThat(rejected).hasSameSizeAs(accounts);
                    assertThat(none.rejections()).isEqualTo(placement.explain(accounts, wish));
                }
            }
        }
    }

    private boolean eligible(AccountState account, Wish wish) {
        return placement.choose(List.of(account), wish, random) instanceof Chosen;
    }

    private Map<String, Integer> draws(List<AccountState> accounts, Wish wish, int count) {
        Map<String, Integer> counts = new HashMap<>();
        for (int i = 0; i < count; i++) {
            if (placement.choose(accounts, wish, random) instanceof Chosen chosen) {
                counts.merge(chosen.account(), 1, Integer::sum);
            }
        }
        return counts;
    }

    private AccountState anyAccount(String name) {
        return new AccountState(
                name,
                anyRegion(),
                random.nextBoolean() ? Long.MAX_VALUE : random.nextInt(1000),
                random.nextInt(500),
                new Load(random.nextInt(100), random.nextBoolean() ? Double.POSITIVE_INFINITY : 100),
                new Load(random.nextInt(100), 100),
                new Load(random.nextInt(100), 100),
                random.nextInt(5) == 0,
                random.nextInt(5) == 0,
                random.nextInt(5) != 0,
                Admission.values()[random.nextInt(3)]);
    }

    private String anyRegion() {
        return List.of("", "east", "west").get(random.nextInt(3));
    }

    private static AccountState rejectedBy(Filter filter) {
        Load high = new Load(90, 100);
        return new AccountState(
                "rejected",
                "",
                100,
                filter == Filter.CAPACITY ? 85 : 0,
                filter == Filter.REQUEST_RATE ? high : Load.NONE,
                filter == Filter.INGRESS_RATE ? high : Load.NONE,
                filter == Filter.EGRESS_RATE ? high : Load.NONE,
                filter == Filter.DRAINING,
                filter == Filter.READ_ONLY,
                filter != Filter.UNAVAILABLE,
                filter == Filter.BREAKER_OPEN ? Admission.OPEN : Admission.CLOSED);
    }

    private static AccountState account(String name) {
        return region(name, "");
    }

    private static AccountState region(String name, String region) {
        return new AccountState(
                name, region, Long.MAX_VALUE, 0, Load.NONE, Load.NONE, Load.NONE, false, false, true, Admission.CLOSED);
    }

    private static AccountState admission(String name, Admission admission) {
        return new AccountState(
                name, "", Long.MAX_VALUE, 0, Load.NONE, Load.NONE, Load.NONE, false, false, true, admission);
    }

    private static AccountState capacity(long capacityBytes, long usedBytes) {
        return new AccountState(
                "a",
                "",
                capacityBytes,
                usedBytes,
                Load.NONE,
                Load.NONE,
                Load.NONE,
                false,
                false,
                true,
                Admission.CLOSED);
    }

    private static AccountState requests(double current, double limit) {
        return new AccountState(
                "a",
                "",
                Long.MAX_VALUE,
                0,
                new Load(current, limit),
                Load.NONE,
                Load.NONE,
                false,
                false,
                true,
                Admission.CLOSED);
    }
}
