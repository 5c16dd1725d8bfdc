package io.headgate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.benchmarks.Flags.UsageException;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

class FlagsTest {
    private static final Set<String> KNOWN = Set.of("--seconds", "--out");

    @Test
    void flags_have_values_or_defaults() throws Exception {
        Flags flags = Flags.parse(List.of("--seconds", "30"), KNOWN);
        assertThat(flags.number("--seconds", 60, 3, 100)).isEqualTo(30);
        assertThat(flags.text("--out", "here")).isEqualTo("here");
    }

    @Test
    void a_flag_may_have_several_numbers() throws Exception {
        Flags flags = Flags.parse(List.of("--seconds", "3,5"), KNOWN);
        assertThat(flags.numbers("--seconds", "1", 1, 9)).containsExactly(3, 5);
        assertThat(flags.numbers("--out", "2,4", 1, 9)).containsExactly(2, 4);
        assertThatThrownBy(() -> flags.numbers("--seconds", "1", 4, 9)).hasMessage("--seconds: 3 is not from 4 to 9");
    }

    @Test
    void a_wrong_flag_is_named() {
        assertThatThrownBy(() -> Flags.parse(List.of("--second", "3"), KNOWN))
                .isInstanceOf(UsageException.class)
                .hasMessage("--second: unknown flag");
        assertThatThrownBy(() -> Flags.parse(List.of("--seconds"), KNOWN)).hasMessage("--seconds: needs a value");
        assertThatThrownBy(() -> Flags.parse(List.of("--out", "a", "--out", "b"), KNOWN))
                .hasMessage("--out: given twice");
        assertThatThrownBy(() -> Flags.parse(List.of("--seconds", "x"), KNOWN).number("--seconds", 1, 1, 9))
                .hasMessage("--seconds: not a number: x");
        assertThatThrownBy(() -> Flags.parse(List.of("--seconds", "10"), KNOWN).number("--seconds", 1, 1, 9))
                .hasMessage("--seconds: 10 is not from 1 to 9");
    }
}
