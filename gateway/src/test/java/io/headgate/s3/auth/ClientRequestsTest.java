package io.headgate.s3.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.http.RequestHead;
import io.headgate.s3.QueryParameters;
import io.headgate.s3.Router;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.auth.ClientRequests.ClientRequest;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What real clients sent verifies, head and body, and does not when it is tampered with. */
final class ClientRequestsTest {
    private static final Pattern DATE = Pattern.compile("\\d{8}T\\d{6}Z");
    private static final Credential ALICE =
            new Credential("AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "alice", "Alice");

    private final SigV4 sigV4 = new SigV4(
            "us-east-1",
            accessKey -> accessKey.equals(ALICE.accessKey()) ? ALICE : null,
            new Router("s3.test")::hostBucket);

    static List<ClientRequest> requests() {
        return ClientRequests.all();
    }

    @ParameterizedTest
    @MethodSource("requests")
    void a_real_client_s_request_and_body_verify(ClientRequest request) throws IOException {
        Authentication.Verified verified = authenticate(request.head());
        assertThat(verified.credential()).isEqualTo(ALICE);
        boolean checksumIsOfObject = request.head().method().equals("POST")
                && request.head().rawQuery().contains("uploadId=");
        BodyClaims claims = checksumIsOfObject
                ? BodyClaims.withoutChecksum(request.head(), verified.payload(), request.contentLength())
                : BodyClaims.of(request.head(), verified.payload(), request.contentLength());
        VerifiedBody body =
                new VerifiedBody(claims, new ByteArrayInputStream(request.body()), ChecksumAlgorithm.CRC64NVME);
        assertThat(body.readAllBytes()).hasSize((int) claims.lengthBytes());
        body.finish();
        assertThat(body.md5()).hasSize(32);
        assertThat(body.checksum()).isPresent();
    }

    @ParameterizedTest
    @MethodSource("requests")
    void another_key_method_or_query_does_not_verify(ClientRequest request) {
        RequestHead head = request.head();
        String target = head.target();
        int pathEnd = head.rawPath().length();
        List<RequestHead> tampered = new ArrayList<>();
        tampered.add(new RequestHead(
                head.method(), target.substring(0, pathEnd) + "x" + target.substring(pathEnd), head.fields(), ""));
        tampered.add(new RequestHead("OPTIONS", target, head.fields(), ""));
        tampered.add(new RequestHead(head.method(), target + (target.contains("?") ? "&x" : "?x"), head.fields(), ""));
        for (RequestHead other : tampered) {
            S3Error expected = isVersion2(other) && other.target().endsWith("&x")
                    ? S3Error.INVALID_REQUEST
                    : S3Error.SIGNATURE_DOES_NOT_MATCH;
            assertThatThrownBy(() -> authenticate(other))
                    .isInstanceOfSatisfying(
                            S3Exception.class, e -> assertThat(e.error()).isEqualTo(expected));
        }
    }

    @Test
    void the_captured_requests_come_from_every_kind_of_client_and_cover_every_payload_mode() {
        List<String> modes = requests().stream()
                .map(r -> authenticate(r.head()).payload().getClass().getSimpleName())
                .distinct()
                .toList();
        assertThat(modes).containsExactlyInAnyOrder("Unsigned", "Sha256", "SignedChunks", "UnsignedChunks");
        assertThat(requests().stream().map(ClientRequest::client).distinct()).hasSize(13);
    }

    private static boolean isVersion2(RequestHead head) {
        return head.rawQuery().contains("AWSAccessKeyId=");
    }

    private Authentication.Verified authenticate(RequestHead head) {
        return (Authentication.Verified)
                TestSigner.authenticate(sigV4, head, signedAt(head).plusSeconds(5));
    }

    private static Instant signedAt(RequestHead head) {
        if (isVersion2(head)) {
            String expires = QueryParameters.parse(head.rawQuery()).get("Expires");
            return Instant.ofEpochSecond(Long.parseLong(expires)).minusSeconds(60);
        }
        String date = head.header("x-amz-date");
        Matcher matcher = DATE.matcher(date == null ? head.rawQuery() : date);
        assertThat(matcher.find()).isTrue();
        return Timestamp.parse(matcher.group()).instant();
    }
}
