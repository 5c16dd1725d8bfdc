package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.ListObjectsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Listing a bucket, both versions of the operation: what one page holds. Paging is {@link ListingPagesTest}'s. */
class ListObjectsTest extends S3Test {

    private String bucketWith(String... keys) {
        String bucket = newBucket();
        for (String key : keys) {
            put(bucket, key, key);
        }
        return bucket;
    }

    private ListObjectsV2Response list(String bucket, Consumer<ListObjectsV2Request.Builder> more) {
        ListObjectsV2Request.Builder request = ListObjectsV2Request.builder().bucket(bucket);
        more.accept(request);
        return s3.listObjectsV2(request.build());
    }

    private static List<String> keys(ListObjectsV2Response page) {
        return page.contents().stream().map(S3Object::key).toList();
    }

    private static List<String> prefixes(ListObjectsV2Response page) {
        return page.commonPrefixes().stream().map(CommonPrefix::prefix).toList();
    }

    private static List<String> words(String list) {
        return list == null ? List.of() : Arrays.asList(list.split(" "));
    }

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void a_listing_tells_key_size_etag_time_and_class(ClientKind kind) {
        String bucket = newBucket();
        String etag = put(bucket, "key", "content").eTag();

        ListObjectsV2Response page = kind.client().listObjectsV2(request -> request.bucket(bucket));

        assertThat(page.name()).isEqualTo(bucket);
        assertThat(page.keyCount()).isEqualTo(1);
        assertThat(page.maxKeys()).isEqualTo(1000);
        assertThat(page.isTruncated()).isFalse();
        assertThat(page.nextContinuationToken()).isNull();
        S3Object listed = page.contents().getFirst();
        assertThat(listed.key()).isEqualTo("key");
        assertThat(listed.size()).isEqualTo(7);
        assertThat(listed.eTag()).isEqualTo(etag);
        assertThat(listed.storageClassAsString()).isEqualTo("STANDARD");
        assertThat(listed.owner()).as("only on demand").isNull();
        assertThat(listed.lastModified().getEpochSecond())
                .isEqualTo(s3.headObject(request -> request.bucket(bucket).key("key"))
                        .lastModified()
                        .getEpochSecond());
    }

    @Test
    void an_empty_bucket_lists_nothing() {
        String bucket = newBucket();

        ListObjectsV2Response page = list(bucket, request -> request.delimiter("/"));

        assertThat(page.contents()).isEmpty();
        assertThat(page.commonPrefixes()).isEmpty();
        assertThat(page.keyCount()).isZero();
        assertThat(page.isTruncated()).isFalse();
    }

    @Test
    void the_owner_is_told_on_demand_by_version_2_and_always_by_version_1() {
        String bucket = bucketWith("key");

        assertThat(list(bucket, request -> request.fetchOwner(true))
                        .contents()
                        .getFirst()
                        .owner()
                        .id())
                .isNotBlank();
        assertThat(list(bucket, request -> request.fetchOwner(false))
                        .contents()
                        .getFirst()
                        .owner())
                .isNull();
        assertThat(s3.listObjects(request -> request.bucket(bucket))
                        .contents()
                        .getFirst()
                        .owner()
                        .id())
                .isNotBlank();
    }

    @Test
    void keys_are_in_the_order_of_their_bytes_not_of_utf_16() {
        List<String> ordered = List.of(
                "!",
                "-",
                "0",
                "A",
                "Z",
                "_",
                "a",
                "a!",
                "a/",
                "a/b",
                "aa",
                "b",
                "~",
                "é",
                "\ud7ff",
                "\ufb01",
                "\uffff",
                "\uD800\uDC00",
                "😀");
        List<String> shuffled = new ArrayList<>(ordered);
        Collections.shuffle(shuffled, new Random(42));
        String bucket = bucketWith(shuffled.toArray(String[]::new));

        assertThat(keys(list(bucket, request -> request.encodingType("url")))).isEqualTo(ordered);
    }

