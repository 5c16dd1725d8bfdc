package io.headgate.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class JsonWriterTest {
    private static String text(JsonWriter json) {
        return new String(json.toByteArray(), StandardCharsets.UTF_8);
    }

    private static String string(String value) {
        return text(new JsonWriter(1).value(value));
    }

    @Test
    void objects_and_arrays_nest_with_their_commas() {
        JsonWriter json = new JsonWriter(4)
                .beginObject()
                .name("a")
                .beginArray()
                .value(1)
                .value(-2)
                .beginObject()
                .endObject()
                .beginArray()
                .endArray()
                .endArray()
                .name("b")
                .value(true)
                .name("c")
                .nullValue()
                .name("d")
                .thousandths(1_050)
                .endObject()
                .endLine()
                .value("next");

        assertThat(text(json)).isEqualTo("{\"a\":[1,-2,{},[]],\"b\":true,\"c\":null,\"d\":1.050}\n\"next\"");
    }

    @Test
    void strings_escape_what_json_must_not_hold() {
        assertThat(string("a\"b\\c/\n\r\t\0\u001f\u007f")).isEqualTo("\"a\\\"b\\\\c/\\n\\r\\t\\u0000\\u001f\\u007f\"");
    }

    @Test
    void strings_beyond_ascii_are_utf_8() {
        assertThat(string("é ߿ ࠀ 漢 \uFFFF 😀")).isEqualTo("\"é ߿ ࠀ 漢 \uFFFF 😀\"");
    }

    @Test
    void lone_surrogates_become_the_replacement_character() {
        assertThat(string("\uD83D")).isEqualTo("\"\uFFFD\"");
        assertThat(string("\uDE00\uD83D")).isEqualTo("\"\uFFFD\uFFFD\"");
        assertThat(string("a\uD83Db")).isEqualTo("\"a\uFFFDb\"");
        assertThat(string("\uD83D\uD83D\uDE00")).isEqualTo("\"\uFFFD😀\"");
    }

    @Test
    void any_string_comes_out_as_well_formed_utf_8_of_itself() {
        Random random = new Random(42);
        for (int round = 0; round < 2_000; round++) {
            String any = random.ints(random.nextInt(40), 0x20, 0x10000)
                    .filter(c -> c != '"' && c != '\\' && c != 0x7F)
                    .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                    .toString();
            String wellFormed = new String(any.getBytes(StandardCharsets.UTF_16BE), StandardCharsets.UTF_16BE);
            assertThat(string(any)).isEqualTo("\"" + wellFormed + "\"");
        }
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                0,
                9,
                10,
                99,
                100,
                -1,
                Long.MAX_VALUE,
                Long.MIN_VALUE,
                1_000_000_000_000_000_000L,
                999_999_999_999_999_999L
            })
    void numbers_are_written_whole(long number) {
        assertThat(text(new JsonWriter(1).value(number))).isEqualTo(Long.toString(number));
    }

    @Test
    void instants_are_written_as_the_calendar_has_them() {
        DateTimeFormatter expected =
                DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSS'Z'").withZone(ZoneOffset.UTC);
        Random random = new Random(7);
        long end = Instant.parse("9999-12-31T23:59:59.999Z").toEpochMilli();
        for (int round = 0; round < 20_000; round++) {
            long millis = round == 0 ? 0 : round == 1 ? end : random.nextLong(end);
            assertThat(text(new JsonWriter(32).instant(millis)))
                    .isEqualTo("\"" + expected.format(Instant.ofEpochMilli(millis)) + "\"");
        }
        for (String day :
                new String[] {"2024-02-29", "2100-02-28", "2100-03-01", "2000-02-29", "2026-12-31", "2027-01-01"}) {
            assertThat(text(new JsonWriter(32)
                            .instant(Instant.parse(day + "T23:59:59.999Z").toEpochMilli())))
                    .isEqualTo("\"" + day + "T23:59:59.999Z\"");
        }
    }
}
