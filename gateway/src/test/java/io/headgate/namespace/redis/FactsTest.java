package io.headgate.namespace.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is seen of many subjects comes together, in memory or not. */
final class FactsTest {
    /** More than are held in memory. */
    private static final int SUBJECTS = 150_000;

    private static Facts.Subject subject(int number) {
        return new Facts.Subject(Facts.BLOB, number * 0x9E3779B97F4A7C15L, number);
    }

    private static byte[] name(int number) {
        return ByteBuffer.allocate(16).putInt(number).array();
    }

    @Test
    void each_subject_is_met_once_with_all_facts_of_it_in_the_order_of_their_kinds() {
        Set<Facts.Subject> met = new HashSet<>();
        try (Facts facts = new Facts()) {
            for (int i = 0; i < SUBJECTS; i++) {
                facts.add(subject(i), 'b', name(i), 2L * i);
            }
            for (int i = 0; i < SUBJECTS; i++) {
                facts.add(subject(i), 'a', name(-i), 0);
            }
            facts.each((subject, all) -> {
                int number = (int) subject.low();
                assertThat(met.add(subject)).isTrue();
                assertThat(subject).isEqualTo(subject(number));
                assertThat(all).hasSize(2);
                assertThat(all.get(0).kind()).isEqualTo((byte) 'a');
                assertThat(all.get(1).name()).isEqualTo(name(number));
                assertThat(all.get(1).number()).isEqualTo(2L * number);
            });
        }
        assertThat(met).hasSize(SUBJECTS);
    }

    @Test
    void facts_of_others_than_those_that_are_wanted_are_not_kept() {
        try (Facts facts = new Facts(Set.of(subject(1)))) {
            facts.add(subject(1), 'a', name(1), 1);
            facts.add(subject(2), 'a', name(2), 2);
            Set<Facts.Subject> met = new HashSet<>();
            facts.each((subject, all) -> met.add(subject));
            assertThat(met).containsExactly(subject(1));
        }
    }
}
