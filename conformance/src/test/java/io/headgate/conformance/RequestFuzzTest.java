package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.s3.model.Bucket;

/**
 * Well-signed nonsense: seeded random operations, parameters, headers and documents. Whatever arrives, the answer is one of S3's, never an
 * internal error, a hang, or a word about how the server is made.
 */
class RequestFuzzTest extends S3Test {
    private static final int REQUESTS = 2_000;

    private static final List<String> METHODS =
            List.of("GET", "HEAD", "PUT", "POST", "DELETE", "OPTIONS", "PATCH", "BREW");
    private static final List<String> PARAMETERS = List.of(
            "acl",
            "attributes",
            "continuation-token",
            "delete",
            "delimiter",
            "encoding-type",
            "fetch-owner",
            "id",
            "key-marker",
            "legal-hold",
            "lifecycle",
            "list-type",
            "location",
            "marker",
            "max-keys",
            "max-parts",
            "max-uploads",
            "partNumber",
            "part-number-marker",
            "policy",
            "prefix",
            "response-content-type",
            "response-expires",
            "restore",
            "retention",
            "select",
            "start-after",
            "tagging",
            "torrent",
            "uploadId",
            "upload-id-marker",
            "uploads",
            "versionId",
            "versioning",
            "versions",
            "website",
            "x-id");
    private static final List<String> VALUES = List.of(
            "",
            "0",
            "1",
            "2",
            "-1",
            "10001",
            "2147483648",
            "99999999999999999999",
            "true",
            "url",
            "null",
            "a",
            "%00",
            "%0A",
            "%20",
            "%2F",
            "%C3%A9",
            "%F0%9F%98%80",
            "%EF%BF%BF",
            "..%2F..%2Fetc%2Fpasswd",
            "*",
            "1YQ",
            "%25zz");
    private static final List<String> HEADERS = List.of(
            "content-md5",
            "content-type",
            "content-encoding",
            "expires",
            "if-match",
            "if-modified-since",
            "if-none-match",
            "if-range",
            "if-unmodified-since",
            "range",
            "x-amz-acl",
            "x-amz-checksum-algorithm",
            "x-amz-checksum-crc32",
            "x-amz-checksum-mode",
            "x-amz-checksum-sha256",
            "x-amz-checksum-type",
            "x-amz-copy-source",
            "x-amz-copy-source-if-match",
            "x-amz-copy-source-if-modified-since",
            "x-amz-copy-source-range",
            "x-amz-max-parts",
            "x-amz-meta-a",
            "x-amz-metadata-directive",
            "x-amz-mp-object-size",
            "x-amz-object-attributes",
            "x-amz-part-number-marker",
            "x-amz-sdk-checksum-algorithm",
            "x-amz-storage-class",
            "x-amz-tagging",
            "x-amz-tagging-directive",
            "x-amz-website-redirect-location",
            "x-headgate-region",
            "amz-sdk-invocation-id",
            "amz-sdk-request");
    private static final List<String> HEADER_VALUES = List.of(
            "",
            "*",
            "\"a\"",
            "a",
            "W/\"b\", \"c\"",
            "bytes=0-0",
            "bytes=-0",
            "bytes=5-2",
            "bytes=0-99999999999999999",
            "bytes=0-1,3-4",
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "not a date",
            "REPLACE",
            "COPY",
            "ENABLED",
            "CRC32",
            "SHA256",
            "AAAAAA==",
            "====",
            "a=b&c=d",
            "a=b&a=b",
            "ETag,ObjectParts",
            "-1",
            "0",
            "9223372036854775807",
            "STANDARD",
            "attempt=1; max=3",
            "attempt=x",
            "caf\u00e9",
            "\u001f",
            "x".repeat(3000));
    private static final List<String> DOCUMENTS = List.of(
            "",
            "<",
            "<Delete/>",
            "<Delete><Object><Key>a</Key></Object></Delete>",
            "<Delete><Object><Key></Key></Object><Quiet>yes</Quiet></Delete>",
            "<Delete><Object><VersionId>x</VersionId></Object></Delete>",
            "<CompleteMultipartUpload/>",
            "<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>a</ETag></Part></CompleteMultipartUpload>",
            "<CompleteMultipartUpload><Part><PartNumber>x</PartNumber></Part></CompleteMultipartUpload>",
            "<CreateBucketConfiguration><LocationConstraint>eu</LocationConstraint></CreateBucketConfiguration>",
            "<CreateBucketConfiguration><LocationConstraint>../..</LocationConstraint></CreateBucketConfiguration>",
            "<!DOCTYPE a [<!ENTITY b SYSTEM \"file:///etc/passwd\">]><Delete>&b;</Delete>",
            "<a>".repeat(5_000),
            "\u0000\u0001\u0002");

    private final String bucket = newBucket();
    private final Signer signer = Signer.of(endpoint);

    @Test
    void well_signed_nonsense_never_meets_an_internal_error() {
        long seed = Long.getLong("headgate.fuzz.seed", new Random().nextLong());
        Random random = new Random(seed);
        put(bucket, "a", "content".getBytes(StandardCharsets.UTF_8));

        for (int i = 0; i < REQUESTS; i++) {
            RawRequest request = request(random);
            String what = "seed " + seed + ", request " + i + ": " + request.method() + " " + request.target() + " "
                    + request.headers();

            RawResponse response = RawConnection.send(endpoint, request);

            assertThat(response.status()).as(what).isNotIn(500, 502, 503).isBetween(200, 599);
            assertThat(response.text())
                    .as(what)
                    .doesNotContain("Exception", "io.headgate", "java.", "org.eclipse", "sqlite");
        }
        // Among the nonsense may be the deletion of everything.
        String after = newBucket();
        assertThat(s3.listBuckets().buckets()).extracting(Bucket::name).contains(after);
    }

    private RawRequest request(Random random) {
        StringBuilder target = new StringBuilder("/");
        int depth = random.nextInt(4);
        if (depth > 0) {
            target.append(random.nextInt(8) == 0 ? pick(VALUES, random) : bucket);
        }
        if (depth > 1) {
            target.append('/').append(random.nextBoolean() ? "a" : pick(VALUES, random));
        }
        String separator = "?";
        for (int left = random.nextInt(4); left > 0; left--) {
            target.append(separator).append(pick(PARAMETERS, random));
            if (random.nextInt(3) > 0) {
                target.append('=').append(pick(VALUES, random));
            }
            separator = "&";
        }
        RawRequest request = RawRequest.of(pick(METHODS, random), target.toString());
        for (int left = random.nextInt(4); left > 0; left--) {
            request = request.with(pick(HEADERS, random), pick(HEADER_VALUES, random));
        }
        if (random.nextInt(3) > 0) {
            request = request.withBody(pick(DOCUMENTS, random));
        }
        return signer.sign(request, Signer.UNSIGNED);
    }

    private static <T> T pick(List<T> choices, Random random) {
        return choices.get(random.nextInt(choices.size()));
    }
}
