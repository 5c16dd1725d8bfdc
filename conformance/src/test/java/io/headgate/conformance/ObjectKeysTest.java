package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;

/** Keys are bytes of UTF-8 and nothing else: no path is ever normalized, no character is special. */
class ObjectKeysTest extends S3Test {

    private static final List<String> ODD_KEYS = List.of(
            "plain",
            "a/b/c.txt",
            "trailing/slash/",
            "/leading",
            "//two-leading",
            "a//b",
            "a///",
            "/",
            "//",
            ".",
            "..",
            "./a",
            "../a",
            "a/./b",
            "a/../b",
            "a/..",
            "with space",
            " leading and trailing ",
            "plus+plus",
            "percent%percent",
            "%2F",
            "a%2Fb",
            "%20",
            "100%25",
            "question?mark",
            "hash#tag",
            "am&per=sand;semi:colon,comma",
            "quotes'and\"quotes",
            "<xml>&amp;</xml>",
            "back\\slash",
            "(brackets)[brackets]{braces}",
            "*!~$@^|`",
            "tab\tin key",
            "new\nline",
            "carriage\rreturn",
            "control\u0001\u001f\u007f",
            "ünïcödé",
            "decomposed-e\u0301",
            "日本語/キー",
            "emoji-😀/👩‍👩‍👧",
            "right-to-left-שלום",
            "\ufffd-replacement",
            "\uffff-last-of-the-plane",
            "\uD800\uDC00-first-astral");

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void every_odd_key_round_trips_and_is_an_object_of_its_own(ClientKind kind) {
        S3Client client = kind.client();
        String bucket = newBucket();

        for (String key : ODD_KEYS) {
            client.putObject(request -> request.bucket(bucket).key(key), RequestBody.fromString("body of " + key));
        }

        for (String key : ODD_KEYS) {
            assertThat(client.getObjectAsBytes(request -> request.bucket(bucket).key(key))
                            .asUtf8String())
                    .isEqualTo("body of " + key);
            assertThat(client.headObject(request -> request.bucket(bucket).key(key))
                            .contentLength())
                    .isEqualTo(("body of " + key).getBytes(StandardCharsets.UTF_8).length);
        }
        assertThat(keys(bucket)).containsExactlyElementsOf(inByteOrder(ODD_KEYS));
        for (String key : ODD_KEYS) {
            client.deleteObject(request -> request.bucket(bucket).key(key));
        }
        assertThat(keys(bucket)).isEmpty();
    }

    private static List<String> inByteOrder(List<String> keys) {
        List<String> sorted = new ArrayList<>(keys);
        sorted.sort(Comparator.comparing(key -> key.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned));
        return sorted;
    }

    static Stream<Arguments> spellings() {
        return Stream.of(
                Arguments.of("a%2Fb", "a/b"),
                Arguments.of("a%2fb", "a/b"),
                Arguments.of("%61%62", "ab"),
                Arguments.of("a+b", "a+b"),
                Arguments.of("a%2Bb", "a+b"),
                Arguments.of("a%20b", "a b"),
                Arguments.of("a%252Fb", "a%2Fb"),
                Arguments.of("caf%c3%a9", "café"),
                Arguments.of("a/../b", "a/../b"),
                Arguments.of("%2E%2E/%2e", "../."),
                Arguments.of("a;v=1", "a;v=1"),
                Arguments.of("(it's)!*", "(it's)!*"),
                Arguments.of("%3Fversions", "?versions"));
    }

    @ParameterizedTest
    @MethodSource("spellings")
    void a_key_is_what_its_spelling_in_the_target_decodes_to_once(String spelling, String key) {
        String bucket = newBucket();

        RawConnection.send(
                        endpoint,
                        signedWithCanonicalPath(
                                RawRequest.of("PUT", "/" + bucket + "/" + spelling), "/" + bucket + "/" + key))
                .assertStatus(200);

        assertThat(keys(bucket)).containsExactly(key);
    }

    /** Signed for the path as S3 writes it canonically, and sent with another spelling of the same path. */
    private RawRequest signedWithCanonicalPath(RawRequest sent, String decodedPath) {
        RawRequest canonical = sent.withTarget(Signer.encodePath(decodedPath)).withBody("x");
        return Signer.of(endpoint).sign(canonical).withTarget(sent.target());
    }

    @Test
    void a_key_of_1024_bytes_is_taken_and_one_of_1025_refused() {
        String bucket = newBucket();
        String longest = "é".repeat(511) + "ab";
        assertThat(longest.getBytes(StandardCharsets.UTF_8)).hasSize(1024);

        put(bucket, longest, "x");

        assertThat(getString(bucket, longest)).isEqualTo("x");
        assertThat(keys(bucket)).containsExactly(longest);
        assertRefused(400, "KeyTooLongError", () -> put(bucket, longest + "c", "x"));
        assertRefused(400, "KeyTooLongError", () -> put(bucket, "k".repeat(1025), "x"));
    }

    @Test
    void a_target_that_cannot_be_decoded_is_refused() {
        String bucket = newBucket();

        for (String spelling : List.of("%zz", "%", "a%2", "%ff%fe", "%c3")) {
            RawResponse refused = RawConnection.send(
                    endpoint, Signer.of(endpoint).sign(RawRequest.of("GET", "/" + bucket + "/" + spelling)));
            assertThat(refused.status()).as("%s: %s", spelling, refused).isEqualTo(400);
        }
        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void an_object_and_a_folder_of_the_same_name_live_beside_each_other() {
        String bucket = newBucket();

        put(bucket, "a", "object");
        put(bucket, "a/", "folder");
        put(bucket, "a/b", "object again");
        put(bucket, "a/b/c", "below an object");

        assertThat(keys(bucket)).containsExactly("a", "a/", "a/b", "a/b/c");
        assertThat(getString(bucket, "a")).isEqualTo("object");
        assertThat(getString(bucket, "a/")).isEqualTo("folder");
        assertThat(getString(bucket, "a/b/c")).isEqualTo("below an object");
    }

    @Test
    void keys_that_differ_in_case_or_normal_form_are_different_objects() {
        String bucket = newBucket();

        put(bucket, "Key", "upper");
        put(bucket, "key", "lower");
        put(bucket, "é", "composed");
        put(bucket, "e\u0301", "decomposed");

        assertThat(getString(bucket, "Key")).isEqualTo("upper");
        assertThat(getString(bucket, "key")).isEqualTo("lower");
        assertThat(getString(bucket, "é")).isEqualTo("composed");
        assertThat(getString(bucket, "e\u0301")).isEqualTo("decomposed");
    }
}