    @ParameterizedTest
    @CsvSource({"'', a a/b a/c b b/c/d", "a, a a/b a/c", "a/, a/b a/c", "b/c/d, b/c/d", "b/c/d/, ", "A, ", "c, "})
    void a_prefix_selects_the_keys_that_begin_with_it(String prefix, String expected) {
        String bucket = bucketWith("a", "a/b", "a/c", "b", "b/c/d");

        ListObjectsV2Response page = list(bucket, request -> request.prefix(prefix));

        assertThat(keys(page)).isEqualTo(words(expected));
        assertThat(page.keyCount()).isEqualTo(words(expected).size());
        assertThat(page.prefix() == null ? "" : page.prefix()).isEqualTo(prefix);
    }

    @ParameterizedTest
    @CsvSource({
        // prefix, delimiter, keys, common prefixes
        "'', /, file other, a/ b/",
        "a/, /, a/ a/x, a/y/",
        "a, /, , a/",
        "a/y/, /, a/y/1 a/y/2,",
        "b/, /, b/x%y,",
        "'', %, a/ a/x a/y/1 a/y/2 file other, b/x%",
        "'', y/, a/ a/x b/x%y file other, a/y/",
        "'', le, a/ a/x a/y/1 a/y/2 b/x%y other, file",
        "'', file, a/ a/x a/y/1 a/y/2 b/x%y other, file",
        "'', nowhere, a/ a/x a/y/1 a/y/2 b/x%y file other,",
        "z, /, ,"
    })
    void a_delimiter_of_any_length_rolls_keys_up(String prefix, String delimiter, String keys, String prefixes) {
        String bucket = bucketWith("a/", "a/x", "a/y/1", "a/y/2", "b/x%y", "file", "other");

        ListObjectsV2Response page =
                list(bucket, request -> request.prefix(prefix).delimiter(delimiter));

        assertThat(keys(page)).isEqualTo(words(keys));
        assertThat(prefixes(page)).isEqualTo(words(prefixes));
        assertThat(page.keyCount())
                .isEqualTo(words(keys).size() + words(prefixes).size());
        assertThat(page.delimiter()).isEqualTo(delimiter);
    }

    @Test
    void version_1_answers_the_same() {
        String bucket = bucketWith("a/x", "a/y/1", "file");

        ListObjectsResponse page =
                s3.listObjects(request -> request.bucket(bucket).delimiter("/"));

        assertThat(page.contents()).extracting(S3Object::key).containsExactly("file");
        assertThat(page.commonPrefixes()).extracting(CommonPrefix::prefix).containsExactly("a/");
        assertThat(page.isTruncated()).isFalse();
        assertThat(page.name()).isEqualTo(bucket);
        assertThat(page.maxKeys()).isEqualTo(1000);
        assertThat(page.nextMarker()).isNull();
    }

    @ParameterizedTest
    @CsvSource({"'', a b c", "a, b c", "aa, b c", "b, c", "c, ", "zzz, "})
    void a_listing_starts_after_the_marker(String marker, String expected) {
        String bucket = bucketWith("a", "b", "c");

        ListObjectsV2Response v2 = list(bucket, request -> request.startAfter(marker));
        ListObjectsResponse v1 =
                s3.listObjects(request -> request.bucket(bucket).marker(marker));

        assertThat(keys(v2)).isEqualTo(words(expected));
        assertThat(v1.contents()).extracting(S3Object::key).isEqualTo(words(expected));
    }

    @Test
    void a_page_of_no_keys_is_empty_and_not_truncated() {
        String bucket = bucketWith("a", "b");

        ListObjectsV2Response page = list(bucket, request -> request.maxKeys(0));
        ListObjectsResponse v1 =
                s3.listObjects(request -> request.bucket(bucket).maxKeys(0));

        assertThat(page.contents()).isEmpty();
        assertThat(page.isTruncated()).isFalse();
        assertThat(page.maxKeys()).isZero();
        assertThat(v1.contents()).isEmpty();
        assertThat(v1.isTruncated()).isFalse();
    }

