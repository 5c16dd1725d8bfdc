package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** rclone. */
@Tag("clients")
class RcloneTest extends TreeTest {

    @BeforeAll
    static void findRclone() {
        assumeInstalled("rclone", "version");
    }

    private String rclone(String... arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                "rclone",
                "--config=",
                "--retries=1",
                "--low-level-retries=1",
                "--transfers=8",
                "--s3-upload-cutoff=8M",
                "--s3-chunk-size=5M"));
        command.addAll(List.of(arguments));
        return run(
                Map.of(
                        "RCLONE_CONFIG_HEADGATE_TYPE",
                        "s3",
                        "RCLONE_CONFIG_HEADGATE_PROVIDER",
                        "Other",
                        "RCLONE_CONFIG_HEADGATE_ENV_AUTH",
                        "true",
                        "RCLONE_CONFIG_HEADGATE_ENDPOINT",
                        endpoint.url().toString(),
                        "RCLONE_CONFIG_HEADGATE_REGION",
                        endpoint.region()),
                command.toArray(String[]::new));
    }

    private String remote(String path) {
        return "headgate:" + bucket + "/" + path;
    }

    @Test
    void a_tree_round_trips_with_copy_check_and_lsf() throws Exception {
        rclone("copy", tree.toString(), remote("tree"));
        assertThat(stored("tree/")).isEqualTo(sizes);

        rclone("check", tree.toString(), remote("tree"));
        assertThat(rclone("lsf", "-R", "--files-only", remote("tree")).lines())
                .filteredOn(line -> !line.contains("NOTICE"))
                .containsExactlyInAnyOrderElementsOf(sizes.keySet());
        assertThat(rclone("lsf", remote("tree")).lines())
                .filteredOn(line -> !line.contains("NOTICE"))
                .containsExactlyInAnyOrder("deep/", "odd names in folders/", "odd/", "sizes/", "src/");

        rclone("copy", remote("tree"), out.toString());
        assertThat(Tree.digests(out)).isEqualTo(digests);

        rclone("moveto", remote("tree/odd"), remote("moved"));
        assertThat(stored("moved/")).isEqualTo(Tree.sizes(tree.resolve("odd")));
        assertThat(stored("tree/odd/")).isEmpty();

        rclone("delete", remote(""));
        assertThat(keys(bucket)).isEmpty();
    }
}
