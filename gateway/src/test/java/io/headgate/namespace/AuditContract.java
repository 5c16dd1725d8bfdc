package io.headgate.namespace;

import static io.headgate.namespace.Commands.BUCKET;
import static io.headgate.namespace.Commands.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ByteRange;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * What every engine promises to who checks all of it. Damage is done by correcting what is right. Objects are put into disk-1, parts into
 * disk-2.
 */
public abstract class AuditContract extends NamespaceSuite {
    private static final AccountUsage NOTHING = AccountUsage.NONE;

    private List<Discrepancy> audit() {
        List<Discrepancy> found = new ArrayList<>();
        namespace.audit(found::add);
        return found;
    }

    /**
     * Records another number of references to what a version holds than there are: by correcting what is right, unless the engine looks
     * itself who refers to it.
     *
     * @param more how many more; -1 for none
     */
    protected void miscount(ObjectVersion version, int more) {
        correct(
                switch (version.manifest()) {
                    case Manifest.Stored(String id, int parts) -> new Discrepancy.ManifestReferences(id, 1, 1 + more);
                    case Manifest.Inline inline ->
                        new Discrepancy.BlobReferences(
                                blob(version), slice(version).account(), 1, 1 + more);
                });
    }

    private boolean correct(Discrepancy.Correctable... wrong) {
        return namespace.correct(namespace.audit(discrepancy -> {}), List.of(wrong), NOW);
    }

    private List<Holder> holders(BlobId... blobs) {
        List<Holder> found = new ArrayList<>();
        namespace.holders(List.of(blobs), found::add);
        return found;
    }

    private static Slice slice(ObjectVersion version) {
        return ((Manifest.Inline) version.manifest()).slice().orElseThrow();
    }

    private static BlobId blob(ObjectVersion version) {
        return slice(version).blob();
    }

    private Upload start(String key) {
        return done(namespace.createUpload(make.upload(key)));
    }

    private ObjectVersion multipart(String key, PutPart... parts) {
        Upload upload = done(namespace.upload(BUCKET, new ObjectKey(key), parts[0].uploadId()));
        List<Part> all = new ArrayList<>();
        for (PutPart part : parts) {
            all.add(done(namespace.putPart(part)));
        }
        return done(namespace.completeUpload(make.complete(upload, all)));
    }

    private ObjectVersion twoParts(String key) {
        Upload upload = start(key);
        return multipart(key, make.putPart(upload, 1, 10), make.putPart(upload, 2, 7));
    }

    @Test
    void a_namespace_in_use_has_no_discrepancies() {
        ObjectVersion first = put("a", 10);
        put("a", 20);
        put("empty", 0);
        done(namespace.copyObject(make.copy("a", "b")));
        twoParts("c");
        done(namespace.copyObject(make.copy("c", "d")));
        delete("c");
        twoParts("e");
        delete("e");
        Upload aborted = start("f");
        done(namespace.putPart(make.putPart(aborted, 1, 10)));
        done(namespace.copyPart(make.copyPart("d", new ByteRange.Whole(), aborted, 2)));
        namespace.abortUpload(BUCKET, aborted.key(), aborted.id(), NOW);
        Upload open = start("g");
        done(namespace.copyPart(make.copyPart("a", new ByteRange.Whole(), open, 1)));
        BlobMove move = new BlobMove(blob(current("a")), "disk-1", "disk-2", 20);
        namespace.beginMoves(List.of(move), NOW);
        assertThat(audit()).isEmpty();
        namespace.finishMoves(List.of(move), NOW);
        namespace.garbageDeleted("disk-1", List.of(blob(first)));
        assertThat(audit()).isEmpty();
        garbage();
        assertThat(audit()).isEmpty();
    }

    @Test
    void a_wrong_counter_of_a_bucket_is_found_and_set_right_by_the_difference() {
        put("a", 10);
        correct(new Discrepancy.BucketCounter(BUCKET, new BucketUsage(0, 0), new BucketUsage(5, 50)));

        List<Discrepancy> found = new ArrayList<>();
        long number = namespace.audit(found::add);
        Discrepancy.BucketCounter wrong =
                new Discrepancy.BucketCounter(BUCKET, new BucketUsage(6, 60), new BucketUsage(1, 10));
        assertThat(found).containsExactly(wrong);
        put("b", 3); // meanwhile

        assertThat(namespace.correct(number, List.of(wrong), NOW)).isTrue();
        assertThat(usage()).isEqualTo(new BucketUsage(2, 13));
        assertThat(audit()).isEmpty();
    }

