package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Requests that name what does not exist, and bodies that are not what they should be. */
class OddRequestsTest extends S3Test {
    private String bucket;
    private Signer signer;

    @BeforeEach
    void putAnObject() {
        bucket = newBucket();
        signer = Signer.of(endpoint);
        put(bucket, "key", "content");
    }

    private RawResponse send(RawRequest request) {
        return RawConnection.send(endpoint, signer.sign(request));
    }

    @ParameterizedTest
    @CsvSource({
        "PUT, ?accelerate, PutBucketAccelerateConfiguration",
        "GET, ?analytics&id=x, GetBucketAnalyticsConfiguration",
        "GET, ?intelligent-tiering&id=x, GetBucketIntelligentTieringConfiguration",
        "GET, ?inventory&id=x, GetBucketInventoryConfiguration",
        "GET, ?metrics&id=x, GetBucketMetricsConfiguration",
        "PUT, ?replication, PutBucketReplication",
        "DELETE, ?replication, DeleteBucketReplication",
        "PUT, ?encryption, PutBucketEncryption",
        "GET, ?website, GetBucketWebsite",
        "PUT, ?website, PutBucketWebsite",
        "DELETE, ?website, DeleteBucketWebsite",
        "POST, /key?restore, RestoreObject",
        "POST, /key?select&select-type=2, SelectObjectContent"
    })
    void an_operation_that_is_not_built_says_so_by_name(String method, String target, String operation) {
        RawResponse refused = send(RawRequest.of(method, "/" + bucket + target).withBody(""));

        refused.assertError(501, "NotImplemented");
        assertThat(refused.element("Message").orElseThrow()).contains(operation);
        assertThat(getString(bucket, "key")).isEqualTo("content");
    }

    @Test
    void a_subresource_that_is_not_built_never_touches_the_object() {
        send(RawRequest.of("PUT", "/" + bucket + "/key?torrent").withBody("not the content"));
        send(RawRequest.of("DELETE", "/" + bucket + "/key?website"));
        send(RawRequest.of("DELETE", "/" + bucket + "?analytics&id=x"));

        assertThat(getString(bucket, "key")).isEqualTo("content");
    }

    @Test
    void a_parameter_that_s3_does_not_know_is_ignored() {
        assertThat(send(RawRequest.of("GET", "/" + bucket + "/key?x-id=GetObject&nonsense=1"))
                        .assertStatus(200)
                        .text())
                .isEqualTo("content");
        assertThat(send(RawRequest.of("GET", "/" + bucket + "?nonsense"))
                        .assertStatus(200)
                        .element("Key"))
                .contains("key");
    }

    @Test
    void a_post_to_an_object_is_not_allowed() {
        RawResponse refused = send(RawRequest.of("POST", "/" + bucket + "/key").withBody("x"));

        assertThat(refused.status()).as("%s", refused).isIn(405, 501);
        assertThat(getString(bucket, "key")).isEqualTo("content");
    }

