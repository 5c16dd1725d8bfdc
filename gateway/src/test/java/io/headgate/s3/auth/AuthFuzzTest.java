package io.headgate.s3.auth;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.s3.Router;
import io.headgate.s3.S3BodyException;
import io.headgate.s3.S3Exception;
import io.headgate.s3.auth.ClientRequests.ClientRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Whatever is sent, only S3's errors come out. */
final class AuthFuzzTest {
    private static final long SEED = 20_261_130;
    private static final int ROUNDS = 10_000;
    private static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");
    private static final String TOKENS = "&=;,:/%?+ \t\r\n\\\"0159afzAZ~é\0ÿ";
    private static final List<String> WORDS = List.of(
            "AWS4-HMAC-SHA256",
            "Credential=",
            "SignedHeaders=",
            "Signature=",
            "X-Amz-Signature",
            "X-Amz-Credential=",
            "X-Amz-Algorithm=",
            "host",
            "x-amz-date",
            "aws4_request",
            "%2F",
            "%",
            "20261130T120000Z",
            "STREAMING-",
            ";chunk-signature=",
            "x-amz-checksum-crc32:",
            "\r\n",
            "0\r\n",
            "ffffffffffffffff",
            "-1");

    private final Random random = new Random(SEED);
    private final SigV4 sigV4 = new SigV4(
            "us-east-1",
            accessKey -> accessKey.startsWith("A") ? new Credential(accessKey, TestSigner.SECRET, "a", "A") : null,
            new Router("test")::hostBucket);

