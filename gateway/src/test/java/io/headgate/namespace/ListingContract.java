package io.headgate.namespace;

import static io.headgate.namespace.Commands.BUCKET;
import static io.headgate.namespace.Commands.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BucketName;
import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ObjectKey;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** What every engine promises of listings. */
public abstract class ListingContract extends NamespaceSuite {
    private void putAll(String... keys) {
        for (String key : keys) {
            put(key, 1);
        }
    }

    private ObjectPage page(String prefix, String delimiter, String after, int limit) {
        return done(namespace.listObjects(new ObjectQuery(BUCKET, prefix, delimiter, after, limit)));
    }

    /** The keys, and the common prefixes in brackets. */
    private List<String> list(String prefix, String delimiter, String after, int limit) {
        return page(prefix, delimiter, after, limit).entries().stream()
                .map(ListingContract::text)
                .toList();
    }

    private static String text(ObjectPage.Entry entry) {
        return switch (entry) {
            case ObjectPage.Entry.Current(ListedObject object) -> object.key().value();
            case ObjectPage.Entry.CommonPrefix(String prefix) -> "[" + prefix + "]";
        };
    }

    @Test
    void a_listing_says_of_an_object_what_was_put() {
        ObjectAttributes cold = new ObjectAttributes(Map.of(), Map.of(), Map.of(), "GLACIER");
        ObjectVersion put = done(namespace.putObject(make.put("a", 5)
                .with(cold)
                .with(List.of(new Checksum(ChecksumAlgorithm.SHA256, Checksum.Type.COMPOSITE, "x-2")))
                .command()));
        ObjectVersion plain = put("b", 0);

        assertThat(page("", "", "", 10).entries())
                .containsExactly(
                        new ObjectPage.Entry.Current(new ListedObject(
                                new ObjectKey("a"),
                                NOW,
                                5,
                                put.etag(),
                                "GLACIER",
                                Optional.of(ChecksumAlgorithm.SHA256),
                                Optional.of(Checksum.Type.COMPOSITE))),
                        new ObjectPage.Entry.Current(new ListedObject(
                                new ObjectKey("b"),
                                NOW,
                                0,
                                plain.etag(),
                                "STANDARD",
                                Optional.empty(),
                                Optional.empty())));
    }

    @Test
    void keys_come_in_the_order_of_their_bytes() {
        String highest = "\uD83D\uDE00";
        String belowIt = "\uFFFD";
        putAll(highest, belowIt, "a\u0000", "a", "ä", "Z", "a!", "~");

        assertThat(list("", "", "", 100)).containsExactly("Z", "a", "a\u0000", "a!", "~", "ä", belowIt, highest);
        assertThat(list("", "", "ä", 100)).containsExactly(belowIt, highest);
        assertThat(list("a", "", "", 100)).containsExactly("a", "a\u0000", "a!");
    }

    @Test
    void pages_go_on_after_the_last_key() {
        putAll("a", "b", "c", "d", "e");

        ObjectPage first = page("", "", "", 2);
        assertThat(first.truncated()).isTrue();
        assertThat(first.last()).isEqualTo("b");
        ObjectPage last = page("", "", "c", 2);
        assertThat(last.truncated()).isFalse();
        assertThat(last.last()).isEqualTo("e");
        assertThat(page("", "", "e", 2)).isEqualTo(new ObjectPage(List.of(), false, ""));
    }

    @Test
    void a_page_of_nothing_is_empty_and_not_truncated() {
        putAll("a");
        assertThat(page("", "/", "", 0)).isEqualTo(new ObjectPage(List.of(), false, ""));
    }

    @Test
    void keys_roll_up_to_the_delimiter_after_the_prefix() {
        putAll("a", "a/", "a/1", "a/2/3", "b/1", "c", "d//1");

        assertThat(list("", "/", "", 100)).containsExactly("a", "[a/]", "[b/]", "c", "[d/]");
        assertThat(list("a/", "/", "", 100)).containsExactly("a/", "a/1", "[a/2/]");
        assertThat(list("d/", "/", "", 100)).containsExactly("[d//]");
        assertThat(list("a", "/", "", 100)).containsExactly("a", "[a/]");
    }

    @Test
    void a_delimiter_is_any_string() {
        putAll("aXXb", "aXb", "abXXcXXd", "ä→ö→1", "ä→ö→2", "\uD83D\uDE001");

        assertThat(list("", "XX", "", 100))
                .containsExactly("[aXX]", "aXb", "[abXX]", "ä→ö→1", "ä→ö→2", "\uD83D\uDE001");
        assertThat(list("ä→", "→", "", 100)).containsExactly("[ä→ö→]");
        assertThat(list("", "\uD83D\uDE00", "ä→ö→2", 100)).containsExactly("[\uD83D\uDE00]");
        assertThat(list("ä", "", "", 1)).containsExactly("ä→ö→1");
    }

    @Test
    void a_common_prefix_is_listed_once_whatever_the_page() {
        putAll("a/1", "a/2", "b", "c/1", "c/2", "d");

        ObjectPage first = page("", "/", "", 1);
        assertThat(first.last()).isEqualTo("a/");
        assertThat(first.truncated()).isTrue();
        assertThat(list("", "/", "a/", 1)).containsExactly("b");
        assertThat(list("", "/", "b", 1)).containsExactly("[c/]");
        assertThat(page("", "/", "b", 1).truncated()).isTrue();
        assertThat(list("", "/", "c/", 1)).containsExactly("d");
        assertThat(page("", "/", "c/", 1).truncated()).isFalse();
    }

