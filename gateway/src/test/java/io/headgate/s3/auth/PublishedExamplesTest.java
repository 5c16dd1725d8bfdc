package io.headgate.s3.auth;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.http.RequestHead;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/**
 * The examples of Amazon's documentation verify.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html">in the header</a>
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html">in the query</a>
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming.html">in chunks</a>
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-streaming-trailers.html">with trailers</a>
 */
final class PublishedExamplesTest {
    private static final Instant MAY_24 = Instant.parse("2013-05-24T00:00:00Z");
    private static final String SHA256_OF_NOTHING = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    private final SigV4 sigV4 = new SigV4(
            "us-east-1",
            accessKey -> new Credential(accessKey, "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "example", "Example"),
            any -> "");

    @Test
    void get_object_with_a_range() {
        verify(
                "GET /test.txt",
                "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
                "host: examplebucket.s3.amazonaws.com",
                "range: bytes=0-9",
                "x-amz-content-sha256: " + SHA256_OF_NOTHING,
                "x-amz-date: 20130524T000000Z");
    }

    @Test
    void put_object_whose_path_is_not_sent_as_it_is_signed() throws IOException {
        RequestHead head = head(
                "PUT /test$file.text",
                "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
                "date: Fri, 24 May 2013 00:00:00 GMT",
                "host: examplebucket.s3.amazonaws.com",
                "x-amz-content-sha256: 44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
                "x-amz-date: 20130524T000000Z",
                "x-amz-storage-class: REDUCED_REDUNDANCY");
        byte[] body = "Welcome to Amazon S3.".getBytes(US_ASCII);
        assertThat(read(head, OptionalLong.of(body.length), body).readAllBytes())
                .isEqualTo(body);
    }

    @Test
    void get_bucket_lifecycle() {
        verify(
                "GET /?lifecycle",
                "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
                "host: examplebucket.s3.amazonaws.com",
                "x-amz-content-sha256: " + SHA256_OF_NOTHING,
                "x-amz-date: 20130524T000000Z");
    }

    @Test
    void list_objects_whose_parameters_are_not_sent_in_order() {
        for (String query : List.of("max-keys=2&prefix=J", "prefix=J&max-keys=2")) {
            verify(
                    "GET /?" + query,
                    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
                    "host: examplebucket.s3.amazonaws.com",
                    "x-amz-content-sha256: " + SHA256_OF_NOTHING,
                    "x-amz-date: 20130524T000000Z");
        }
    }

    @Test
    void a_presigned_url() {
        String target = "/test.txt?X-Amz-Algorithm=AWS4-HMAC-SHA256"
                + "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request"
                + "&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host"
                + "&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404";
        RequestHead head = new RequestHead(
                "GET", target, List.of(new RequestHead.Field("host", "examplebucket.s3.amazonaws.com")), "");
        assertThat(authenticate(head).payload()).isEqualTo(new Payload.Unsigned());
    }

    @Test
    void a_chunked_upload_of_66560_bytes() throws IOException {
        RequestHead head = head(
                "PUT /examplebucket/chunkObject.txt",
                "4f232c4386841ef735655705268965c44a0e4690baa4adea153f7db9fa80a0a9",
                "content-encoding: aws-chunked",
                "content-length: 66824",
                "host: s3.amazonaws.com",
                "x-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD",
                "x-amz-date: 20130524T000000Z",
                "x-amz-decoded-content-length: 66560",
                "x-amz-storage-class: REDUCED_REDUNDANCY");
        byte[] body = chunks(
                "10000;chunk-signature=ad80c730a21e5b8d04586a2213dd63b9a0e99e0e2307b0ade35a65485a288648\r\n",
                "400;chunk-signature=0055627c9e194cb4542bae2aa5492e3c1575bbb81b612b7d234b86a503ef5497\r\n",
                "0;chunk-signature=b6c6ea8a5354eaf15b3cb7646744f4275b71ea724fed81ceb9323e279d449df9\r\n\r\n");
        assertThat(body).hasSize(66_824);
        assertThat(read(head, OptionalLong.of(body.length), body).readAllBytes())
                .isEqualTo("a".repeat(66_560).getBytes(US_ASCII));
    }

    @Test
    void a_chunked_upload_with_a_signed_trailer() throws IOException {
        RequestHead head = head(
                "PUT /examplebucket/chunkObject.txt",
                "106e2a8a18243abcf37539882f36619c00e2dfc72633413f02d3b74544bfeb8e",
                "content-encoding: aws-chunked",
                "host: s3.amazonaws.com",
                "x-amz-content-sha256: STREAMING-AWS4-HMAC-SHA256-PAYLOAD-TRAILER",
                "x-amz-date: 20130524T000000Z",
                "x-amz-decoded-content-length: 66560",
                "x-amz-storage-class: REDUCED_REDUNDANCY",
                "x-amz-trailer: x-amz-checksum-crc32c");
        byte[] body = chunks(
                "10000;chunk-signature=b474d8862b1487a5145d686f57f013e54db672cee1c953b3010fb58501ef5aa2\r\n",
                "400;chunk-signature=1c1344b170168f8e65b41376b44b20fe354e373826ccbbe2c1d40a8cae51e5c7\r\n",
                "0;chunk-signature=2ca2aba2005185cf7159c6277faf83795951dd77a3a99e6e65d5c9f85863f992\r\n"
                        + "x-amz-checksum-crc32c:sOO8/Q==\r\n"
                        + "x-amz-trailer-signature:d81f82fc3505edab99d459891051a732e8730629a2e4a59689829ca17fe2e435\r\n\r\n");
        VerifiedBody verified = read(head, OptionalLong.empty(), body);
        assertThat(verified.readAllBytes()).hasSize(66_560);
        assertThat(verified.checksum())
                .contains(new Checksum(ChecksumAlgorithm.CRC32C, Checksum.Type.FULL_OBJECT, "sOO8/Q=="));
    }

    private void verify(String request, String signature, String... headers) {
        assertThat(authenticate(head(request, signature, headers)).credential().userId())
                .isEqualTo("example");
    }

    /** A head, all of whose headers are signed. */
    private static RequestHead head(String request, String signature, String... headers) {
        List<RequestHead.Field> fields = new ArrayList<>();
        for (String header : headers) {
            String[] parts = header.split(": ", 2);
            fields.add(new RequestHead.Field(parts[0], parts[1]));
        }
        String names =
                String.join(";", fields.stream().map(RequestHead.Field::name).toList());
        fields.add(new RequestHead.Field(
                "authorization",
                "AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,SignedHeaders="
                        + names + ",Signature=" + signature));
        String[] start = request.split(" ");
        return new RequestHead(start[0], start[1], fields, "");
    }

    private Authentication.Verified authenticate(RequestHead head) {
        return (Authentication.Verified) TestSigner.authenticate(sigV4, head, MAY_24);
    }

    private VerifiedBody read(RequestHead head, OptionalLong contentLength, byte[] body) {
        BodyClaims claims = BodyClaims.of(head, authenticate(head).payload(), contentLength);
        return new VerifiedBody(claims, new ByteArrayInputStream(body), null);
    }

    private static byte[] chunks(String first, String second, String last) throws IOException {
        ByteArrayOutputStream body = new ByteArrayOutputStream();
        body.write(
                (first + "a".repeat(65_536) + "\r\n" + second + "a".repeat(1024) + "\r\n" + last).getBytes(US_ASCII));
        return body.toByteArray();
    }
}
