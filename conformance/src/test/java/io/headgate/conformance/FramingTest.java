package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.EOFException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** HTTP itself: where a request ends, what waits for a 100, and what is never taken for the next request. */
class FramingTest extends S3Test {
    private String bucket;
    private Signer signer;

    @BeforeEach
    void createBucket() {
        bucket = newBucket();
        signer = Signer.of(endpoint);
    }

    private RawRequest put(String key) {
        return RawRequest.of("PUT", "/" + bucket + "/" + key);
    }

    @Test
    void many_requests_share_a_connection() {
        try (RawConnection connection = RawConnection.open(endpoint)) {
            for (int i = 0; i < 5; i++) {
                connection.write(signer.sign(put("key-" + i).withBody("body " + i)));
                connection.read("PUT").assertStatus(200);
                connection.write(signer.sign(RawRequest.of("GET", "/" + bucket + "/key-" + i)));
                assertThat(connection.read("GET").text()).isEqualTo("body " + i);
                connection.write(signer.sign(RawRequest.of("HEAD", "/" + bucket + "/key-" + i)));
                connection.read("HEAD").assertStatus(200);
                connection.write(signer.sign(RawRequest.of("GET", "/" + bucket + "/missing")));
                connection.read("GET").assertError(404, "NoSuchKey");
                connection.write(signer.sign(RawRequest.of("HEAD", "/" + bucket + "/missing")));
                connection.read("HEAD").assertStatus(404);
            }
        }
    }

    @Test
    void pipelined_requests_are_answered_in_order() {
        put(bucket, "a", "first");
        put(bucket, "b", "second");
        try (RawConnection connection = RawConnection.open(endpoint)) {
            connection.write(signer.sign(RawRequest.of("GET", "/" + bucket + "/a")));
            connection.write(signer.sign(RawRequest.of("GET", "/" + bucket + "/b")));

            assertThat(connection.read("GET").text()).isEqualTo("first");
            assertThat(connection.read("GET").text()).isEqualTo("second");
        }
    }

