package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.ListObjectsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.ObjectIdentifier;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * Walking a bucket page by page gives every key and every common prefix once and in order, whatever the page's size. All tests read
 * one bucket of odd keys; what they must see is computed here from the list of keys.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ListingPagesTest extends S3Test {
    private static final Comparator<String> BY_BYTES =
            Comparator.comparing(key -> key.getBytes(StandardCharsets.UTF_8), Arrays::compareUnsigned);
    private static final List<String> KEYS = keysInOrder();
    private String bucket;

    private static List<String> keysInOrder() {
        TreeSet<String> keys = new TreeSet<>(BY_BYTES);
        keys.addAll(List.of(
                "a",
                "a/",
                "a//",
                "a//b",
                "a/b",
                "a/b/c",
                "a/b/d",
                "a/b0",
                "a/c/1",
                "a/c/2",
                "a/c/3",
                "a0",
                "b/1",
                "b/2",
                "b//x",
                "c",
                "c/d/e/f/g",
                "/",
                "/lead",
                "//lead",
                "z/é/1",
                "z/é/2",
                "z/😀/1",
                "z/\uffff/1",
                "z/\uD800\uDC00/1",
                "with space/1",
                "with space/2",
                "with+plus/1",
                "with%percent/1",
                "with&amp;/1",
                "control\u0001/1",
                "\u0001",
                "\u007f/x",
                "\uffff",
                "😀",
                "😀/1",
                "😀/2"));
        for (int i = 0; i < 30; i++) {
            keys.add("many/" + i / 10 + "/" + i);
        }
        return List.copyOf(keys);
    }

    @BeforeAll
    void fill() {
        bucket = unusedBucketName();
        s3.createBucket(request -> request.bucket(bucket));
        for (String key : KEYS) {
            s3.putObject(request -> request.bucket(bucket).key(key), RequestBody.empty());
        }
    }

    @AfterAll
    void clear() {
        List<ObjectIdentifier> all = KEYS.stream()
                .map(key -> ObjectIdentifier.builder().key(key).build())
                .toList();
        for (ObjectIdentifier object : all) {
            s3.deleteObject(request -> request.bucket(bucket).key(object.key()));
        }
        s3.deleteBucket(request -> request.bucket(bucket));
    }

    /** What a walk must give: keys, and common prefixes once each, in one order. */
    private static List<String> expected(String prefix, String delimiter) {
        LinkedHashSet<String> entries = new LinkedHashSet<>();
        for (String key : KEYS) {
            if (key.startsWith(prefix)) {
                int end = delimiter.isEmpty() ? -1 : key.indexOf(delimiter, prefix.length());
                entries.add(end < 0 ? "key " + key : "prefix " + key.substring(0, end + delimiter.length()));
            }
        }
        return List.copyOf(entries);
    }

    private static List<String> entries(Collection<S3Object> contents, Collection<CommonPrefix> prefixes) {
        List<String> entries = new ArrayList<>();
        contents.forEach(object -> entries.add("key " + object.key()));
        prefixes.forEach(prefix -> entries.add("prefix " + prefix.prefix()));
        entries.sort(Comparator.comparing(entry -> entry.substring(entry.indexOf(' ') + 1), BY_BYTES));
        return entries;
    }

    private List<String> walkV2(String prefix, String delimiter, int pageSize) {
        List<String> walked = new ArrayList<>();
        String token = null;
        boolean more = true;
        while (more) {
            String continuation = token;
            ListObjectsV2Response page = s3.listObjectsV2(request -> request.bucket(bucket)
                    .prefix(prefix)
                    .delimiter(delimiter)
                    .maxKeys(pageSize)
                    .encodingType("url")
                    .continuationToken(continuation));
            List<String> entries = entries(page.contents(), page.commonPrefixes());
            assertThat(page.keyCount()).isEqualTo(entries.size()).isLessThanOrEqualTo(pageSize);
            assertThat(page.isTruncated()).isEqualTo(page.nextContinuationToken() != null);
            assertThat(entries.size() == pageSize || !page.isTruncated())
                    .as("a page that is not the last is full")
                    .isTrue();
            walked.addAll(entries);
            assertThat(walked).hasSizeLessThanOrEqualTo(KEYS.size());
            token = page.nextContinuationToken();
            more = page.isTruncated();
        }
        return walked;
    }

    private List<String> walkV1(String prefix, String delimiter, int pageSize) {
        List<String> walked = new ArrayList<>();
        String marker = null;
        boolean more = true;
        while (more) {
            String after = marker;
            ListObjectsResponse page = s3.listObjects(request -> request.bucket(bucket)
                    .prefix(prefix)
                    .delimiter(delimiter)
                    .maxKeys(pageSize)
                    .encodingType("url")
                    .marker(after));
            List<String> entries = entries(page.contents(), page.commonPrefixes());
            walked.addAll(entries);
            assertThat(walked).hasSizeLessThanOrEqualTo(KEYS.size());
            more = page.isTruncated();
            // S3 gives a next marker only with a delimiter; without one the last key is the marker.
            marker = page.nextMarker() != null || !more
                    ? page.nextMarker()
                    : page.contents().getLast().key();
        }
        return walked;
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5, 6, 7, 11, 13, 30, 66, 67, 68, 1000})
    void a_walk_over_everything_sees_every_key_once_and_in_order(int pageSize) {
        assertThat(walkV2("", "", pageSize)).isEqualTo(expected("", ""));
        assertThat(walkV1("", "", pageSize)).isEqualTo(expected("", ""));
    }

    @ParameterizedTest
    @CsvSource({
        "'', /",
        "a, /",
        "a/, /",
        "a//, /",
        "z/, /",
        "many/, /",
        "many/1, 1",
        "'', //",
        "'', /b",
        "'', a",
        "with, /",
        "😀, /",
        "'', 😀",
        "/, /",
        "'', \u0001"
    })
    void a_walk_with_a_delimiter_sees_every_key_and_prefix_once_and_in_order(String prefix, String delimiter) {
        for (int pageSize : new int[] {1, 2, 3, 5, 1000}) {
            assertThat(walkV2(prefix, delimiter, pageSize))
                    .as("V2, pages of %d", pageSize)
                    .isEqualTo(expected(prefix, delimiter));
            assertThat(walkV1(prefix, delimiter, pageSize))
                    .as("V1, pages of %d", pageSize)
                    .isEqualTo(expected(prefix, delimiter));
        }
    }

    @Test
    void a_page_in_version_1_names_the_next_marker_only_with_a_delimiter() {
        ListObjectsResponse plain =
                s3.listObjects(request -> request.bucket(bucket).prefix("many/").maxKeys(2));
        ListObjectsResponse delimited = s3.listObjects(
                request -> request.bucket(bucket).prefix("many/").delimiter("/").maxKeys(2));

        assertThat(plain.isTruncated()).isTrue();
        assertThat(plain.nextMarker()).isNull();
        assertThat(delimited.isTruncated()).isTrue();
        assertThat(delimited.nextMarker()).isEqualTo("many/1/");
    }

    @Test
    void a_continuation_goes_on_although_its_key_is_gone() {
        ListObjectsV2Response first = s3.listObjectsV2(
                request -> request.bucket(bucket).prefix("many/2/").maxKeys(3));
        String last = first.contents().getLast().key();
        s3.deleteObject(request -> request.bucket(bucket).key(last));

        ListObjectsV2Response second = s3.listObjectsV2(request ->
                request.bucket(bucket).prefix("many/2/").maxKeys(3).continuationToken(first.nextContinuationToken()));

        s3.putObject(request -> request.bucket(bucket).key(last), RequestBody.empty());
        assertThat(second.contents()).extracting(S3Object::key).containsExactly("many/2/23", "many/2/24", "many/2/25");
        assertThat(second.continuationToken()).isEqualTo(first.nextContinuationToken());
    }

    @Test
    void a_continuation_token_comes_before_a_start_after() {
        ListObjectsV2Response first = s3.listObjectsV2(
                request -> request.bucket(bucket).prefix("many/2/").maxKeys(2));

        ListObjectsV2Response second = s3.listObjectsV2(request -> request.bucket(bucket)
                .prefix("many/2/")
                .maxKeys(2)
                .startAfter("many/2/28")
                .continuationToken(first.nextContinuationToken()));

        assertThat(second.contents()).extracting(S3Object::key).containsExactly("many/2/22", "many/2/23");
    }

    @Test
    void the_sdks_paginator_walks_it_all() {
        assertThat(s3.listObjectsV2Paginator(
                                request -> request.bucket(bucket).maxKeys(7).encodingType("url"))
                        .contents())
                .extracting(S3Object::key)
                .isEqualTo(KEYS);
    }
}