    @Test
    void a_last_page_of_one_large_common_prefix_is_not_truncated() {
        putAll("a/1", "a/2", "a/3");
        assertThat(page("", "/", "", 1))
                .isEqualTo(new ObjectPage(List.of(new ObjectPage.Entry.CommonPrefix("a/")), false, "a/"));
    }

    @Test
    void a_common_prefix_that_the_marker_lies_in_is_not_listed_again() {
        putAll("a/1", "a/2", "b/1");

        assertThat(list("", "/", "a/", 100)).containsExactly("[b/]");
        assertThat(list("", "/", "a/1", 100)).containsExactly("[b/]");
        assertThat(list("", "/", "a/1/x", 100)).containsExactly("[b/]");
        assertThat(list("", "/", "a", 100)).containsExactly("[a/]", "[b/]");
        assertThat(list("", "/", "a.", 100)).containsExactly("[a/]", "[b/]");
        assertThat(list("a/", "/", "a/1", 100)).containsExactly("a/2");
    }

    @Test
    void a_marker_outside_the_prefix_is_before_or_after_all_of_it() {
        putAll("b/1", "b/2");

        assertThat(list("b/", "", "a", 100)).containsExactly("b/1", "b/2");
        assertThat(list("b/", "", "b/", 100)).containsExactly("b/1", "b/2");
        assertThat(list("b/", "", "c", 100)).isEmpty();
    }

    @Test
    void a_prefix_that_no_key_can_have_finds_nothing() {
        putAll("?", "??", "a");

        assertThat(list("\uD800", "", "", 100)).isEmpty();
        assertThat(list("", "\uDC00", "", 100)).containsExactly("?", "??", "a");
    }

    @Test
    void deleted_objects_and_other_buckets_are_not_listed() {
        BucketName other = anotherBucket("photos-too");
        done(namespace.putObject(make.put("b", 1).in(other).command()));
        putAll("a", "c");
        delete("c");

        assertThat(list("", "", "", 100)).containsExactly("a");
        assertRefused(
                namespace.listObjects(new ObjectQuery(new BucketName("nowhere"), "", "", "", 1)),
                Refusal.NO_SUCH_BUCKET);
    }

    @Test
    void uploads_are_listed_by_key_then_start_then_id() {
        List<String> expected = new ArrayList<>();
        for (String key : List.of("b", "a/1", "a/2", "c")) {
            for (int i = 0; i < 2; i++) {
                Upload upload = make.upload(key);
                Upload later = new Upload(
                        upload.id(),
                        BUCKET,
                        upload.key(),
                        upload.attributes(),
                        upload.checksum(),
                        "alice",
                        NOW.plusSeconds(10 - i));
                done(namespace.createUpload(later));
                expected.add(key + "@" + (10 - i));
            }
        }
        assertThat(uploads("", "", "", "", 100))
                .containsExactly("a/1@9", "a/1@10", "a/2@9", "a/2@10", "b@9", "b@10", "c@9", "c@10");
        assertThat(uploads("", "/", "", "", 2)).containsExactly("b@9", "[a/]");
        assertThat(uploads("a/", "/", "", "", 3)).containsExactly("a/1@9", "a/1@10", "a/2@9");
    }

    private List<String> uploads(String prefix, String delimiter, String afterKey, String afterId, int limit) {
        UploadPage page =
                done(namespace.listUploads(new UploadQuery(BUCKET, prefix, delimiter, afterKey, afterId, limit)));
        List<String> lines = new ArrayList<>();
        page.uploads()
                .forEach(upload -> lines.add(
                        upload.key().value() + "@" + (upload.startedAt().getEpochSecond() - NOW.getEpochSecond())));
        page.commonPrefixes().forEach(prefixOf -> lines.add("[" + prefixOf + "]"));
        return lines;
    }

    @Test
    void upload_pages_go_on_within_a_key_and_after_a_common_prefix() {
        for (String key : List.of("a", "a", "a", "b/1", "b/2", "c")) {
            done(namespace.createUpload(make.upload(key)));
        }
        List<String> seen = new ArrayList<>();
        String afterKey = "";
        String afterId = "";
        UploadPage page;
        do {
            page = done(namespace.listUploads(new UploadQuery(BUCKET, "", "/", afterKey, afterId, 1)));
            page.uploads().forEach(upload -> seen.add(upload.key().value() + upload.id()));
            seen.addAll(page.commonPrefixes());
            afterKey = page.lastKey();
            afterId = page.lastUploadId();
        } while (page.truncated());

        assertThat(seen).hasSize(5).doesNotHaveDuplicates().contains("b/");
        assertThat(done(namespace.listUploads(new UploadQuery(BUCKET, "", "", "", "", 0))))
                .isEqualTo(new UploadPage(List.of(), List.of(), false, "", ""));
        assertRefused(
                namespace.listUploads(new UploadQuery(new BucketName("nowhere"), "", "", "", "", 1)),
                Refusal.NO_SUCH_BUCKET);
    }

    @Test
    void upload_pages_without_an_upload_id_go_on_after_the_key() {
        for (String key : List.of("a", "a", "b")) {
            done(namespace.createUpload(make.upload(key)));
        }
        assertThat(uploads("", "", "a", "", 100)).containsExactly("b@0");
    }
}
