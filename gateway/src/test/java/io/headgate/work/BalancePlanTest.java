package io.headgate.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.work.BalancePlan.Fill;
import io.headgate.work.BalancePlan.Step;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class BalancePlanTest {
    private static final long NONE = Long.MAX_VALUE;

    private static Fill fill(String account, long capacity, long live) {
        return new Fill(account, "eu", capacity, live);
    }

    private static BalancePlan plan(Fill... fills) {
        return BalancePlan.of(List.of(fills), 0.02);
    }

    @Test
    void without_capacities_each_should_hold_the_same() {
        BalancePlan plan = plan(fill("a", NONE, 900), fill("b", NONE, 300), fill("c", 5_000, 0));

        assertThat(plan.isBalanced()).isFalse();
        assertThat(plan.remainingBytes()).isEqualTo(500);
        assertThat(plan.next("", Set.of())).contains(new Step("a", 504, Map.of("b", 104L, "c", 404L)));
    }

    @Test
    void with_capacities_each_should_be_as_full_as_the_others() {
        BalancePlan plan = plan(fill("a", 10_000, 3_000), fill("b", 20_000, 0));

        assertThat(plan.remainingBytes()).isEqualTo(2_000);
        assertThat(plan.next("", Set.of())).contains(new Step("a", 2_010, Map.of("b", 2_020L)));
        assertThat(plan(fill("a", 10_000, 1_000), fill("b", 20_000, 2_000)).isBalanced())
                .isTrue();
    }

    @Test
    void within_the_tolerance_nothing_moves() {
        assertThat(plan(fill("a", NONE, 1_019), fill("b", NONE, 981)).isBalanced())
                .isTrue();
        assertThat(plan(fill("a", NONE, 1_019), fill("b", NONE, 981)).next("", Set.of()))
                .isEmpty();
        assertThat(plan(fill("a", NONE, 1_021), fill("b", NONE, 979)).isBalanced())
                .isFalse();
        assertThat(plan().isBalanced()).isTrue();
        assertThat(plan(fill("a", NONE, 0), fill("b", NONE, 0)).isBalanced()).isTrue();
        assertThat(plan(fill("a", NONE, 7)).isBalanced()).isTrue();
    }

    @Test
    void an_empty_account_among_many_gets_its_part_though_each_of_them_is_within_the_tolerance() {
        List<Fill> fills = new ArrayList<>(List.of(fill("new", NONE, 0)));
        for (int i = 0; i < 99; i++) {
            fills.add(fill("old-" + i, NONE, 1_000_000));
        }
        BalancePlan plan = BalancePlan.of(fills, 0.02);

        assertThat(plan.isBalanced()).isFalse();
        assertThat(plan.next("", Set.of()).orElseThrow().roomBytes()).containsOnlyKeys("new");
    }

    @Test
    void bytes_stay_in_their_region() {
        BalancePlan plan = plan(
                fill("a", NONE, 1_000),
                new Fill("b", "us", NONE, 0),
                new Fill("c", "us", NONE, 100),
                fill("d", NONE, 1_000));

        assertThat(plan.remainingBytes()).isEqualTo(50);
        assertThat(plan.next("", Set.of())).contains(new Step("c", 50, Map.of("b", 50L)));
    }

    @Test
    void who_gives_goes_on_until_it_has_no_more_than_it_should_and_those_with_nothing_that_fits_are_left_out() {
        BalancePlan plan = plan(fill("a", NONE, 900), fill("b", NONE, 700), fill("c", NONE, 0), fill("d", NONE, 400));

        assertThat(plan.next("", Set.of()).map(Step::from)).contains("a");
        assertThat(plan.next("b", Set.of()).map(Step::from)).contains("b");
        assertThat(plan.next("d", Set.of()).map(Step::from)).contains("a");
        assertThat(plan.next("a", Set.of("a")).map(Step::from)).contains("b");
        assertThat(plan.next("a", Set.of("a", "b"))).isEqualTo(Optional.empty());
    }
}
