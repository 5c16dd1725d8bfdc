package io.headgate.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class DecimalTest {
    @Test
    void digits_with_or_without_a_minus_are_a_number() {
        assertThat(Decimal.parse("0")).isZero();
        assertThat(Decimal.parse("007")).isEqualTo(7);
        assertThat(Decimal.parse("-12")).isEqualTo(-12);
        assertThat(Decimal.parse("999999999999999999")).isEqualTo(999_999_999_999_999_999L);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "-", "+1", "--1", " 1", "1 ", "1.0", "0x1", "1e3", "\uFF11", "\u0661", "1000000000000000000"
            })
    void anything_else_is_none_not_even_other_digits_than_ascii_s(String text) {
        assertThatExceptionOfType(NumberFormatException.class).isThrownBy(() -> Decimal.parse(text));
    }
}