    @Test
    void mutated_heads_are_accepted_or_refused_as_s3_does() {
        TestSigner signer = new TestSigner();
        List<RequestHead> seeds = new ArrayList<>(List.of(
                signer.header("GET", "/b/a%20b?list-type=2&prefix=a%2Fb", "UNSIGNED-PAYLOAD"),
                signer.header("PUT", "/b/k", TestSigner.SHA256_OF_NOTHING, new Field("x-amz-meta-a", "1  2")),
                signer.header("PUT", "/b/k", "STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"),
                signer.presigned("GET", "/b/k", "versionId=a%2Bb&", "3600"),
                new RequestHead(
                        "GET",
                        "/k?AWSAccessKeyId=AKIDEXAMPLE&versionId=1&Signature=AAAAAAAAAAAAAAAAAAAAAAAAAAA%3D&Expires=1796041600",
                        List.of(TestSigner.HOST, new Field("x-amz-meta-a", "1")),
                        "")));
        int verified = 0;
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            RequestHead head = mutate(seeds.get(random.nextInt(seeds.size())));
            try {
                if (TestSigner.authenticate(sigV4, head, NOON)
                        instanceof Authentication.Verified(Credential ignored, Payload payload)) {
                    verified++;
                    BodyClaims.of(head, payload, OptionalLong.of(0));
                }
            } catch (S3Exception expected) {
                refused++;
            } catch (RuntimeException e) {
                fail("seed " + SEED + ", round " + round + ", " + head, e);
            }
        }
        assertThat(verified).isPositive();
        assertThat(refused).isGreaterThan(ROUNDS / 2);
    }

    @Test
    void mutated_bodies_are_whole_or_refused_as_s3_does() throws IOException {
        List<ClientRequest> chunked = ClientRequests.all().stream()
                .filter(r -> r.head().header("x-amz-decoded-content-length") != null)
                .toList();
        SigV4 clients = new SigV4(
                "us-east-1",
                key -> new Credential(key, "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "a", "A"),
                head -> "");
        int refused = 0;
        for (int round = 0; round < ROUNDS; round++) {
            ClientRequest request = chunked.get(random.nextInt(chunked.size()));
            Instant signedAt =
                    Timestamp.parse(request.head().header("x-amz-date")).instant();
            Payload payload =
                    ((Authentication.Verified) TestSigner.authenticate(clients, request.head(), signedAt)).payload();
            BodyClaims claims = BodyClaims.of(request.head(), payload, OptionalLong.empty());
            byte[] sent = mutate(new String(request.body(), ISO_8859_1)).getBytes(ISO_8859_1);
            try (VerifiedBody body = new VerifiedBody(claims, new ByteArrayInputStream(sent), null)) {
                assertThat(body.readAllBytes()).isEqualTo(contentOf(request, claims, round));
                body.finish();
            } catch (S3BodyException expected) {
                refused++;
            } catch (RuntimeException e) {
                fail("seed " + SEED + ", round " + round + ", " + request + ", " + Arrays.toString(sent), e);
            }
        }
        assertThat(refused).isBetween(ROUNDS / 2, ROUNDS - 1);
    }

    @Test
    void bodies_of_chance_end() throws IOException {
        for (int round = 0; round < ROUNDS; round++) {
            StringBuilder sent = new StringBuilder();
            for (int pieces = random.nextInt(12); pieces > 0; pieces--) {
                sent.append(piece());
            }
            AwsChunkedInputStream stream = new AwsChunkedInputStream(
                    new ByteArrayInputStream(sent.toString().getBytes(ISO_8859_1)),
                    random.nextInt(8),
                    null,
                    random.nextBoolean());
            try {
                assertThat(stream.readAllBytes()).hasSizeLessThan(8);
            } catch (S3BodyException expected) {
                // as it should
            }
        }
    }

    @Test
    void a_head_of_many_fields_and_parameters_takes_bounded_work() {
        TestSigner signer = new TestSigner();
        List<Field> fields = new ArrayList<>();
        for (int i = 0; i < 190; i++) {
            fields.add(new Field("x-amz-meta-%03d".formatted(i), "v"));
        }
        RequestHead most = signer.header("PUT", "/b/k", "UNSIGNED-PAYLOAD", fields.toArray(Field[]::new));
        assertThat(TestSigner.authenticate(sigV4, most, NOON)).isInstanceOf(Authentication.Verified.class);
        for (int i = 190; i < 300; i++) {
            fields.add(new Field("x-amz-meta-%03d".formatted(i), "v"));
        }
        List<RequestHead> tooMany = List.of(
                signer.header("PUT", "/b/k", "UNSIGNED-PAYLOAD", fields.toArray(Field[]::new)),
                signer.header("GET", "/b?" + "a&".repeat(101), "UNSIGNED-PAYLOAD"));
        for (RequestHead head : tooMany) {
            try {
                TestSigner.authenticate(sigV4, head, NOON);
                fail("accepted");
            } catch (S3Exception refused) {
                assertThat(refused.error().status()).isEqualTo(400);
            }
        }
    }

    /** The one content that may be read, as the checksum and the signatures leave no other. */
    private static byte[] contentOf(ClientRequest request, BodyClaims claims, int round) throws IOException {
        VerifiedBody body = new VerifiedBody(claims, new ByteArrayInputStream(request.body()), null);
        byte[] content = body.readAllBytes();
        assertThat(content).as("round %d", round).hasSize((int) claims.lengthBytes());
        return content;
    }

    private RequestHead mutate(RequestHead head) {
        List<Field> fields = new ArrayList<>(head.fields());
        String target = head.target();
        for (int changes = random.nextInt(3); changes >= 0; changes--) {
            int which = random.nextInt(fields.size() + 2);
            if (which >= fields.size()) {
                target = mutate(target);
            } else {
                Field field = fields.remove(which);
                switch (random.nextInt(5)) {
                    case 0 -> fields.add(new Field(mutate(field.name()), field.value()));
                    case 1 -> {
                        fields.add(field);
                        fields.add(field);
                    }
                    case 2 -> fields.add(random.nextInt(fields.size() + 1), field);
                    default -> fields.add(which, new Field(field.name(), mutate(field.value())));
                }
            }
            if (fields.isEmpty()) {
                break;
            }
        }
        return new RequestHead(head.method(), target, fields, "");
    }

    private String mutate(String text) {
        StringBuilder mutated = new StringBuilder(text);
        int at = random.nextInt(text.length() + 1);
        int end = Math.min(text.length(), at + random.nextInt(6));
        switch (random.nextInt(6)) {
            case 0 -> mutated.delete(at, end);
            case 1 -> mutated.insert(at, piece());
            case 2 -> mutated.replace(at, end, piece());
            case 3 -> mutated.insert(at, text, at, text.length());
            case 4 -> mutated.setLength(at);
            default -> {
                if (at < text.length()) {
                    mutated.setCharAt(at, (char) (text.charAt(at) ^ 1 << random.nextInt(8)));
                }
            }
        }
        return mutated.toString();
    }

    private String piece() {
        return random.nextBoolean()
                ? WORDS.get(random.nextInt(WORDS.size()))
                : String.valueOf(TOKENS.charAt(random.nextInt(TOKENS.length())));
    }
}
