package io.headgate.namespace.sql;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Kills a writing process, again and again, and looks at what it left. */
final class SqliteCrashTest {
    private static final int ROUNDS = 4;
    private static final int ACKNOWLEDGED_A_ROUND = 1_500;

    @TempDir
    Path directory;

    @Test
    void every_acknowledged_put_survives_a_killed_process() throws Exception {
        Path file = directory.resolve("namespace.db");
        Map<String, Long> acknowledged = new HashMap<>();
        for (int round = 0; round < ROUNDS; round++) {
            killWhileWriting(file, round * 1_000_000L, acknowledged);

            try (Namespace namespace = SqliteNamespace.open(file, InstantSource.system(), SqliteOptions.defaults())) {
                Tables.check(file);
                acknowledged.forEach((key, number) -> assertThat(numberOf(namespace, key))
                        .as("a put of %s that was acknowledged, or a later one", key)
                        .isGreaterThanOrEqualTo(number));
            }
        }
    }

    private static long numberOf(Namespace namespace, String key) {
        return switch (namespace.currentVersion(CrashingWriter.BUCKET, new ObjectKey(key))) {
            case Outcome.Done<ObjectVersion>(ObjectVersion version) ->
                UUID.fromString(version.writeId()).getLeastSignificantBits();
            case Outcome.Refused<ObjectVersion> lost -> -1;
        };
    }

    private static void killWhileWriting(Path file, long firstNumber, Map<String, Long> acknowledged)
            throws IOException, InterruptedException {
        Process writer = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "--enable-native-access=ALL-UNNAMED",
                        "-Xmx128m",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        CrashingWriter.class.getName(),
                        file.toString(),
                        Long.toString(firstNumber))
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        try (BufferedReader lines = writer.inputReader(StandardCharsets.UTF_8)) {
            for (int i = 0; i < ACKNOWLEDGED_A_ROUND; i++) {
                String[] line = lines.readLine().split(" ");
                acknowledged.merge(line[0], Long.valueOf(line[1]), Math::max);
            }
            writer.destroyForcibly().waitFor();
        }
    }
}