    @ParameterizedTest
    @ValueSource(strings = {"PATCH", "TRACE", "FROBNICATE", "get"})
    void an_unknown_method_is_refused(String method) {
        RawResponse refused = send(RawRequest.of(method, "/" + bucket + "/key").withBody(""));

        assertThat(refused.status()).as("%s", refused).isIn(400, 405, 501);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "?list-type=2&max-keys=%EF%BC%95",
                "?list-type=2&max-keys=%2B5",
                "/key?partNumber=%EF%BC%91",
                "/key?partNumber=%D9%A1",
            })
    void numbers_are_ascii_digits(String target) {
        send(RawRequest.of("GET", "/" + bucket + target).withBody("")).assertError(400, "InvalidArgument");
    }

    private RawRequest delete(String xml) {
        byte[] body = xml.getBytes(StandardCharsets.UTF_8);
        return RawRequest.of("POST", "/" + bucket + "?delete=")
                .withBody(body)
                .with("Content-MD5", Base64.getEncoder().encodeToString(Algorithm.hash("MD5", body)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "garbage",
                "{\"json\": true}",
                "<Delete>",
                "<Delete><Object><Key>key</Key></Object>",
                "<Delete><Object><Key>key</Object></Key></Delete>",
                "<Other><Object><Key>key</Key></Object></Other>",
                "<Delete><Object><Key>key</Key></Object></Delete><Delete/>",
                "<Delete><Object><Key>key</Key><Key>key</Key></Object></Delete>",
                "<Delete><Object><Key>&undeclared;</Key></Object></Delete>",
                "<Delete><Object><Key>&#x0;</Key></Object></Delete>",
                "<!DOCTYPE Delete [<!ENTITY k \"key\">]><Delete><Object><Key>&k;</Key></Object></Delete>",
                "<!DOCTYPE Delete [<!ENTITY k SYSTEM \"file:///etc/passwd\">]><Delete><Object><Key>&k;</Key></Object></Delete>",
                "<!DOCTYPE Delete SYSTEM \"http://127.0.0.1:1/x.dtd\"><Delete><Object><Key>key</Key></Object></Delete>"
            })
    void xml_that_is_not_what_it_should_be_is_malformed(String xml) {
        send(delete(xml)).assertError(400, "MalformedXML");

        assertThat(keys(bucket)).containsExactly("key");
    }

    @Test
    void a_billion_laughs_are_not_laughed() {
        StringBuilder xml = new StringBuilder("<!DOCTYPE Delete [<!ENTITY l0 \"ha\">");
        for (int i = 1; i < 10; i++) {
            xml.append("<!ENTITY l")
                    .append(i)
                    .append(" \"")
                    .append(("&l" + (i - 1) + ";").repeat(10))
                    .append("\">");
        }
        xml.append("]><Delete><Object><Key>&l9;</Key></Object></Delete>");

        send(delete(xml.toString())).assertError(400, "MalformedXML");
    }

    @Test
    void xml_that_is_nested_without_end_is_malformed() {
        send(delete("<Delete>".repeat(100_000))).assertError(400, "MalformedXML");
    }

    @Test
    void xml_that_is_too_large_is_refused() {
        String key = "k".repeat(1000);
        String xml = "<Delete>" + ("<Object><Key>" + key + "</Key></Object>").repeat(6000) + "</Delete>";

        send(delete(xml)).assertError(400, List.of("MalformedXML", "EntityTooLarge", "MaxMessageLengthExceeded"));
    }

    @Test
    void a_bucket_configuration_that_makes_no_sense_is_malformed() {
        RawRequest create = RawRequest.of("PUT", "/" + unusedBucketName());

        send(create.withBody("garbage")).assertError(400, "MalformedXML");
        send(create.withBody("<CreateBucketConfiguration><LocationConstraint>")).assertError(400, "MalformedXML");
    }

    @Test
    void a_bucket_may_be_addressed_by_its_host_name() {
        assumeTrue(endpoint.domain().isPresent(), "the endpoint has no domain");
        String host = bucket + "." + endpoint.domain().orElseThrow();

        assertThat(send(RawRequest.of("GET", "/key").with("Host", host))
                        .assertStatus(200)
                        .text())
                .isEqualTo("content");
        send(RawRequest.of("PUT", "/" + bucket + "/a%20b").with("Host", host).withBody("x"))
                .assertStatus(200);
        assertThat(send(RawRequest.of("GET", "/?list-type=2").with("Host", host + ":" + endpoint.port()))
                        .assertStatus(200)
                        .element("KeyCount"))
                .contains("2");
        assertThat(keys(bucket)).containsExactly(bucket + "/a b", "key");
        send(RawRequest.of("HEAD", "/").with("Host", host)).assertStatus(200);
        send(RawRequest.of("GET", "/key")
                        .with(
                                "Host",
                                unusedBucketName() + "." + endpoint.domain().orElseThrow()))
                .assertError(404, "NoSuchBucket");
        assertThat(send(RawRequest.of("GET", "/" + bucket + "/key")
                                .with("Host", endpoint.domain().orElseThrow()))
                        .assertStatus(200)
                        .text())
                .as("path style at the domain itself")
                .isEqualTo("content");
    }

    @Test
    void an_expected_owner_that_is_another_is_refused() {
        String owner = s3.listBuckets().owner().id();

        assertThat(s3.headObject(request -> request.bucket(bucket).key("key").expectedBucketOwner(owner))
                        .contentLength())
                .isEqualTo(7);
        assertRefused(
                403,
                "AccessDenied",
                () -> s3.listObjectsV2(request -> request.bucket(bucket).expectedBucketOwner("111122223333")));
    }
}
