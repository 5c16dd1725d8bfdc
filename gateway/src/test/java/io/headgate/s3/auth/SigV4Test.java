package io.headgate.s3.auth;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SigV4Test {
    private static final Instant NOON = Instant.parse("2026-11-30T12:00:00Z");
    private static final Credential ALICE = new Credential(TestSigner.ACCESS_KEY, TestSigner.SECRET, "alice", "Alice");
    private static final String UNSIGNED = "UNSIGNED-PAYLOAD";

    private final TestSigner signer = new TestSigner();
    private final SigV4 sigV4 =
            new SigV4("us-east-1", accessKey -> accessKey.equals(ALICE.accessKey()) ? ALICE : null, any -> "");

    @Test
    void a_request_without_a_signature_is_anonymous() {
        assertThat(TestSigner.authenticate(
                        sigV4, new RequestHead("GET", "/b/k?list-type=2", List.of(TestSigner.HOST), ""), NOON))
                .isEqualTo(new Authentication.Anonymous(new Payload.Unsigned()));
    }

    @Test
    void a_signed_request_is_its_user_s() {
        assertThat(verify(get("/b/k"))).isEqualTo(new Authentication.Verified(ALICE, new Payload.Unsigned()));
    }

    @Test
    void the_payload_mode_is_what_the_signed_header_says() {
        assertThat(payload(TestSigner.SHA256_OF_NOTHING)).isEqualTo(new Payload.Sha256(TestSigner.SHA256_OF_NOTHING));
        assertThat(payload("STREAMING-UNSIGNED-PAYLOAD-TRAILER")).isEqualTo(new Payload.UnsignedChunks());
        assertThat(payload("STREAMING-AWS4-HMAC-SHA256-PAYLOAD"))
                .isInstanceOfSatisfying(
                        Payload.SignedChunks.class,
                        p -> assertThat(p.hasTrailer()).isFalse());
        assertThat(payload("STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER"))
                .isInstanceOfSatisfying(
                        Payload.SignedChunks.class,
                        p -> assertThat(p.hasTrailer()).isTrue());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD",
                "STREAMING-AWS4-ECDSA-P256-SHA256-PAYLOAD-TRAILER",
                "STREAMING-EVENTS"
            })
    void other_streaming_modes_are_not_implemented_and_named(String mode) {
        S3Exception refused = refused(signer.header("PUT", "/b/k", mode));
        assertThat(refused.error()).isEqualTo(S3Error.NOT_IMPLEMENTED);
        assertThat(refused).hasMessageContaining(mode);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "unsigned", "e3b0c442", "g3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"})
    void a_payload_hash_that_is_none_is_refused(String hash) {
        assertThat(refused(signer.header("PUT", "/b/k", hash)).error()).isEqualTo(S3Error.INVALID_ARGUMENT);
    }

    @Test
    void a_request_that_does_not_say_how_its_payload_is_signed_is_refused() {
        S3Exception refused = refused(without(get("/b/k"), "x-amz-content-sha256"));
        assertThat(refused.error()).isEqualTo(S3Error.INVALID_REQUEST);
        assertThat(refused).hasMessageContaining("x-amz-content-sha256");
    }

    @Test
    void an_unknown_access_key_is_refused() {
        signer.accessKey = "NOBODY";
        S3Exception refused = refused(get("/b/k"));
        assertThat(refused.error()).isEqualTo(S3Error.INVALID_ACCESS_KEY_ID);
        assertThat(refused.details()).containsEntry("AWSAccessKeyId", "NOBODY");
    }

    @Test
    void a_changed_signature_or_secret_is_refused_with_what_was_signed() {
        RequestHead head = get("/b/k");
        String authorization = head.header("authorization");
        char last = authorization.charAt(authorization.length() - 1);
        String changed = authorization.substring(0, authorization.length() - 1) + (last == '0' ? '1' : '0');
        S3Exception refused = refused(with(head, "authorization", changed));
        assertThat(refused.error()).isEqualTo(S3Error.SIGNATURE_DOES_NOT_MATCH);
        assertThat(refused.details().get("CanonicalRequest"))
                .startsWith("GET\n/b/k\n\n")
                .endsWith("\n" + UNSIGNED);
        assertThat(refused.details().get("StringToSign")).startsWith("AWS4-HMAC-SHA256\n20261130T120000Z\n");
        assertThat(refused.details().toString()).doesNotContain(TestSigner.SECRET);

        SigV4 otherSecret = new SigV4(
                "us-east-1", accessKey -> new Credential(accessKey, "another secret", "alice", "Alice"), any -> "");
        assertThat(catchThrowableOfType(S3Exception.class, () -> TestSigner.authenticate(otherSecret, head, NOON))
                        .error())
                .isEqualTo(S3Error.SIGNATURE_DOES_NOT_MATCH);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "0", "zz", "é"})
    void a_signature_that_is_no_hex_does_not_match(String signature) {
        RequestHead head = get("/b/k");
        String authorization = head.header("authorization");
        String begin = authorization.substring(0, authorization.indexOf("Signature=") + "Signature=".length());
        String padded = signature.isEmpty() ? "" : signature + "0".repeat(64 - signature.length());
        S3Exception refused = refused(with(head, "authorization", begin + padded));
        assertThat(refused.error())
                .isEqualTo(
                        signature.isEmpty()
                                ? S3Error.AUTHORIZATION_HEADER_MALFORMED
                                : S3Error.SIGNATURE_DOES_NOT_MATCH);
    }

    @Test
    void a_new_secret_behind_the_same_access_key_counts_at_once() {
        String[] secret = {"old"};
        SigV4 changing =
                new SigV4("us-east-1", accessKey -> new Credential(accessKey, secret[0], "alice", "Alice"), any -> "");
        RequestHead head = get("/b/k");
        assertThat(catchThrowableOfType(S3Exception.class, () -> TestSigner.authenticate(changing, head, NOON)))
                .isNotNull();
        secret[0] = TestSigner.SECRET;
        assertThat(TestSigner.authenticate(changing, head, NOON)).isInstanceOf(Authentication.Verified.class);
    }

    @Test
    void another_region_is_refused_and_the_right_one_named() {
        signer.region = "eu-central-1";
        S3Exception inHeader = refused(get("/b/k"));
        assertThat(inHeader.error()).isEqualTo(S3Error.AUTHORIZATION_HEADER_MALFORMED);
        assertThat(inHeader.details()).containsEntry("Region", "us-east-1");
        S3Exception inQuery = refused(signer.presigned("GET", "/b/k", "", "60"));
        assertThat(inQuery.error()).isEqualTo(S3Error.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
        assertThat(inQuery.details()).containsEntry("Region", "us-east-1");
    }

    @Test
    void another_service_terminal_or_date_is_refused() {
        signer.service = "ec2";
        assertThat(refused(get("/b/k")).error()).isEqualTo(S3Error.AUTHORIZATION_HEADER_MALFORMED);
        signer.service = "s3";
        signer.terminal = "aws5_request";
        assertThat(refused(get("/b/k")).error()).isEqualTo(S3Error.AUTHORIZATION_HEADER_MALFORMED);
        signer.terminal = "aws4_request";
        signer.scopeDate = "20261129";
        assertThat(refused(get("/b/k")).error()).isEqualTo(S3Error.AUTHORIZATION_HEADER_MALFORMED);
        assertThat(refused(signer.presigned("GET", "/b/k", "", "60")).error())
                .isEqualTo(S3Error.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
    }

    @ParameterizedTest
    @CsvSource({"-900, true", "-901, false", "900, true", "901, false"})
    void a_clock_may_be_fifteen_minutes_off(long seconds, boolean accepted) {
        Function<RequestHead, Authentication> authenticate =
                head -> TestSigner.authenticate(sigV4, head, NOON.plusSeconds(seconds));
        if (accepted) {
            assertThat(authenticate.apply(get("/b/k"))).isInstanceOf(Authentication.Verified.class);
        } else {
            S3Exception refused = catchThrowableOfType(S3Exception.class, () -> authenticate.apply(get("/b/k")));
            assertThat(refused.error()).isEqualTo(S3Error.REQUEST_TIME_TOO_SKEWED);
            assertThat(refused.details())
                    .containsKeys("RequestTime", "ServerTime")
                    .containsEntry("MaxAllowedSkewMilliseconds", "900000");
        }
    }

    @Test
    void the_date_header_serves_if_there_is_no_x_amz_date() {
        signer.date = new Field("date", "Mon, 30 Nov 2026 12:00:00 GMT");
        assertThat(verify(get("/b/k")).credential()).isEqualTo(ALICE);
        signer.date = new Field("x-amz-date", "Mon, 30 Nov 2026 12:00:00 GMT");
        assertThat(verify(get("/b/k")).credential()).isEqualTo(ALICE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"yesterday", "20261130", "20261331T000000Z", "20261130T000060Z", "2026-11-30T12:00:00Z"})
    void a_request_without_a_valid_date_is_refused(String date) {
        assertThat(refused(with(get("/b/k"), "x-amz-date", date)).error()).isEqualTo(S3Error.ACCESS_DENIED);
        assertThat(refused(without(get("/b/k"), "x-amz-date")).error()).isEqualTo(S3Error.ACCESS_DENIED);
    }

    @ParameterizedTest
    @CsvSource({"59, true", "60, false", "-900, true", "-901, false"})
    void a_presigned_url_holds_as_long_as_it_says(long seconds, boolean accepted) {
        RequestHead head = signer.presigned("GET", "/b/k", "", "60");
        if (accepted) {
            assertThat(TestSigner.authenticate(sigV4, head, NOON.plusSeconds(seconds)))
                    .isEqualTo(new Authentication.Verified(ALICE, new Payload.Unsigned()));
        } else {
            S3Exception refused = catchThrowableOfType(
                    S3Exception.class, () -> TestSigner.authenticate(sigV4, head, NOON.plusSeconds(seconds)));
            assertThat(refused.error()).isEqualTo(S3Error.ACCESS_DENIED);
            assertThat(refused).hasMessage(seconds > 0 ? "Request has expired" : "Request is not valid yet");
        }
    }

    @Test
    void a_presigned_url_holds_for_a_week_at_most() {
        RequestHead week = signer.presigned("GET", "/b/k", "", "604800");
        assertThat(TestSigner.authenticate(sigV4, week, NOON.plusSeconds(604_799)))
                .isInstanceOf(Authentication.Verified.class);
        for (String expires : List.of("604801", "0", "-1")) {
            assertThat(refused(signer.presigned("GET", "/b/k", "", expires)).error())
                    .as(expires)
                    .isEqualTo(S3Error.ACCESS_DENIED);
        }
        for (String expires : List.of("x", "99999999999999999999", "1.5", "")) {
            assertThat(refused(signer.presigned("GET", "/b/k", "", expires)).error())
                    .as(expires)
                    .isEqualTo(S3Error.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-Amz-Algorithm",
                "X-Amz-Credential",
                "X-Amz-Date",
                "X-Amz-Expires",
                "X-Amz-SignedHeaders",
                "X-Amz-Signature"
            })
    void a_presigned_url_needs_all_its_parameters(String name) {
        RequestHead head = signer.presigned("GET", "/b/k", "", "60");
        String target = head.target().replaceFirst("[?&]" + name + "=[^&]*", "");
        target = target.contains("?") ? target : target.replaceFirst("&", "?");
        RequestHead lacking = new RequestHead("GET", target, head.fields(), "");
        assertThat(refused(lacking).error()).isEqualTo(S3Error.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
    }

    @Test
    void a_presigned_url_with_another_algorithm_or_a_malformed_credential_is_refused() {
        assertThat(refused(presignedWith(t -> t.replace("AWS4-HMAC-SHA256", "AWS4-HMAC-SHA1")))
                        .error())
                .isEqualTo(S3Error.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
        assertThat(refused(presignedWith(t -> t.replace("AWS4-HMAC-SHA256", "AWS4-ECDSA-P256-SHA256")))
                        .error())
                .isEqualTo(S3Error.NOT_IMPLEMENTED);
        assertThat(refused(presignedWith(t -> t.replace("%2F20261130%2F", "%2F")))
                        .error())
                .isEqualTo(S3Error.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
        assertThat(refused(presignedWith(t -> t.replace("Headers=host", "Headers=hast")))
                        .error())
                .isEqualTo(S3Error.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
        assertThat(refused(presignedWith(t -> t.replace("T120000Z", "T1200Z"))).error())
                .isEqualTo(S3Error.AUTHORIZATION_QUERY_PARAMETERS_ERROR);
    }

    @Test
    void the_header_that_asks_for_a_region_must_be_signed() {
        Field region = new Field("x-headgate-region", "eu-west");
        S3Exception unsigned = refused(and(get("/b/k"), region));
        assertThat(unsigned.error()).isEqualTo(S3Error.ACCESS_DENIED);
        assertThat(unsigned.details()).containsEntry("HeadersNotSigned", "x-headgate-region");
        assertThat(refused(and(signer.presigned("PUT", "/b/k", "", "60"), region))
                        .error())
                .isEqualTo(S3Error.ACCESS_DENIED);
        assertThat(TestSigner.authenticate(sigV4, signer.header("PUT", "/b/k", UNSIGNED, region), NOON))
                .isInstanceOf(Authentication.Verified.class);
    }

    @Test
    void a_header_that_could_change_the_meaning_must_be_signed() {
        Field acl = new Field("x-amz-acl", "public-read");
        S3Exception inHeader = refused(and(get("/b/k"), acl));
        assertThat(inHeader.error()).isEqualTo(S3Error.ACCESS_DENIED);
        assertThat(inHeader.details()).containsEntry("HeadersNotSigned", "x-amz-acl");
        assertThat(refused(and(signer.presigned("PUT", "/b/k", "", "60"), acl)).error())
                .isEqualTo(S3Error.ACCESS_DENIED);
        assertThat(TestSigner.authenticate(sigV4, signer.presigned("PUT", "/b/k", "", "60", acl), NOON))
                .isInstanceOf(Authentication.Verified.class);
    }

    @Test
    void a_header_that_others_add_on_the_way_need_not_be_signed() {
        for (Field field : List.of(
                new Field("x-amz-cf-id", "1"), new Field("x-amzn-trace-id", "1"), new Field("via", "1.1 proxy"))) {
            assertThat(verify(and(get("/b/k"), field)).credential()).isEqualTo(ALICE);
        }
        RequestHead signed = signer.header("GET", "/b/k", UNSIGNED, new Field("x-amz-cf-id", "1"));
        assertThat(refused(and(signed, new Field("x-amz-acl", "private"))).error())
                .isEqualTo(S3Error.ACCESS_DENIED);
    }

    @Test
    void values_of_a_repeated_header_count_in_their_order() {
        RequestHead head = signer.header("GET", "/b/k", UNSIGNED, new Field("x-amz-meta-a", "1,2"));
        RequestHead split = and(with(head, "x-amz-meta-a", "1"), new Field("x-amz-meta-a", "2"));
        assertThat(verify(split).credential()).isEqualTo(ALICE);
        RequestHead swapped = and(with(head, "x-amz-meta-a", "2"), new Field("x-amz-meta-a", "1"));
        assertThat(refused(swapped).error()).isEqualTo(S3Error.SIGNATURE_DOES_NOT_MATCH);
    }

    @Test
    void white_space_in_a_header_counts_as_one_space_or_as_it_is() {
        RequestHead head = signer.header("GET", "/b/k", UNSIGNED, new Field("x-amz-meta-a", "1 2"));
        assertThat(verify(with(head, "x-amz-meta-a", " 1 \t 2\t")).credential()).isEqualTo(ALICE);
        RequestHead asWritten = signer.header("GET", "/b/k", UNSIGNED, new Field("x-amz-meta-a", "1   2"));
        assertThat(verify(asWritten).credential()).isEqualTo(ALICE);
        assertThat(refused(with(asWritten, "x-amz-meta-a", "1    2")).error())
                .isEqualTo(S3Error.SIGNATURE_DOES_NOT_MATCH);
    }

    @Test
    void it_does_not_matter_how_a_path_or_query_is_encoded_and_ordered() {
        RequestHead signed = get("/b/a%2Bb%20c/~%2A?a-b=1&a=%2F%20&empty=&x=2");
        for (String target : List.of(
                "/b/a+b%20c/~*?a-b=1&a=%2F%20&empty=&x=2",
                "/b/a%2bb%20c%2F%7e%2a?x=2&empty&a=/+&a-b=1", "/b/%61%2Bb%20c/~%2A?&x=2&&empty=&a=%2f%20&a-b=1&")) {
            assertThat(verify(new RequestHead("GET", target, signed.fields(), ""))
                            .credential())
                    .isEqualTo(ALICE);
        }
        for (String target : List.of(
                "/b/a%20b%20c/~%2A?a-b=1&a=%2F%20&empty=&x=2",
                "/b/a%2Bb%20c//~%2A?a-b=1&a=%2F%20&empty=&x=2",
                "/b/./a%2Bb%20c/~%2A?a-b=1&a=%2F%20&empty=&x=2",
                "/b/a%2Bb%20c/~%2A?a-b=1&a=%2F%20&empty=&x=2&x=2")) {
            assertThat(refused(new RequestHead("GET", target, signed.fields(), ""))
                            .error())
                    .as(target)
                    .isEqualTo(S3Error.SIGNATURE_DOES_NOT_MATCH);
        }
    }

    @Test
    void parameters_of_one_name_are_sorted_by_value() {
        RequestHead signed = get("/b?x=1&x=2");
        assertThat(verify(new RequestHead("GET", "/b?x=2&x=1", signed.fields(), ""))
                        .credential())
                .isEqualTo(ALICE);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "AWS AKIDEXAMPLE:c2lnbmF0dXJl | INVALID_REQUEST",
                "Basic YTpi | INVALID_ARGUMENT",
                "Bearer token | INVALID_ARGUMENT",
                "nonsense | INVALID_ARGUMENT",
                "AWS4-ECDSA-P256-SHA256 Credential=a/b | NOT_IMPLEMENTED",
                "AWS4-HMAC-SHA256 | AUTHORIZATION_HEADER_MALFORMED",
                "AWS4-HMAC-SHA256 Credential=a/20261130/us-east-1/s3/aws4_request | AUTHORIZATION_HEADER_MALFORMED",
                "AWS4-HMAC-SHA256 Credential=a,SignedHeaders=host,Signature=0 | AUTHORIZATION_HEADER_MALFORMED",
                "AWS4-HMAC-SHA256 Credential=/d/r/s/t,SignedHeaders=host,Signature=0 | AUTHORIZATION_HEADER_MALFORMED",
                "AWS4-HMAC-SHA256 Credential=a/d/r/s/t,SignedHeaders=date,Signature=0 | AUTHORIZATION_HEADER_MALFORMED",
                "AWS4-HMAC-SHA256 Credential=a/d/r/s/t,SignedHeaders=host;date,Signature=0 | AUTHORIZATION_HEADER_MALFORMED",
                "AWS4-HMAC-SHA256 Credential=a/d/r/s/t,SignedHeaders=host;host,Signature=0 | AUTHORIZATION_HEADER_MALFORMED",
                "AWS4-HMAC-SHA256 Credential=a/d/r/s/t,SignedHeaders=Date;host,Signature=0 | AUTHORIZATION_HEADER_MALFORMED",
                "AWS4-HMAC-SHA256 Credential=a/d/r/s/t,SignedHeaders=host;,Signature=0 | AUTHORIZATION_HEADER_MALFORMED",
                "AWS4-HMAC-SHA256 Credential=a/d/r/s/t,Other=1,Signature=0 | AUTHORIZATION_HEADER_MALFORMED",
            })
    void an_authorization_header_that_is_not_signature_v4_has_s3_s_error(String authorization, S3Error error) {
        assertThat(refused(with(get("/b/k"), "authorization", authorization)).error())
                .isEqualTo(error);
    }

    @Test
    void a_bearer_s_token_is_not_repeated_in_the_error() {
        S3Exception refused = refused(with(get("/b/k"), "authorization", "Bearer s3cr3t"));
        assertThat(refused.getMessage() + refused.details()).doesNotContain("s3cr3t");
    }

    @Test
    void two_signatures_are_one_too_many() {
        RequestHead head = get("/b/k");
        RequestHead presigned = signer.presigned("GET", "/b/k", "", "60");
        Field authorization = new Field("authorization", head.header("authorization"));
        assertThat(refused(and(head, authorization)).error()).isEqualTo(S3Error.INVALID_ARGUMENT);
        assertThat(refused(and(presigned, authorization)).error()).isEqualTo(S3Error.INVALID_ARGUMENT);
    }

    @Test
    void security_tokens_are_refused() {
        Field token = new Field("x-amz-security-token", "t");
        assertThat(refused(signer.header("GET", "/b/k", UNSIGNED, token)).error())
                .isEqualTo(S3Error.INVALID_TOKEN);
        assertThat(refused(signer.presigned("GET", "/b/k", "X-Amz-Security-Token=t&", "60"))
                        .error())
                .isEqualTo(S3Error.INVALID_TOKEN);
    }

    @Test
    void an_access_key_may_contain_slashes() {
        signer.accessKey = "team/a";
        SigV4 whoever =
                new SigV4("us-east-1", accessKey -> new Credential(accessKey, TestSigner.SECRET, "u", "U"), any -> "");
        Authentication.Verified verified =
                (Authentication.Verified) TestSigner.authenticate(whoever, get("/b/k"), NOON);
        assertThat(verified.credential().accessKey()).isEqualTo("team/a");
    }

    @Test
    void a_credential_s_text_does_not_hold_its_secret() {
        assertThat(ALICE.toString()).doesNotContain(TestSigner.SECRET);
    }

    private RequestHead get(String target) {
        return signer.header("GET", target, UNSIGNED);
    }

    private Authentication.Verified verify(RequestHead head) {
        return (Authentication.Verified) TestSigner.authenticate(sigV4, head, NOON);
    }

    private Payload payload(String hash) {
        return verify(signer.header("PUT", "/b/k", hash)).payload();
    }

    private S3Exception refused(RequestHead head) {
        S3Exception refused = catchThrowableOfType(S3Exception.class, () -> TestSigner.authenticate(sigV4, head, NOON));
        assertThat(refused).as("refusal of %s", head).isNotNull();
        return refused;
    }

    private RequestHead presignedWith(UnaryOperator<String> change) {
        RequestHead head = signer.presigned("GET", "/b/k", "", "60");
        return new RequestHead("GET", change.apply(head.target()), head.fields(), "");
    }

    private static RequestHead without(RequestHead head, String name) {
        return new RequestHead(
                head.method(),
                head.target(),
                head.fields().stream().filter(f -> !f.name().equals(name)).toList(),
                "");
    }

    private static RequestHead with(RequestHead head, String name, String value) {
        return and(without(head, name), new Field(name, value));
    }

    private static RequestHead and(RequestHead head, Field field) {
        List<Field> fields = new ArrayList<>(head.fields());
        fields.add(field);
        return new RequestHead(head.method(), head.target(), fields, "");
    }
}
