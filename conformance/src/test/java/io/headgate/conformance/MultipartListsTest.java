package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListPartsResponse;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.Part;

/** Listing uploads in progress and their parts. */
class MultipartListsTest extends S3Test {
    private String bucket;

    @BeforeEach
    void createBucket() {
        bucket = newBucket();
    }

    @Test
    void an_uploads_parts_are_listed_in_the_order_of_their_numbers() {
        Upload upload = Upload.start(s3, bucket, "key", request -> request.storageClass("STANDARD_IA"));
        upload.part(7, bytes(7, 70));
        upload.part(2, bytes(2, 20));
        String etag = upload.part(10_000, bytes(1, 10)).eTag();

        ListPartsResponse list =
                s3.listParts(request -> request.bucket(bucket).key("key").uploadId(upload.id()));

        assertThat(list.bucket()).isEqualTo(bucket);
        assertThat(list.key()).isEqualTo("key");
        assertThat(list.uploadId()).isEqualTo(upload.id());
        assertThat(list.isTruncated()).isFalse();
        assertThat(list.maxParts()).isEqualTo(1000);
        assertThat(list.storageClassAsString()).isEqualTo("STANDARD_IA");
        assertThat(list.owner().id()).isNotBlank();
        assertThat(list.initiator().id()).isNotBlank();
        assertThat(list.parts()).extracting(Part::partNumber).containsExactly(2, 7, 10_000);
        assertThat(list.parts()).extracting(Part::size).containsExactly(20L, 70L, 10L);
        assertThat(list.parts().getLast().eTag()).isEqualTo(etag);
        assertThat(list.parts().getLast().lastModified()).isNotNull();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 1000})
    void parts_are_listed_in_pages(int pageSize) {
        Upload upload = Upload.start(s3, bucket, "key");
        List<Integer> numbers = List.of(1, 2, 3, 5, 8, 13, 21);
        numbers.forEach(number -> upload.part(number, bytes(number, 1)));

        List<Integer> listed = new ArrayList<>();
        Integer marker = null;
        boolean more = true;
        while (more) {
            Integer after = marker;
            ListPartsResponse page = s3.listParts(request -> request.bucket(bucket)
                    .key("key")
                    .uploadId(upload.id())
                    .maxParts(pageSize)
                    .partNumberMarker(after));
            assertThat(page.parts()).hasSizeLessThanOrEqualTo(pageSize);
            page.parts().forEach(part -> listed.add(part.partNumber()));
            more = page.isTruncated();
            marker = page.nextPartNumberMarker();
        }

        assertThat(listed).isEqualTo(numbers);
    }

    @Test
    void uploads_are_listed_by_key_then_start() {
        String later = Upload.start(s3, bucket, "b").id();
        String first = Upload.start(s3, bucket, "a").id();
        String second = Upload.start(s3, bucket, "a").id();

        ListMultipartUploadsResponse list = s3.listMultipartUploads(request -> request.bucket(bucket));

        assertThat(list.uploads()).extracting(MultipartUpload::key).containsExactly("a", "a", "b");
        assertThat(list.uploads())
                .extracting(MultipartUpload::uploadId)
                .containsExactlyInAnyOrder(first, second, later)
                .endsWith(later);
        assertThat(list.isTruncated()).isFalse();
        assertThat(list.maxUploads()).isEqualTo(1000);
        assertThat(list.uploads().getFirst().initiated()).isNotNull();
        assertThat(list.uploads().getFirst().owner().id()).isNotBlank();
        assertThat(list.uploads().getFirst().initiator().id()).isNotBlank();
        assertThat(list.uploads().getFirst().storageClassAsString()).isEqualTo("STANDARD");
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 1000})
    void uploads_are_listed_in_pages(int pageSize) {
        List<String> ids = new ArrayList<>();
        for (String key : new String[] {"a", "b/1", "b/2", "b/2", "b/2", "c"}) {
            ids.add(Upload.start(s3, bucket, key).id());
        }

        List<String> keys = new ArrayList<>();
        List<String> listed = new ArrayList<>();
        String keyMarker = null;
        String idMarker = null;
        boolean more = true;
        while (more) {
            String afterKey = keyMarker;
            String afterId = idMarker;
            ListMultipartUploadsResponse page = s3.listMultipartUploads(request -> request.bucket(bucket)
                    .maxUploads(pageSize)
                    .keyMarker(afterKey)
                    .uploadIdMarker(afterId));
            assertThat(page.uploads()).hasSizeLessThanOrEqualTo(pageSize);
            page.uploads().forEach(upload -> {
                keys.add(upload.key());
                listed.add(upload.uploadId());
            });
            more = page.isTruncated();
            keyMarker = page.nextKeyMarker();
            idMarker = page.nextUploadIdMarker();
        }

        assertThat(keys).containsExactly("a", "b/1", "b/2", "b/2", "b/2", "c");
        assertThat(listed).containsExactlyInAnyOrderElementsOf(ids).doesNotHaveDuplicates();
    }

    @Test
    void uploads_are_selected_by_prefix_and_rolled_up_by_delimiter() {
        for (String key : new String[] {"a/1", "a/b/1", "a/b/2", "a/c/1", "d"}) {
            Upload.start(s3, bucket, key);
        }

        ListMultipartUploadsResponse all =
                s3.listMultipartUploads(request -> request.bucket(bucket).delimiter("/"));
        ListMultipartUploadsResponse below = s3.listMultipartUploads(
                request -> request.bucket(bucket).prefix("a/").delimiter("/"));

        assertThat(all.uploads()).extracting(MultipartUpload::key).containsExactly("d");
        assertThat(all.commonPrefixes()).extracting(CommonPrefix::prefix).containsExactly("a/");
        assertThat(below.uploads()).extracting(MultipartUpload::key).containsExactly("a/1");
        assertThat(below.commonPrefixes()).extracting(CommonPrefix::prefix).containsExactly("a/b/", "a/c/");
    }

    @Test
    void a_key_marker_alone_skips_all_uploads_of_the_key() {
        Upload.start(s3, bucket, "a");
        Upload.start(s3, bucket, "a");
        Upload.start(s3, bucket, "b");

        assertThat(s3.listMultipartUploads(request -> request.bucket(bucket).keyMarker("a"))
                        .uploads())
                .extracting(MultipartUpload::key)
                .containsExactly("b");
    }

    @Test
    void completed_and_aborted_uploads_are_not_listed() {
        Upload completed = Upload.start(s3, bucket, "completed");
        completed.part(1, bytes(1, 1));
        completed.complete();
        Upload.start(s3, bucket, "aborted").abort();
        Upload.start(s3, bucket, "open");

        assertThat(s3.listMultipartUploads(request -> request.bucket(bucket)).uploads())
                .extracting(MultipartUpload::key)
                .containsExactly("open");
    }

    @Test
    void keys_of_uploads_are_percent_encoded_on_demand() {
        Upload.start(s3, bucket, "a b/ü\u007f");

        RawResponse list = RawConnection.send(
                endpoint, Signer.of(endpoint).sign(RawRequest.of("GET", "/" + bucket + "?uploads=&encoding-type=url")));

        assertThat(list.assertStatus(200).element("Key").orElseThrow()).isIn("a%20b/%C3%BC%7F", "a+b/%C3%BC%7F");
    }
}
