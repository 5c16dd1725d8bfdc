package io.headgate.namespace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.headgate.namespace.ShareRules.Other;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ShareRulesTest {
    private static final double CEILING = 300;
    private static final Duration LEFT = Duration.ofMillis(700);

    private static AccountUse use(double kept, double wanted) {
        AccountUse.Rate unlimited = new AccountUse.Rate(Double.POSITIVE_INFINITY, 0, 0, 0);
        return new AccountUse(
                "disk-1",
                new AccountUse.Rate(CEILING, kept, wanted, kept),
                unlimited,
                unlimited,
                Double.POSITIVE_INFINITY,
                7);
    }

    private static AccountShare.Part requests(AccountUse mine, Other... others) {
        return ShareRules.share(mine, List.of(others)).requests();
    }

    private static void assertPart(AccountShare.Part part, double held, double target) {
        assertThat(part.held()).as("held").isCloseTo(held, within(1e-9));
        assertThat(part.target()).as("target").isCloseTo(target, within(1e-9));
    }

    @Test
    void alone_a_gateway_has_everything_whether_it_wants_it_or_not() {
        assertPart(requests(use(0, 0)), 300, 300);
        assertPart(requests(use(300, 1000)), 300, 300);
    }

    @Test
    void idle_gateways_have_equal_parts() {
        assertPart(requests(use(0, 0), new Other(use(100, 0), LEFT), new Other(use(100, 0), LEFT)), 100, 100);
    }

    @Test
    void who_wants_little_has_it_and_a_part_of_what_is_left() {
        assertThat(ShareRules.target(10, new double[] {50, 0}, 300)).isEqualTo(90);
        assertThat(ShareRules.target(50, new double[] {10, 0}, 300)).isEqualTo(130);
        assertThat(ShareRules.target(0, new double[] {10, 50}, 300)).isEqualTo(80);
    }

    @Test
    void who_wants_more_than_there_is_has_as_much_as_the_others_that_do() {
        assertThat(ShareRules.target(1000, new double[] {50, 800}, 300)).isEqualTo(125);
        assertThat(ShareRules.target(50, new double[] {1000, 800}, 300)).isEqualTo(50);
        assertThat(ShareRules.target(1000, new double[] {1000, 101}, 300)).isEqualTo(100);
    }

    @Test
    void nothing_is_taken_from_who_holds_it() {
        assertPart(requests(use(0, 1000), new Other(use(300, 0), LEFT)), 0, 300);
        assertPart(requests(use(300, 0), new Other(use(0, 1000), LEFT)), 300, 0);
        assertPart(requests(use(0, 0), new Other(use(0, 1000), LEFT)), 0, 0);
        assertPart(requests(use(0, 1000), new Other(use(40, 0), LEFT)), 260, 300);
    }

    @Test
    void who_is_silent_holds_what_it_held_a_second_longer_then_its_fair_part_then_nothing() {
        AccountUse hungry = use(0, 1000);
        assertPart(requests(hungry, new Other(use(200, 0), Duration.ofMillis(-999))), 100, 150);
        assertPart(requests(hungry, new Other(use(200, 0), Duration.ofMillis(-1001))), 150, 150);
        assertPart(requests(hungry, new Other(use(20, 0), Duration.ofMillis(-1))), 150, 150);
        assertPart(requests(hungry, new Other(use(200, 0), Duration.ofMillis(-4999))), 150, 150);
        assertPart(requests(hungry, new Other(use(200, 0), Duration.ofMillis(-5001))), 300, 300);
    }

    @Test
    void what_others_send_reserve_and_have_seen_is_told() {
        AccountUse.Rate rate = new AccountUse.Rate(Double.POSITIVE_INFINITY, 40, 50, 60);
        AccountUse throttled = new AccountUse("disk-1", rate, rate, rate, 90, 1_000);
        AccountShare share =
                ShareRules.share(use(0, 0), List.of(new Other(throttled, LEFT), new Other(use(0, 0), LEFT)));

        assertThat(share.othersLoweredTo()).isEqualTo(90);
        assertThat(share.othersRequestsPerSecond()).isEqualTo(60);
        assertThat(share.othersReservedBytes()).isEqualTo(1_007);
        assertThat(share.gateways()).isEqualTo(3);
        assertThat(share.requests().held()).as("a part of the lowered ceiling").isLessThanOrEqualTo(50);
        assertThat(share.ingress().held()).isInfinite();
    }

    /** A gateway as it is seen by the rules: what it last told, and what it may therefore use. */
    private static final class Simulated {
        private double sent;
        private double limit;
        private AccountUse told = use(0, 0);
        private long endsMillis = Long.MIN_VALUE / 2;

        Other at(long nowMillis) {
            return new Other(told, Duration.ofMillis(Math.max(endsMillis - nowMillis, -100_000)));
        }
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5})
    void whatever_gateways_want_and_whoever_dies_they_never_hold_more_than_there_is(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        List<Simulated> gateways = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            gateways.add(new Simulated());
        }
        long now = 0;
        for (int step = 0; step < 20_000; step++) {
            now += random.nextInt(120);
            int at = random.nextInt(gateways.size());
            if (random.nextInt(200) == 0) {
                now += random.nextInt(3_000); // and nobody asks meanwhile
            }
            Simulated one = gateways.get(at);
            List<Other> others = new ArrayList<>();
            for (Simulated other : gateways) {
                if (other != one) {
                    others.add(other.at(now));
                }
            }
            // What it has sent within a second is at most what it held; it forgets it in a second at the latest.
            double keeps = now < one.endsMillis ? Math.max(one.limit, one.sent) : 0;
            AccountUse mine = use(keeps, random.nextInt(3) == 0 ? 0 : random.nextInt(600));
            AccountShare.Part part = ShareRules.share(mine, others).requests();
            one.told = use(part.held(), mine.requests().wanted());
            one.endsMillis = now + 1_000;
            one.limit = Math.min(part.held(), part.target());
            one.sent = random.nextBoolean() ? part.held() * random.nextDouble() : 0;

            double held = 0;
            for (Simulated gateway : gateways) {
                held += now < gateway.endsMillis ? gateway.told.requests().kept() : 0;
            }
            assertThat(held).as("at %s ms", now).isLessThanOrEqualTo(CEILING + 1e-6);
        }
    }

    @Test
    void three_hungry_gateways_come_to_equal_parts_in_a_few_rounds() {
        List<Simulated> gateways = List.of(new Simulated(), new Simulated(), new Simulated());
        for (int round = 0; round < 4; round++) {
            for (Simulated one : gateways) {
                List<Other> others = gateways.stream()
                        .filter(other -> other != one)
                        .map(other -> other.at(0))
                        .toList();
                AccountShare.Part part =
                        ShareRules.share(use(one.limit, 1000), others).requests();
                one.told = use(part.held(), 1000);
                one.endsMillis = 1_000;
                one.limit = Math.min(part.held(), part.target());
            }
        }
        assertThat(gateways).allSatisfy(one -> assertThat(one.limit).isCloseTo(100, within(1e-9)));
    }
}
