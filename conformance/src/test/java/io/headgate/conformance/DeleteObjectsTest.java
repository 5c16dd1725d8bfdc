package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.DeleteObjectsResponse;
import software.amazon.awssdk.services.s3.model.DeletedObject;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;

/** Deleting many objects with one request. */
class DeleteObjectsTest extends S3Test {

    private static List<ObjectIdentifier> identifiers(List<String> keys) {
        return keys.stream()
                .map(key -> ObjectIdentifier.builder().key(key).build())
                .toList();
    }

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void many_objects_are_deleted_and_named_in_the_answer(ClientKind kind) {
        S3Client client = kind.client();
        String bucket = newBucket();
        List<String> keys = List.of("a", "b/c", "with space", "plus+", "ünïcödé");
        keys.forEach(key -> put(bucket, key, "x"));
        put(bucket, "kept", "x");

        DeleteObjectsResponse response = client.deleteObjects(
                request -> request.bucket(bucket).delete(delete -> delete.objects(identifiers(keys))));

        assertThat(response.deleted()).extracting(DeletedObject::key).containsExactlyInAnyOrderElementsOf(keys);
        assertThat(response.errors()).isEmpty();
        assertThat(keys(bucket)).containsExactly("kept");
    }

    @Test
    void an_object_with_a_condition_that_no_etag_can_meet_stays() {
        String bucket = newBucket();
        put(bucket, "a", "x");

        DeleteObjectsResponse response = s3.deleteObjects(request -> request.bucket(bucket)
                .delete(delete -> delete.objects(
                        ObjectIdentifier.builder().key("a").eTag("no etag").build())));

        assertThat(response.errors()).hasSize(1);
        assertThat(keys(bucket)).containsExactly("a");
    }

