package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** aws-cli's file commands. */
@Tag("clients")
class AwsCliTest extends TreeTest {

    @BeforeAll
    static void findAwsCli() {
        assumeInstalled("aws", "--version");
    }

    private String aws(String... arguments) throws Exception {
        String[] command = new String[arguments.length + 2];
        command[0] = "aws";
        command[1] = "s3";
        System.arraycopy(arguments, 0, command, 2, arguments.length);
        return run(Map.of(), command);
    }

    private String url(String prefix) {
        return "s3://" + bucket + "/" + prefix;
    }

    @Test
    void a_tree_round_trips_with_cp_and_sync_and_is_removed() throws Exception {
        aws("cp", "--recursive", "--quiet", tree.toString(), url("tree"));
        assertThat(stored("tree/")).isEqualTo(sizes);

        aws("sync", "--quiet", url("tree"), out.toString());
        assertThat(Tree.digests(out)).isEqualTo(digests);

        assertThat(aws("sync", "--size-only", tree.toString(), url("tree")))
                .as("nothing is left to do")
                .isBlank();
        String listed = aws("ls", "--recursive", "--summarize", url("tree/"));
        assertThat(listed).contains("Total Objects: " + Tree.FILES);

        aws("rm", "--recursive", "--quiet", url("tree"));
        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void a_sync_carries_over_just_what_changed() throws Exception {
        Path folder = Files.createDirectories(out.resolve("folder"));
        Files.writeString(folder.resolve("same"), "same");
        Files.writeString(folder.resolve("changed"), "before");
        Files.writeString(folder.resolve("removed"), "removed");
        aws("sync", "--quiet", folder.toString(), url("folder"));

        Files.writeString(folder.resolve("changed"), "afterwards");
        Files.writeString(folder.resolve("added"), "added");
        Files.delete(folder.resolve("removed"));
        String said = aws("sync", "--delete", "--no-progress", folder.toString(), url("folder"));

        assertThat(said.lines()).hasSize(3);
        assertThat(stored("folder/")).isEqualTo(new TreeMap<>(Map.of("same", 4L, "changed", 10L, "added", 5L)));
        assertThat(getString(bucket, "folder/changed")).isEqualTo("afterwards");
    }

    @Test
    void a_folder_of_odd_names_and_one_of_odd_sizes_are_moved_within_and_out_of_the_bucket() throws Exception {
        aws("cp", "--recursive", "--quiet", tree.resolve("odd").toString(), url("from/odd"));
        aws("cp", "--recursive", "--quiet", tree.resolve("sizes").toString(), url("from/sizes"));

        aws("mv", "--recursive", "--quiet", url("from"), url("to"));
        assertThat(stored("from/")).isEmpty();
        assertThat(stored("to/odd/")).isEqualTo(Tree.sizes(tree.resolve("odd")));

        aws("mv", "--recursive", "--quiet", url("to"), out.toString());
        assertThat(keys(bucket)).isEmpty();
        SortedMap<String, String> expected = new TreeMap<>(Tree.digests(tree));
        expected.keySet().removeIf(name -> !name.startsWith("odd/") && !name.startsWith("sizes/"));
        assertThat(Tree.digests(out)).isEqualTo(expected);
    }

    @Test
    void a_presigned_url_gives_the_object_to_anyone() throws Exception {
        put(bucket, "a folder/ü+%.txt", "content");

        // In us-east-1 aws-cli still presigns with signature version 2 unless it is told otherwise.
        Path config = Files.writeString(out.resolve("config"), "[default]\ns3 =\n    signature_version = s3v4\n");
        String url = run(Map.of("AWS_CONFIG_FILE", config.toString()), "aws", "s3", "presign", url("a folder/ü+%.txt"))
                .strip();

        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> response =
                    client.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
            assertThat(response.statusCode()).isEqualTo(200);
            assertThat(response.body()).isEqualTo("content");
        }
    }
}