    @Test
    void no_page_holds_more_than_a_thousand_keys() {
        String bucket = newBucket();
        List<String> keys = IntStream.range(0, 1005)
                .mapToObj(i -> String.format("key-%04d", i))
                .toList();
        keys.parallelStream().forEach(key -> put(bucket, key, ""));

        ListObjectsV2Response page =
                list(bucket, request -> request.maxKeys(5000).prefix("key-"));

        assertThat(keys(page)).isEqualTo(keys.subList(0, 1000));
        assertThat(page.isTruncated()).isTrue();
        assertThat(page.maxKeys()).isIn(1000, 5000);
        assertThat(keys(list(
                        bucket, request -> request.prefix("key-").continuationToken(page.nextContinuationToken()))))
                .isEqualTo(keys.subList(1000, 1005));
        assertThat(keys(bucket)).hasSize(1005);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "list-type=2&max-keys=-1",
                "list-type=2&max-keys=many",
                "max-keys=-1",
                "max-keys=1e3",
                "list-type=2&continuation-token=not-one-of-ours",
                "encoding-type=base64",
                "list-type=2&encoding-type=base64"
            })
    void a_parameter_that_makes_no_sense_is_refused(String query) {
        String bucket = bucketWith("a");

        RawConnection.send(endpoint, Signer.of(endpoint).sign(RawRequest.of("GET", "/" + bucket + "?" + query)))
                .assertError(400, "InvalidArgument");
    }

    @Test
    void keys_are_percent_encoded_on_demand() {
        String bucket = bucketWith("a b+c/ü%", "plain/key");

        RawResponse page = RawConnection.send(
                endpoint,
                Signer.of(endpoint)
                        .sign(
                                RawRequest.of(
                                        "GET",
                                        "/" + bucket
                                                + "?list-type=2&encoding-type=url&delimiter=%25&prefix=a%20b&start-after=a%20")));

        assertThat(page.assertStatus(200).element("EncodingType")).contains("url");
        assertThat(page.element("Delimiter")).contains("%25");
        assertThat(page.element("Prefix").orElseThrow()).isIn("a%20b", "a+b");
        assertThat(page.element("StartAfter").orElseThrow()).isIn("a%20", "a+");
        assertThat(page.xml().getElementsByTagName("CommonPrefixes").item(0).getTextContent())
                .isIn("a%20b%2Bc/%C3%BC%25", "a+b%2Bc/%C3%BC%25");
    }

    @Test
    void a_key_that_xml_cannot_hold_does_not_break_a_listing_that_is_percent_encoded() {
        String bucket = bucketWith("control\u0001character", "plain");

        RawResponse page = RawConnection.send(
                endpoint,
                Signer.of(endpoint).sign(RawRequest.of("GET", "/" + bucket + "?list-type=2&encoding-type=url")));

        assertThat(page.assertStatus(200).element("Key")).contains("control%01character");
    }

    @Test
    void keys_that_are_special_in_xml_are_escaped() {
        List<String> odd =
                List.of("\"quoted\"", "<a>&amp;</a>", "]]>", "a&b", "carriage\rreturn", "line\nfeed", "tab\t");
        String bucket = bucketWith(odd.toArray(String[]::new));

        RawResponse page = RawConnection.send(
                endpoint, Signer.of(endpoint).sign(RawRequest.of("GET", "/" + bucket + "?list-type=2")));

        List<String> listed = new ArrayList<>();
        var elements = page.assertStatus(200).xml().getElementsByTagName("Key");
        for (int i = 0; i < elements.getLength(); i++) {
            listed.add(elements.item(i).getTextContent());
        }
        assertThat(listed).containsExactlyInAnyOrderElementsOf(odd);
    }
}