    @Test
    void quiet_mode_names_only_failures() {
        String bucket = newBucket();
        put(bucket, "a", "x");

        DeleteObjectsResponse response = s3.deleteObjects(request -> request.bucket(bucket)
                .delete(delete -> delete.quiet(true).objects(identifiers(List.of("a", "missing")))));

        assertThat(response.deleted()).isEmpty();
        assertThat(response.errors()).isEmpty();
        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void a_key_that_does_not_exist_counts_as_deleted() {
        String bucket = newBucket();

        DeleteObjectsResponse response = s3.deleteObjects(
                request -> request.bucket(bucket).delete(delete -> delete.objects(identifiers(List.of("missing")))));

        assertThat(response.deleted()).extracting(DeletedObject::key).containsExactly("missing");
        assertThat(response.errors()).isEmpty();
    }

    @Test
    void a_thousand_keys_are_taken() {
        String bucket = newBucket();
        put(bucket, "key-0000", "x");
        put(bucket, "key-0999", "x");
        List<String> keys = IntStream.range(0, 1000)
                .mapToObj(i -> String.format("key-%04d", i))
                .toList();

        DeleteObjectsResponse response =
                s3.deleteObjects(request -> request.bucket(bucket).delete(delete -> delete.objects(identifiers(keys))));

        assertThat(response.deleted()).hasSize(1000);
        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void a_thousand_and_one_keys_are_refused_and_none_is_deleted() {
        String bucket = newBucket();
        put(bucket, "key-0", "x");
        List<String> keys = IntStream.range(0, 1001).mapToObj(i -> "key-" + i).toList();

        assertRefused(
                400,
                "MalformedXML",
                () -> s3.deleteObjects(
                        request -> request.bucket(bucket).delete(delete -> delete.objects(identifiers(keys)))));

        assertThat(keys(bucket)).containsExactly("key-0");
    }

    @Test
    void keys_that_are_special_in_xml_are_deleted_as_they_are_named() {
        String bucket = newBucket();
        List<String> keys = new ArrayList<>(List.of(
                "<a>",
                "a&b",
                "a&amp;b",
                "\"quoted\" and 'quoted'",
                "]]>",
                "tab\there",
                "line\nfeed",
                "carriage\rreturn",
                "%41",
                "a+b",
                "😀"));
        keys.forEach(key -> put(bucket, key, "x"));
        put(bucket, "A", "kept");

        DeleteObjectsResponse response =
                s3.deleteObjects(request -> request.bucket(bucket).delete(delete -> delete.objects(identifiers(keys))));

        assertThat(response.errors()).isEmpty();
        assertThat(keys(bucket)).containsExactly("A");
    }

    private RawResponse send(String bucket, String xml) {
        byte[] body = xml.getBytes(StandardCharsets.UTF_8);
        RawRequest request = RawRequest.of("POST", "/" + bucket + "?delete=")
                .withBody(body)
                .with("Content-MD5", Base64.getEncoder().encodeToString(Algorithm.hash("MD5", body)));
        return RawConnection.send(endpoint, Signer.of(endpoint).sign(request));
    }

    @Test
    void control_characters_go_as_references_and_come_back_so_that_a_client_can_read_them() {
        String bucket = newBucket();
        put(bucket, "carriage\rreturn", "x");

        RawResponse response = send(bucket, "<Delete><Object><Key>carriage&#13;return</Key></Object></Delete>");

        assertThat(response.assertStatus(200).element("Key")).contains("carriage\rreturn");
        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void the_namespace_of_the_document_does_not_matter() {
        String bucket = newBucket();
        put(bucket, "a", "x");
        put(bucket, "b", "x");

        send(bucket, "<Delete><Object><Key>a</Key></Object></Delete>").assertStatus(200);
        send(
                        bucket,
                        "<?xml version=\"1.0\" encoding=\"UTF-8\"?><Delete xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                                + "<Quiet>false</Quiet><Object><Key>b</Key></Object></Delete>")
                .assertStatus(200);

        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void a_request_without_keys_is_malformed() {
        String bucket = newBucket();

        send(bucket, "<Delete></Delete>").assertError(400, "MalformedXML");
        send(bucket, "<Delete><Object></Object></Delete>").assertError(400, "MalformedXML");
    }

    @Test
    void a_list_without_a_digest_is_refused_as_by_aws_whose_clients_all_send_one() {
        String bucket = newBucket();
        put(bucket, "a", "x");
        byte[] body = "<Delete><Object><Key>a</Key></Object></Delete>".getBytes(StandardCharsets.UTF_8);
        RawRequest bare = RawRequest.of("POST", "/" + bucket + "?delete=").withBody(body);

        RawConnection.send(endpoint, Signer.of(endpoint).sign(bare)).assertError(400, "InvalidRequest");
        assertThat(keys(bucket)).containsExactly("a");

        String sha256 = Base64.getEncoder().encodeToString(Algorithm.hash("SHA-256", body));
        RawConnection.send(endpoint, Signer.of(endpoint).sign(bare.with("x-amz-checksum-sha256", sha256)))
                .assertStatus(200);
        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void a_client_that_computes_checksums_only_when_required_can_delete() {
        String bucket = newBucket();
        put(bucket, "a", "x");
        try (S3Client sparing = ClientKind.syncBuilder(endpoint)
                .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
                .build()) {
            sparing.deleteObjects(
                    request -> request.bucket(bucket).delete(delete -> delete.objects(identifiers(List.of("a")))));
        }
        assertThat(keys(bucket)).isEmpty();
    }

    @Test
    void a_digest_that_does_not_match_deletes_nothing() {
        String bucket = newBucket();
        put(bucket, "a", "x");
        RawRequest request = RawRequest.of("POST", "/" + bucket + "?delete=")
                .withBody("<Delete><Object><Key>a</Key></Object></Delete>")
                .with("Content-MD5", Base64.getEncoder().encodeToString(Algorithm.hash("MD5", new byte[0])));

        RawConnection.send(endpoint, Signer.of(endpoint).sign(request)).assertError(400, "BadDigest");

        assertThat(keys(bucket)).containsExactly("a");
    }
}
