package io.headgate.s3.form;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.domain.BlockInputStream;
import io.headgate.s3.S3BodyException;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Random;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class FormTest {
    private static final String TYPE = "multipart/form-data; boundary=xyz";
    private static final LengthRange ANY = new LengthRange(0, Long.MAX_VALUE);

    private static String part(String disposition, String content) {
        return "--xyz\r\nContent-Disposition: form-data; " + disposition + "\r\n\r\n" + content + "\r\n";
    }

    private static String field(String name, String value) {
        return part("name=\"" + name + "\"", value);
    }

    private static String file(String content) {
        return part("name=\"file\"; filename=\"a.txt\"", content);
    }

    private static InputStream body(String text) {
        return new ByteArrayInputStream(text.getBytes(UTF_8));
    }

    private static Form read(String body) throws IOException {
        return Form.read(body(body), TYPE);
    }

    private static String text(Form form) throws IOException {
        return new String(form.file(ANY).readAllBytes(), UTF_8);
    }

    private static Consumer<Throwable> is(S3Error error) {
        return failure -> {
            S3Error actual = failure instanceof S3BodyException body
                    ? body.error()
                    : failure instanceof S3Exception answer ? answer.error() : null;
            assertThat(actual).as("%s", failure).isEqualTo(error);
        };
    }

    private static void refused(S3Error error, ThrowingCallable call) {
        assertThatThrownBy(call).satisfies(is(error));
    }

    @Test
    void a_form_has_the_fields_before_its_file_and_the_file() throws IOException {
        Form form = read(field("Key", "a/b") + field("X-Amz-Meta-Colour", "grün") + file("hello") + "--xyz--\r\n");

        assertThat(form.fields()).containsExactly(Map.entry("key", "a/b"), Map.entry("x-amz-meta-colour", "grün"));
        assertThat(text(form)).isEqualTo("hello");
    }

    @Test
    void what_follows_the_file_means_nothing() throws IOException {
        Form form = read(file("hello") + field("key", "late") + field("submit", "Upload") + "--xyz--\r\n");

        assertThat(form.fields()).isEmpty();
        assertThat(text(form)).isEqualTo("hello");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\r\n", "\r\n--xy", "--xyz", "\n--xyz\n", "a\r\n\r\n-", "\r\r\n--xy\r\n--xYz\r\n"})
    void a_file_that_looks_almost_like_a_boundary_is_kept(String content) throws IOException {
        assertThat(text(read(file(content) + "--xyz--"))).isEqualTo(content);
    }

    @Test
    void a_preamble_and_an_epilogue_and_white_space_behind_a_boundary_are_passed_over() throws IOException {
        String body = "preamble\r\n" + file("x").replaceFirst("--xyz\r\n", "--xyz \t\r\n") + "--xyz--\r\nepilogue";

        assertThat(text(read(body))).isEqualTo("x");
    }

    @Test
    void a_form_without_a_file_is_refused_as_S3_does() {
        assertThatThrownBy(() -> read(field("key", "k") + "--xyz--\r\n"))
                .satisfies(is(S3Error.INVALID_ARGUMENT))
                .hasMessage("POST requires exactly one file upload per request");
    }

    @Test
    void a_field_that_comes_twice_is_refused_lest_one_is_checked_and_the_other_used() {
        refused(S3Error.INVALID_ARGUMENT, () -> read(field("key", "a") + field("KEY", "b") + file("x") + "--xyz--"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "no boundary at all",
                "--xyz",
                "--xyz\r\n",
                "--xyzzy\r\n",
                "--xyz\r\nContent-Disposition: form-data; name=\"key\"\r\n",
                "--xyz\r\nContent-Disposition: form-data; name=\"key\"\r\n\r\nvalue",
                "--xyz\r\nContent-Disposition: form-data\r\n\r\nvalue\r\n--xyz--",
                "--xyz\r\nContent-Disposition: attachment; name=\"key\"\r\n\r\nvalue\r\n--xyz--",
                "--xyz\r\n\r\nvalue\r\n--xyz--",
                "--xyz\r\nno colon\r\n\r\nvalue\r\n--xyz--"
            })
    void a_body_that_is_no_form_is_refused(String body) {
        refused(S3Error.MALFORMED_POST_REQUEST, () -> read(body));
    }

    @Test
    void a_file_that_breaks_off_before_the_boundary_is_never_taken_for_whole() throws IOException {
        String whole = file("hello") + "--xyz--";
        for (int length = whole.indexOf("hello"); length < whole.length(); length++) {
            Form form = read(whole.substring(0, length));

            refused(S3Error.MALFORMED_POST_REQUEST, () -> text(form));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"application/x-www-form-urlencoded", "", "text/plain; boundary=xyz"})
    void another_type_of_body_is_refused(String type) {
        refused(S3Error.PRECONDITION_FAILED, () -> Form.read(body(file("x")), type));
    }

    @Test
    void a_boundary_must_be_there_and_short() {
        refused(S3Error.MALFORMED_POST_REQUEST, () -> Form.read(body(file("x")), "multipart/form-data"));
        refused(
                S3Error.MALFORMED_POST_REQUEST,
                () -> Form.read(body(file("x")), "multipart/form-data; boundary=" + "x".repeat(71)));
    }

    @Test
    void what_is_before_the_file_is_bounded_wherever_it_is_long() {
        String much = "x".repeat(Form.MAX_FIELDS_BYTES);

        refused(S3Error.MAX_POST_PRE_DATA_LENGTH, () -> read(field("key", much) + file("x") + "--xyz--"));
        refused(S3Error.MAX_POST_PRE_DATA_LENGTH, () -> read(field(much, "v") + file("x") + "--xyz--"));
        refused(S3Error.MAX_POST_PRE_DATA_LENGTH, () -> read(much + "\r\n" + file("x") + "--xyz--"));
        refused(
                S3Error.MAX_POST_PRE_DATA_LENGTH,
                () -> read(file("x").replace("\r\n\r\n", "\r\nX: " + much + "\r\n\r\n")));
        refused(S3Error.MAX_POST_PRE_DATA_LENGTH, () -> Form.read(new Endless(), TYPE));
    }

    /** A boundary, then line ends for ever. */
    private static final class Endless extends BlockInputStream {
        @Override
        public int read(byte[] bytes, int offset, int length) {
            for (int i = 0; i < length; i++) {
                bytes[offset + i] = (byte) '\r';
            }
            return length;
        }
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '~',
            value = {
                "filename=\"cat.jpg\", cat.jpg",
                "filename=cat.jpg, cat.jpg",
                "filename=\"a \\\"big\\\" cat; black.jpg\", a \"big\" cat; black.jpg",
                "filename=\"C:\\pictures\\cat.jpg\", cat.jpg",
                "filename=\"/home/me/cat.jpg\", cat.jpg",
                "filename=\"?\"; filename*=UTF-8''k%C3%A4tzchen.jpg, kätzchen.jpg",
                "x; filename=\"kätzchen.jpg\", kätzchen.jpg",
                "filename=\"\", ~~"
            })
    void the_name_of_the_file_takes_its_place_in_other_fields(String parameters, String name) throws IOException {
        Form form = read(field("key", "in/${filename}")
                + field("policy", "${filename}")
                + part("name=\"file\"; " + parameters, "x")
                + "--xyz--");

        assertThat(form.field("key")).contains("in/" + name);
        assertThat(form.field("policy")).as("as it was signed").contains("${filename}");
    }

    @Test
    void a_name_with_quotes_inside_is_read_to_its_end() throws IOException {
        Form form = read(part("name=\"x-\\\"a\\\"; name=b\"", "1") + file("x") + "--xyz--");

        assertThat(form.fields()).containsOnlyKeys("x-\"a\"; name=b");
    }

    @Test
    void a_file_is_as_long_as_it_may_be() throws IOException {
        String body = file("hello") + "--xyz--";
        assertThat(read(body).file(new LengthRange(5, 5)).readAllBytes()).hasSize(5);
        refused(
                S3Error.ENTITY_TOO_LARGE,
                () -> read(body).file(new LengthRange(0, 4)).readAllBytes());
        refused(
                S3Error.ENTITY_TOO_SMALL,
                () -> read(body).file(new LengthRange(6, 9)).readAllBytes());
        InputStream tooLarge = read(body).file(new LengthRange(0, 0));
        refused(S3Error.ENTITY_TOO_LARGE, tooLarge::readAllBytes);
        refused(S3Error.ENTITY_TOO_LARGE, tooLarge::readAllBytes);
    }

    @Test
    void the_likely_length_is_right_when_the_file_is_last() throws IOException {
        String body = field("key", "k") + file("hello") + "--xyz--\r\n";

        assertThat(read(body).likelyFileBytes(body.length())).isEqualTo(5);
    }

    /** A source that gives a few bytes a read, as sockets do. */
    private static final class Dribble extends BlockInputStream {
        private final ByteArrayInputStream all;
        private final Random random;

        Dribble(byte[] all, Random random) {
            this.all = new ByteArrayInputStream(all);
            this.random = random;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) {
            int most = random.nextInt(4) == 0 ? 20_000 : 1 + random.nextInt(9);
            return all.read(bytes, offset, Math.min(length, most));
        }
    }

    @Test
    void any_file_comes_out_as_it_went_in_however_the_reads_split_it() throws IOException {
        for (int seed = 0; seed < 300; seed++) {
            Random random = new Random(seed);
            byte[] content = almostBoundaries(random);
            ByteArrayOutputStream body = new ByteArrayOutputStream();
            body.writeBytes(field("key", "k").getBytes(UTF_8));
            body.writeBytes(file("").replaceFirst("\r\n$", "").getBytes(UTF_8));
            body.writeBytes(content);
            body.writeBytes("\r\n--xyz--\r\n".getBytes(UTF_8));

            InputStream file =
                    Form.read(new Dribble(body.toByteArray(), random), TYPE).file(ANY);
            ByteArrayOutputStream got = new ByteArrayOutputStream();
            byte[] some = new byte[1 + random.nextInt(3000)];
            for (int count = file.read(some); count >= 0; count = file.read(some)) {
                got.write(some, 0, count);
            }

            assertThat(got.toByteArray()).as("seed %s", seed).isEqualTo(content);
        }
    }

    /** Random bytes, and much that begins like a boundary and is none. */
    private static byte[] almostBoundaries(Random random) {
        String boundary = "\r\n--xyz";
        ByteArrayOutputStream content = new ByteArrayOutputStream();
        int pieces = random.nextInt(60);
        for (int i = 0; i < pieces; i++) {
            byte[] bytes = new byte[random.nextInt(400)];
            random.nextBytes(bytes);
            content.writeBytes(bytes);
            content.writeBytes(
                    boundary.substring(0, random.nextInt(boundary.length())).getBytes(UTF_8));
        }
        // what chance has made a boundary would rightly end the file
        return content.toString(ISO_8859_1).replace(boundary, "").getBytes(ISO_8859_1);
    }
}
