package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.services.s3.model.NoSuchKeyException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/** What an error looks like. */
class ErrorsTest extends S3Test {
    private String bucket;
    private Signer signer;

    @BeforeEach
    void createBucket() {
        bucket = newBucket();
        signer = Signer.of(endpoint);
    }

    private RawResponse send(String method, String target) {
        return RawConnection.send(endpoint, signer.sign(RawRequest.of(method, target)));
    }

    @Test
    void an_error_is_a_document_that_names_code_message_resource_and_request() {
        RawResponse error = send("GET", "/" + bucket + "/a%20missing/key");

        error.assertError(404, "NoSuchKey");
        assertThat(error.header("Content-Type").orElseThrow()).startsWith("application/xml");
        assertThat(error.text()).startsWith("<?xml version=\"1.0\" encoding=\"UTF-8\"?>");
        assertThat(error.element("Message").orElseThrow()).isNotBlank();
        assertThat(error.element("Resource").orElseThrow())
                .isIn("/" + bucket + "/a%20missing/key", "/" + bucket + "/a missing/key");
        assertThat(error.element("RequestId").orElseThrow())
                .isEqualTo(error.header("x-amz-request-id").orElseThrow());
        assertThat(error.xml().getNamespaceURI()).isNull();
    }

    @Test
    void every_answer_has_a_request_id_of_its_own() {
        Set<String> ids = new HashSet<>();
        for (int i = 0; i < 10; i++) {
            ids.add(send("GET", "/").header("x-amz-request-id").orElseThrow());
            ids.add(send("GET", "/" + bucket + "/missing")
                    .header("x-amz-request-id")
                    .orElseThrow());
            ids.add(send("HEAD", "/" + bucket).header("x-amz-request-id").orElseThrow());
        }

        assertThat(ids).hasSize(30);
    }

    @Test
    void an_answer_to_head_has_no_body_also_when_it_is_an_error() {
        for (String target : List.of("/" + bucket + "/missing", "/" + unusedBucketName())) {
            try (RawConnection connection = RawConnection.open(endpoint)) {
                connection.write(signer.sign(RawRequest.of("HEAD", target)));
                connection.read("HEAD").assertStatus(404);
                connection.write(signer.sign(RawRequest.of("GET", "/" + bucket)));
                assertThat(connection.read("GET").status())
                        .as("no stray body before the next answer")
                        .isEqualTo(200);
            }
        }
    }

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void every_client_reads_code_status_and_request_id(ClientKind kind) {
        S3Exception refused = assertRefused(
                404, "NoSuchBucket", () -> kind.client().listObjectsV2(request -> request.bucket(unusedBucketName())));

        assertThat(refused.requestId()).isNotBlank();
        assertThat(refused.awsErrorDetails().errorMessage()).isNotBlank();
    }

    @Test
    void a_missing_key_is_its_own_exception_in_the_sdk() {
        S3Exception refused = assertRefused(404, "NoSuchKey", () -> get(bucket, "missing"));

        assertThat(refused).isInstanceOf(NoSuchKeyException.class);
    }

    @Test
    void what_a_client_sent_is_escaped_in_the_error() {
        RawResponse error = send("GET", "/" + bucket + "/%3Cscript%3Ealert%281%29%3C%2Fscript%3E%26");

        error.assertError(404, "NoSuchKey");
        assertThat(error.text()).doesNotContain("<script>");
    }

    @Test
    void an_error_tells_nothing_of_the_servers_inside() {
        for (String target : List.of("/" + bucket + "/%zz", "/" + bucket + "?max-keys=x", "/?max-buckets=x", "/%00")) {
            String text = send("GET", target).text();
            assertThat(text).doesNotContain("Exception", "java.", "io.headgate", ".java:", "jetty");
        }
    }

    @Test
    void a_success_with_a_document_is_xml_in_s3s_namespace() {
        put(bucket, "key", "x");
        for (String target : List.of("/", "/" + bucket, "/" + bucket + "?list-type=2", "/" + bucket + "?uploads=")) {
            RawResponse answer = send("GET", target).assertStatus(200);

            assertThat(answer.header("Content-Type").orElseThrow()).startsWith("application/xml");
            assertThat(answer.text()).contains("xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\"");
        }
    }
}
