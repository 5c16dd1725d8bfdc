package io.headgate.s3;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class RouterTest {
    private final Router router = new Router("s3.example.com");

    private S3Request route(String method, String target, String... headers) {
        List<Field> fields = Arrays.stream(headers)
                .map(header -> header.split(": ", 2))
                .map(pair -> new Field(pair[0], pair[1]))
                .toList();
        RequestHead head = new RequestHead(method, target, fields, "127.0.0.1");
        return router.route(head, QueryParameters.parse(head.rawQuery()));
    }

    private static S3Request.GetObject get(String bucket, String key) {
        return new S3Request.GetObject(new BucketName(bucket), new ObjectKey(key), Optional.empty(), Optional.empty());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "/bucket/key|key",
                "/bucket//key|/key",
                "/bucket/a//b/|a//b/",
                "/bucket/./../a|./../a",
                "/bucket/a%2Fb|a/b",
                "/bucket/a+b|a+b",
                "/bucket/a%2Bb%20c|a+b c",
                "/bucket/%C3%A9%F0%9F%98%80|é😀",
                "/bucket/a;b=c&d|a;b=c&d",
                "/bucket/%3Fx|?x",
                "/bucket/~*'()!|~*'()!",
            })
    void a_key_is_what_the_path_says_after_one_decoding(String target, String key) {
        assertThat(route("GET", target)).isEqualTo(get("bucket", key));
    }

    @Test
    void raw_bytes_of_utf8_in_a_path_are_the_characters_they_encode() {
        assertThat(route("GET", "/bucket/\u00c3\u00a9")).isEqualTo(get("bucket", "é"));
    }

    @Test
    void a_bucket_before_the_domain_in_the_host_header_is_the_bucket() {
        assertThat(route("GET", "/bucket/key", "Host: photos.s3.example.com")).isEqualTo(get("photos", "bucket/key"));
        assertThat(route("GET", "/key", "Host: Photos.S3.example.com:9000")).isEqualTo(get("photos", "key"));
        assertThat(route("GET", "/key", "Host: my.photos.s3.example.com")).isEqualTo(get("my.photos", "key"));
    }

    @Test
    void the_domain_itself_and_foreign_hosts_are_path_style() {
        assertThat(route("GET", "/bucket/key", "Host: s3.example.com")).isEqualTo(get("bucket", "key"));
        assertThat(route("GET", "/bucket/key", "Host: 127.0.0.1:9000")).isEqualTo(get("bucket", "key"));
        assertThat(route("GET", "/bucket/key", "Host: [::1]:9000")).isEqualTo(get("bucket", "key"));
    }

    @ParameterizedTest
    @CsvSource({
        "GET,/,ListBuckets",
        "PUT,/bucket,CreateBucket",
        "PUT,/bucket/,CreateBucket",
        "HEAD,/bucket,HeadBucket",
        "DELETE,/bucket,DeleteBucket",
        "GET,/bucket?location,GetBucketLocation",
        "GET,/bucket,ListObjects",
        "GET,/bucket?list-type=2,ListObjectsV2",
        "GET,/bucket?list-type=1,ListObjects",
        "GET,/bucket?uploads,ListMultipartUploads",
        "POST,/bucket,PostObject",
        "POST,/bucket?delete,DeleteObjects",
        "PUT,/bucket/key,PutObject",
        "PUT,/bucket/key?x-id=PutObject,PutObject",
        "GET,/bucket/key,GetObject",
        "GET,/bucket/key?attributes,GetObjectAttributes",
        "HEAD,/bucket/key,HeadObject",
        "DELETE,/bucket/key,DeleteObject",
        "POST,/bucket/key?uploads,CreateMultipartUpload",
        "PUT,/bucket/key?partNumber=1&uploadId=u,UploadPart",
        "POST,/bucket/key?uploadId=u,CompleteMultipartUpload",
        "DELETE,/bucket/key?uploadId=u,AbortMultipartUpload",
        "GET,/bucket/key?uploadId=u,ListParts",
        "GET,/bucket?acl,GetBucketAcl",
        "GET,/bucket/key?acl,GetObjectAcl",
        "PUT,/bucket/key?tagging,PutObjectTagging",
        "PUT,/bucket?tagging,PutBucketTagging",
        "DELETE,/bucket?policy,DeleteBucketPolicy",
        "GET,/bucket?policyStatus,GetBucketPolicyStatus",
        "DELETE,/bucket?publicAccessBlock,DeletePublicAccessBlock",
    })
    void method_and_subresource_choose_the_operation(String method, String target, String operation) {
        assertThat(route(method, target).operation()).isEqualTo(operation);
    }

    @ParameterizedTest
    @CsvSource({
        "GET,/bucket?versioning,GetBucketVersioning",
        "PUT,/bucket?lifecycle,PutBucketLifecycleConfiguration",
        "DELETE,/bucket?lifecycle,DeleteBucketLifecycleConfiguration",
        "GET,/bucket?versions,ListObjectVersions",
        "GET,/bucket/key?retention,GetObjectRetention",
        "PUT,/bucket?encryption,PutBucketEncryption",
        "GET,/bucket?analytics,ListBucketAnalyticsConfigurations",
        "GET,/bucket?analytics&id=1,GetBucketAnalyticsConfiguration",
        "POST,/bucket/key?restore,RestoreObject",
        "POST,/bucket/key?select&select-type=2,SelectObjectContent",
        "POST,/bucket/key,PostObject",
        "PATCH,/bucket/key,UnknownObject",
        "POST,/,PostService",
    })
    void an_operation_that_is_not_built_is_named(String method, String target, String operation) {
        assertThat(route(method, target)).isEqualTo(new S3Request.Unsupported(operation));
    }

    @Test
    void a_copy_source_makes_a_put_a_copy() {
        assertThat(route("PUT", "/bucket/key", "x-amz-copy-source: /source/a%20b%2Bc+d?versionId=null"))
                .isEqualTo(new S3Request.CopyObject(
                        new BucketName("bucket"),
                        new ObjectKey("key"),
                        new CopySource(new BucketName("source"), new ObjectKey("a b+c+d"), Optional.of("null"))));
        assertThat(route("PUT", "/bucket/key?partNumber=2&uploadId=u", "x-amz-copy-source: source/key")
                        .operation())
                .isEqualTo("UploadPartCopy");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/bucket/a%",
                "/bucket/a%2",
                "/bucket/a%zz",
                "/bucket/%FF",
                "/bucket/%C3",
                "//key",
                "bucket",
                "/bucket/a?x=%"
            })
    void a_target_that_is_not_utf8_or_has_broken_escapes_is_an_invalid_uri(String target) {
        assertError(S3Error.INVALID_URI, "GET", target);
    }

    @ParameterizedTest
    @ValueSource(strings = {"/ab", "/Bucket/key", "/buck_et/key", "/-bucket", "/192.168.1.1/key", "/a..b/key"})
    void a_bucket_name_against_the_rules_is_refused(String target) {
        assertError(S3Error.INVALID_BUCKET_NAME, "GET", target);
    }

    @Test
    void a_key_of_1024_bytes_is_taken_and_one_of_1025_refused() {
        String longest = "é".repeat(512);
        assertThat(route("GET", "/bucket/" + "%C3%A9".repeat(512))).isEqualTo(get("bucket", longest));
        assertError(S3Error.KEY_TOO_LONG, "GET", "/bucket/" + "%C3%A9".repeat(512) + "a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/bucket?max-keys=x",
                "/bucket?max-keys=-1",
                "/bucket?max-keys=99999999999999999999",
                "/bucket?encoding-type=utf8",
                "/bucket/key?partNumber=0",
                "/bucket/key?partNumber=10001",
            })
    void a_parameter_out_of_range_is_an_invalid_argument(String target) {
        assertError(S3Error.INVALID_ARGUMENT, "GET", target);
    }

    @Test
    void a_page_is_cut_to_the_largest_size() {
        assertThat(route("GET", "/bucket?max-keys=5000"))
                .isEqualTo(new S3Request.ListObjects(new BucketName("bucket"), "", "", "", 1000, false));
    }

    @Test
    void a_query_of_too_many_parameters_is_refused() {
        assertError(S3Error.INVALID_URI, "GET", "/bucket?" + "a=1&".repeat(101));
    }

    private void assertError(S3Error error, String method, String target) {
        assertThatThrownBy(() -> route(method, target))
                .isInstanceOfSatisfying(
                        S3Exception.class, thrown -> assertThat(thrown.error()).isEqualTo(error));
    }
}
