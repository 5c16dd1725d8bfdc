package io.headgate.app.config;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/**
 * Holds {@code docs/configuration.md} to the schema. After a change of a setting, write the tables anew with {@code mvn -pl gateway
 * test -Dtest=ConfigurationReferenceTest -Dheadgate.writeReference=true}.
 */
final class ConfigurationReferenceTest {
    private static final Path REFERENCE = Path.of("../docs/configuration.md");
    private static final String BEGIN = "<!-- The tables below are held to the code by a test. -->\n";

    @Test
    void the_reference_lists_exactly_the_keys_of_the_schema() throws IOException {
        String reference = Files.readString(REFERENCE);
        int begin = reference.indexOf(BEGIN) + BEGIN.length();
        if (Boolean.getBoolean("headgate.writeReference")) {
            Files.writeString(REFERENCE, reference.substring(0, begin) + tables());
            reference = Files.readString(REFERENCE);
        }
        assertThat(reference).contains(BEGIN);
        assertThat(reference.substring(begin)).isEqualTo(tables());
    }

    @Test
    void every_default_is_a_value_that_could_be_written() {
        for (Setting<?> setting : Settings.ALL) {
            if (setting.defaultText() != null) {
                assertThat(setting.type().parser().apply(setting.defaultText()))
                        .as(setting.key())
                        .isNotNull();
            }
        }
    }

    @Test
    void no_two_keys_share_a_name_or_a_variable() {
        Set<String> keys = new HashSet<>();
        Set<String> variables = new HashSet<>();
        for (Setting<?> setting : Settings.ALL) {
            assertThat(keys.add(setting.key())).as(setting.key()).isTrue();
            if (!setting.inList()) {
                assertThat(variables.add(setting.environmentVariable()))
                        .as(setting.key())
                        .isTrue();
            }
        }
    }

    private static String tables() {
        Map<String, List<Setting<?>>> sections = Settings.ALL.stream()
                .collect(groupingBy(ConfigurationReferenceTest::section, LinkedHashMap::new, Collectors.toList()));
        return sections.entrySet().stream()
                .map(section -> "\n## " + section.getKey() + "\n\n"
                        + "| key | environment | value | default | meaning |\n|---|---|---|---|---|\n"
                        + section.getValue().stream()
                                .map(ConfigurationReferenceTest::row)
                                .collect(joining()))
                .collect(joining());
    }

    private static String section(Setting<?> setting) {
        int end = setting.key().indexOf(setting.inList() ? '[' : '.');
        return end < 0 ? "General" : "`" + setting.key().substring(0, end) + "`";
    }

    private static String row(Setting<?> setting) {
        String shownDefault =
                setting.defaultText() != null ? "`" + setting.defaultText() + "`" : setting.absentMeaning();
        String variable = "`" + ConfigLoader.variableOf(setting) + "`" + (setting.inList() ? " (JSON list)" : "");
        return "| `%s` | %s | %s | %s | %s |\n"
                .formatted(setting.key(), variable, setting.type().name(), shownDefault, setting.meaning());
    }
}
