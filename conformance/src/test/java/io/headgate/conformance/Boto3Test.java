package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** boto3's transfer manager, driven by {@code boto3_tree.py}. */
@Tag("clients")
class Boto3Test extends TreeTest {
    private static final String SCRIPT =
            Path.of("src", "test", "python", "boto3_tree.py").toAbsolutePath().toString();

    @BeforeAll
    static void findBoto3() {
        assumeInstalled("python3", "-c", "import boto3");
    }

    private String boto3(String action, String... arguments) throws Exception {
        String[] command = new String[arguments.length + 4];
        command[0] = "python3";
        command[1] = SCRIPT;
        command[2] = action;
        command[3] = bucket;
        System.arraycopy(arguments, 0, command, 4, arguments.length);
        return run(Map.of(), command);
    }

    @Test
    void a_tree_round_trips_with_the_transfer_manager() throws Exception {
        boto3("upload", tree.toString(), "tree/");
        assertThat(stored("tree/")).isEqualTo(sizes);

        boto3("copy", "tree/sizes/", "copies/");
        assertThat(stored("copies/")).isEqualTo(Tree.sizes(tree.resolve("sizes")));

        boto3("download", "tree/", out.resolve("tree").toString());
        boto3("download", "copies/", out.resolve("copies").toString());
        assertThat(Tree.digests(out.resolve("tree"))).isEqualTo(digests);
        assertThat(Tree.digests(out.resolve("copies"))).isEqualTo(Tree.digests(tree.resolve("sizes")));

        boto3("delete", "");
        assertThat(keys(bucket)).isEmpty();
    }
}