    @Test
    void a_wrong_counter_of_an_account_is_found_and_set_right() {
        put("a", 10);
        correct(new Discrepancy.AccountCounter("disk-1", NOTHING, new AccountUsage(-3, 7, 2, 9)));
        correct(new Discrepancy.AccountCounter("disk-9", NOTHING, new AccountUsage(1, 1, 0, 0)));

        Discrepancy.AccountCounter wrong =
                new Discrepancy.AccountCounter("disk-1", new AccountUsage(-2, 17, 2, 9), new AccountUsage(1, 10, 0, 0));
        Discrepancy.AccountCounter gone =
                new Discrepancy.AccountCounter("disk-9", new AccountUsage(1, 1, 0, 0), NOTHING);
        assertThat(audit()).containsExactlyInAnyOrder(wrong, gone);

        assertThat(correct(wrong, gone)).isTrue();
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(1, 10, 0, 0));
        assertThat(audit()).isEmpty();
    }

    @Test
    void a_blob_with_too_many_references_is_found_and_becomes_garbage_once_it_has_none() {
        ObjectVersion version = put("a", 10);
        miscount(version, 2);
        delete("a");
        Discrepancy.BlobReferences wrong = new Discrepancy.BlobReferences(blob(version), "disk-1", 2, 0);
        assertThat(audit()).containsExactly(wrong);
        assertThat(garbage()).isEmpty();

        assertThat(correct(wrong)).isTrue();
        assertThat(garbage()).containsExactly(blob(version));
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(0, 0, 1, 10));
        assertThat(audit()).isEmpty();
    }

    @Test
    void a_blob_that_is_garbage_though_a_version_needs_it_is_found_and_lives_again() {
        ObjectVersion version = put("a", 10);
        miscount(version, -1);
        assertThat(garbage()).containsExactly(blob(version));
        Discrepancy.BlobReferences wrong = new Discrepancy.BlobReferences(blob(version), "disk-1", 0, 1);
        assertThat(audit()).containsExactly(wrong);

        assertThat(correct(wrong)).isTrue();
        assertThat(garbage()).isEmpty();
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(1, 10, 0, 0));
        assertThat(audit()).isEmpty();
    }

    @Test
    void a_manifest_with_a_wrong_number_of_references_is_found_and_set_right() {
        ObjectVersion version = twoParts("a");
        String manifest = ((Manifest.Stored) version.manifest()).id();
        miscount(version, 1);
        Discrepancy.ManifestReferences tooMany = new Discrepancy.ManifestReferences(manifest, 2, 1);
        assertThat(audit()).containsExactly(tooMany);
        assertThat(correct(tooMany)).isTrue();

        miscount(version, -1);
        Discrepancy.ManifestReferences tooFew = new Discrepancy.ManifestReferences(manifest, 0, 1);
        assertThat(audit()).containsExactly(tooFew);
        assertThat(correct(tooFew)).isTrue();

        assertThat(garbage()).isEmpty();
        assertThat(audit()).isEmpty();
    }

    @Test
    void nothing_is_corrected_twice_by_one_audit() {
        put("a", 10);
        long number = namespace.audit(discrepancy -> {});
        Discrepancy.BucketCounter wrong =
                new Discrepancy.BucketCounter(BUCKET, new BucketUsage(0, 0), new BucketUsage(1, 1));

        assertThat(namespace.correct(number, List.of(wrong), NOW)).isTrue();
        assertThat(namespace.correct(number, List.of(wrong), NOW)).isFalse();
        assertThat(usage()).isEqualTo(new BucketUsage(2, 11));
    }

    @Test
    void the_holders_of_a_blob_are_all_versions_and_parts_with_slices_of_it() {
        ObjectVersion a = put("a", 10);
        ObjectVersion b = done(namespace.copyObject(make.copy("a", "b")));
        put("other", 10);
        Upload upload = start("up");
        done(namespace.copyPart(make.copyPart("a", new ByteRange.Between(2, 5), upload, 3)));
        Upload parts = start("c");
        PutPart second = make.putPart(parts, 2, 7);
        ObjectVersion c = multipart("c", make.putPart(parts, 1, 10), second);
        BlobId inC = second.blob().orElseThrow().blob();

        assertThat(holders(blob(a), inC))
                .containsExactlyInAnyOrder(
                        new Holder.OfVersion(BUCKET, a.key(), a.writeId(), 0, slice(a)),
                        new Holder.OfVersion(BUCKET, b.key(), b.writeId(), 0, slice(a)),
                        new Holder.OfPart(BUCKET, upload.key(), upload.id(), 3, new Slice(blob(a), "disk-1", 2, 4)),
                        new Holder.OfVersion(
                                BUCKET, c.key(), c.writeId(), 10, second.blob().orElseThrow()));
        assertThat(holders(make.blobId())).isEmpty();
    }

    @Test
    void garbage_is_listed_once_each_in_the_order_in_which_it_was_queued_whatever_the_page() {
        List<BlobId> expected = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            ObjectVersion version = put("a" + i, 10);
            time = NOW.plus(Duration.ofSeconds(i));
            delete("a" + i, time);
            expected.add(blob(version));
        }
        ObjectVersion moved = put("moved", 10);
        BlobMove move = new BlobMove(blob(moved), "disk-1", "disk-2", 10);
        namespace.beginMoves(List.of(move), time);
        time = NOW.plus(Duration.ofSeconds(10));
        namespace.finishMoves(List.of(move), time);
        expected.add(blob(moved));

        for (int limit : new int[] {1, 2, 100}) {
            List<BlobId> all = new ArrayList<>();
            List<Garbage> page = namespace.garbage("disk-1", null, limit);
            while (!page.isEmpty()) {
                assertThat(page).hasSizeLessThanOrEqualTo(limit);
                page.forEach(garbage -> all.add(garbage.blob()));
                page = namespace.garbage("disk-1", page.getLast(), limit);
            }
            assertThat(all).as("pages of %s", limit).isEqualTo(expected);
        }
        assertThat(namespace.garbage("disk-2", null, 10)).isEmpty();
    }

    @Test
    void names_of_buckets_are_listed_whoever_owns_them() {
        namespace.createBucket(new Bucket(new BucketName("bobs"), "bob", "", NOW));
        assertThat(namespace.bucketNames("", 10)).containsExactly(new BucketName("bobs"), BUCKET);
        assertThat(namespace.bucketNames("", 1)).containsExactly(new BucketName("bobs"));
        assertThat(namespace.bucketNames("bobs", 10)).containsExactly(BUCKET);
    }
}