    @Test
    void a_body_with_both_a_length_and_a_transfer_coding_is_refused() {
        RawRequest request =
                signer.sign(put("key").withBody("0\r\n\r\n"), Signer.UNSIGNED).with("Transfer-Encoding", "chunked");

        try (RawConnection connection = RawConnection.open(endpoint)) {
            connection.write(request);
            connection.read("PUT").assertStatus(400);
            assertThat(connection.isClosedByServer()).isTrue();
        }
        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void a_body_with_two_lengths_is_refused() {
        RawRequest request =
                signer.sign(put("key").withBody("12345"), Signer.UNSIGNED).with("Content-Length", "3");

        try (RawConnection connection = RawConnection.open(endpoint)) {
            connection.write(request);
            connection.read("PUT").assertStatus(400);
            assertThat(connection.isClosedByServer()).isTrue();
        }
        assertThat(keys(bucket)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1", "five", "99999999999999999999", "5, 5x"})
    void a_length_that_is_none_is_refused(String length) {
        RawRequest request = signer.sign(put("key"), Signer.UNSIGNED)
                .with("Content-Length", length)
                .withUnframedBody("12345".getBytes(StandardCharsets.US_ASCII));

        RawResponse refused = RawConnection.send(endpoint, request);

        assertThat(refused.status()).as("%s", refused).isIn(400, 411);
        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void a_put_without_a_length_is_refused() {
        RawConnection.send(endpoint, signer.sign(put("key"), Signer.UNSIGNED)).assertError(411, "MissingContentLength");

        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void an_object_larger_than_five_gibibytes_is_refused_before_its_body() {
        RawRequest request = signer.sign(
                put("key")
                        .with("Content-Length", Long.toString(5L * 1024 * MIB + 1))
                        .with("Expect", "100-continue"),
                Signer.UNSIGNED);

        RawConnection.send(endpoint, request).assertError(400, "EntityTooLarge");
    }

    @Test
    void a_body_is_asked_for_with_100_continue() {
        RawRequest request =
                signer.sign(put("key").withBody("content"), Signer.UNSIGNED).with("Expect", "100-continue");

        try (RawConnection connection = RawConnection.open(endpoint)) {
            connection.write(request.head());
            assertThat(connection.readAny("PUT").status()).isEqualTo(100);
            connection.write(request.body());
            connection.read("PUT").assertStatus(200);
        }
        assertThat(getString(bucket, "key")).isEqualTo("content");
    }

    private void assertRefusedWithout100(int status, String code, RawRequest request) {
        try (RawConnection connection = RawConnection.open(endpoint)) {
            connection.write(request.with("Expect", "100-continue").head());
            connection.readAny(request.method()).assertError(status, code);
        }
    }

    @Test
    void a_refusal_that_needs_no_body_asks_for_none() {
        put(bucket, "taken", "as it was");
        RawRequest body = put("key").withBody("content");

        assertRefusedWithout100(
                403, "SignatureDoesNotMatch", signer.withSecretKey("wrong").sign(body));
        assertRefusedWithout100(403, "AccessDenied", body.with("Host", endpoint.authority()));
        assertRefusedWithout100(404, "NoSuchBucket", signer.sign(body.withTarget("/" + unusedBucketName() + "/key")));
        assertRefusedWithout100(
                412,
                "PreconditionFailed",
                signer.sign(body.withTarget("/" + bucket + "/taken").with("If-None-Match", "*")));
        assertRefusedWithout100(
                412,
                "PreconditionFailed",
                signer.sign(body.withTarget("/" + bucket + "/taken").with("If-Match", "\"other\"")));
        assertRefusedWithout100(400, "InvalidDigest", signer.sign(body.with("Content-MD5", "nonsense")));
        assertRefusedWithout100(
                400, "KeyTooLongError", signer.sign(body.withTarget("/" + bucket + "/" + "k".repeat(1025))));
        assertRefusedWithout100(
                404,
                "NoSuchUpload",
                signer.sign(body.withTarget("/" + bucket + "/key?partNumber=1&uploadId=no-such-upload")));
        assertThat(getString(bucket, "taken")).isEqualTo("as it was");
    }

    @Test
    void an_expectation_that_nobody_knows_is_ignored_or_refused() {
        RawRequest request = signer.sign(put("key").withBody("content")).with("Expect", "a miracle");

        assertThat(RawConnection.send(endpoint, request).status()).isIn(200, 400, 417);
    }

    @Test
    void an_unread_body_is_never_taken_for_a_request() {
        put(bucket, "victim", "alive");
        RawRequest hidden = signer.sign(RawRequest.of("DELETE", "/" + bucket + "/victim"));
        RawRequest refused = signer.withSecretKey("wrong").sign(put("key").withBody(hidden.head()), Signer.UNSIGNED);

        for (RawRequest request :
                new RawRequest[] {refused, refused.with("Expect", "100-continue"), refused.with("Connection", "close")
                }) {
            try (RawConnection connection = RawConnection.open(endpoint)) {
                connection.write(request);
                connection.read("PUT").assertError(403, "SignatureDoesNotMatch");
                // Whatever the server makes of the connection, a good request on it is answered or it is closed.
                connection.write(signer.sign(RawRequest.of("HEAD", "/" + bucket + "/victim")));
                try {
                    assertThat(connection.read("HEAD").status()).isEqualTo(200);
                } catch (UncheckedIOException closed) {
                    assertThat(closed.getCause()).isInstanceOfAny(EOFException.class, SocketException.class);
                }
            }
            assertThat(getString(bucket, "victim")).isEqualTo("alive");
        }
    }

    @Test
    void a_refused_large_body_does_not_hang_the_client() {
        RawRequest refused =
                signer.withSecretKey("wrong").sign(put("key").withBody(bytes(1, 8 * MIB)), Signer.UNSIGNED);

        RawConnection.send(endpoint, refused).assertError(403, "SignatureDoesNotMatch");
    }

    /** S3 wants to know the length before the first byte: an account is chosen, and space reserved on it, by the size. */
    @Test
    void an_object_in_http_chunks_of_unknown_length_is_refused() {
        byte[] body = bytes(1, 300_000);

        RawConnection.send(endpoint, signer.sign(put("key").withChunkedBody(body, 1000), Signer.UNSIGNED))
                .assertError(411, "MissingContentLength");

        assertThat(keys(bucket)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"zz\r\nhello\r\n0\r\n\r\n", "5\r\nhelloworld\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n"})
    void http_chunks_that_make_no_sense_make_no_object(String framed) {
        RawRequest request = signer.sign(put("key"), Signer.UNSIGNED)
                .with("Transfer-Encoding", "chunked")
                .withUnframedBody(framed.getBytes(StandardCharsets.US_ASCII));

        RawResponse refused = RawConnection.send(endpoint, request);

        assertThat(refused.status()).as("%s", refused).isIn(400, 411);
        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void a_head_that_is_too_large_is_refused() {
        RawRequest request = signer.sign(RawRequest.of("GET", "/" + bucket)).with("x-filler", "f".repeat(100_000));

        assertThat(RawConnection.send(endpoint, request).status()).isIn(400, 431);
    }

    @ParameterizedTest
    @ValueSource(strings = {"NONSENSE\r\n\r\n", "GET /\r\n\r\n", "GET / HTTP/9.9\r\n\r\n", "GET\0/ HTTP/1.1\r\n\r\n"})
    void what_is_no_http_is_refused(String request) {
        try (RawConnection connection = RawConnection.open(endpoint)) {
            connection.write(request.getBytes(StandardCharsets.ISO_8859_1));
            assertThat(connection.read("GET").status()).isIn(400, 426, 505);
        } catch (UncheckedIOException closed) {
            assertThat(closed.getCause()).isInstanceOfAny(EOFException.class, SocketException.class);
        }
    }

    @Test
    void a_nul_in_the_target_is_refused() {
        RawResponse refused =
                RawConnection.send(endpoint, signer.sign(put("a%00b").withBody("x")));

        assertThat(refused.status()).as("%s", refused).isEqualTo(400);
    }
}
