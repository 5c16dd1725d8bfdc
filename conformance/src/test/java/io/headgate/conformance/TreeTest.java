package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import software.amazon.awssdk.services.s3.model.S3Object;

/** A real client carries {@link Tree} to a bucket and back: the bytes and the listing are the same. */
abstract class TreeTest extends S3Test {
    private static final Duration COMMAND_LIMIT = Duration.ofMinutes(3);

    @TempDir
    static Path shared;

    static Path tree;
    static SortedMap<String, String> digests;
    static SortedMap<String, Long> sizes;

    @TempDir
    Path out;

    String bucket;

    @BeforeAll
    static void writeTheTree() {
        tree = shared.resolve("tree");
        Tree.write(tree);
        digests = Tree.digests(tree);
        sizes = Tree.sizes(tree);
        assertThat(digests).hasSize(Tree.FILES);
    }

    @BeforeEach
    void createBucket() {
        bucket = newBucket();
    }

    /** Every object below the prefix, its size by the rest of its key. */
    final SortedMap<String, Long> stored(String prefix) {
        SortedMap<String, Long> stored = new TreeMap<>();
        for (S3Object object : s3.listObjectsV2Paginator(
                        request -> request.bucket(bucket).prefix(prefix).encodingType("url"))
                .contents()) {
            stored.put(object.key().substring(prefix.length()), object.size());
        }
        return stored;
    }

    static void assumeInstalled(String tool, String... probe) {
        List<String> command = new ArrayList<>(List.of(tool));
        command.addAll(Arrays.asList(probe));
        boolean runs;
        try {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            runs = process.waitFor(COMMAND_LIMIT.toSeconds(), TimeUnit.SECONDS) && process.exitValue() == 0;
        } catch (IOException notFound) {
            runs = false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(interrupted);
        }
        assumeTrue(runs, tool + " is not installed");
    }

    /** Runs a command that must succeed, with the endpoint's credentials in its environment; what it printed. */
    final String run(Map<String, String> environment, String... command) throws IOException, InterruptedException {
        Path output = Files.createTempFile(shared, "output", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().remove("AWS_CA_BUNDLE");
        builder.environment().remove("AWS_PROFILE");
        builder.environment()
                .putAll(Map.of(
                        "AWS_ACCESS_KEY_ID",
                        endpoint.accessKey(),
                        "AWS_SECRET_ACCESS_KEY",
                        endpoint.secretKey(),
                        "AWS_DEFAULT_REGION",
                        endpoint.region(),
                        "AWS_ENDPOINT_URL",
                        endpoint.url().toString(),
                        "AWS_EC2_METADATA_DISABLED",
                        "true",
                        "AWS_CONFIG_FILE",
                        "/dev/null",
                        "AWS_SHARED_CREDENTIALS_FILE",
                        "/dev/null"));
        builder.environment().putAll(environment);
        Process process = builder.start();
        boolean ended = process.waitFor(COMMAND_LIMIT.toSeconds(), TimeUnit.SECONDS);
        if (!ended) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        String printed = Files.readString(output, StandardCharsets.UTF_8);
        assertThat(ended)
                .as("%s ends; it printed:%n%s", List.of(command), printed)
                .isTrue();
        assertThat(process.exitValue())
                .as("%s succeeds; it printed:%n%s", List.of(command), printed)
                .isZero();
        return printed;
    }
}
