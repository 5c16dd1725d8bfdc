package io.headgate.namespace;

import static io.headgate.namespace.Commands.BUCKET;
import static io.headgate.namespace.Commands.LATER;
import static io.headgate.namespace.Commands.NOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ByteRange;
import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

/** What every engine promises of multipart uploads. The rules of Complete have a test of their own. */
public abstract class MultipartContract extends NamespaceSuite {
    private final List<Slice> blobs = new ArrayList<>();

    private Upload start(String key) {
        return done(namespace.createUpload(make.upload(key)));
    }

    private Part part(Upload upload, int number, long sizeBytes) {
        PutPart command = make.putPart(upload, number, sizeBytes);
        command.blob().ifPresent(blobs::add);
        return done(namespace.putPart(command));
    }

    private ObjectVersion complete(Upload upload, Part... parts) {
        return done(namespace.completeUpload(make.complete(upload, List.of(parts))));
    }

    /** An object of three parts: 10, 20 and 5 bytes. */
    private ObjectVersion threeParts(String key) {
        Upload upload = start(key);
        return complete(upload, part(upload, 1, 10), part(upload, 5, 20), part(upload, 10_000, 5));
    }

    private static Manifest.Stored stored(ObjectVersion version) {
        return (Manifest.Stored) version.manifest();
    }

    @Test
    void an_upload_is_found_as_it_was_made() {
        Upload upload = new Upload(
                make.writeId(),
                BUCKET,
                new ObjectKey("a"),
                new ObjectAttributes(Map.of("content-type", "x"), Map.of("m", "1"), Map.of("t", "2"), "GLACIER"),
                Optional.of(new Upload.UploadChecksum(ChecksumAlgorithm.CRC32C, Checksum.Type.COMPOSITE)),
                "bob",
                NOW);

        assertThat(done(namespace.createUpload(upload))).isEqualTo(upload);
        assertThat(done(namespace.createUpload(upload))).isEqualTo(upload);
        assertThat(done(namespace.upload(BUCKET, upload.key(), upload.id()))).isEqualTo(upload);
        assertRefused(namespace.upload(BUCKET, new ObjectKey("b"), upload.id()), Refusal.NO_SUCH_UPLOAD);
        BucketName nowhere = new BucketName("nowhere");
        assertRefused(namespace.upload(nowhere, upload.key(), upload.id()), Refusal.NO_SUCH_BUCKET);
        assertRefused(
                namespace.createUpload(
                        new Upload("x", nowhere, upload.key(), upload.attributes(), Optional.empty(), "bob", NOW)),
                Refusal.NO_SUCH_BUCKET);
    }

    @Test
    void parts_are_listed_by_number_and_page() {
        Upload upload = start("a");
        Part third = part(upload, 3, 3);
        Part first = part(upload, 1, 0);
        Part second = done(namespace.putPart(make.putPart(
                upload,
                new Part(
                        2,
                        7,
                        make.etag(),
                        Optional.of(new Checksum(ChecksumAlgorithm.CRC32, Checksum.Type.FULL_OBJECT, "AAAAAA==")),
                        NOW.plusMillis(5)))));

        assertThat(done(namespace.listParts(BUCKET, upload.key(), upload.id(), 0, 100)))
                .isEqualTo(new PartsPage(upload, List.of(first, second, third), false));
        assertThat(done(namespace.listParts(BUCKET, upload.key(), upload.id(), 1, 1)))
                .isEqualTo(new PartsPage(upload, List.of(second), true));
        assertRefused(namespace.listParts(BUCKET, upload.key(), "other", 0, 1), Refusal.NO_SUCH_UPLOAD);
        assertRefused(
                namespace.listParts(new BucketName("nowhere"), upload.key(), upload.id(), 0, 1),
                Refusal.NO_SUCH_BUCKET);
    }

    @Test
    void a_part_put_again_replaces_the_earlier_one() {
        Upload upload = start("a");
        part(upload, 1, 3);
        Part second = part(upload, 1, 4);

        assertThat(done(namespace.listParts(BUCKET, upload.key(), upload.id(), 0, 10))
                        .parts())
                .containsExactly(second);
        assertThat(garbage()).containsExactly(blobs.getFirst().blob());
        assertThat(account("disk-2")).isEqualTo(new AccountUsage(1, 4, 1, 3));
    }

    @Test
    void a_part_sent_twice_takes_effect_once_even_after_it_was_replaced() {
        Upload upload = start("a");
        PutPart command = make.putPart(upload, 1, 3);
        Outcome<Part> first = namespace.putPart(command);
        assertThat(namespace.putPart(command)).isEqualTo(first);
        assertThat(garbage()).isEmpty();

        Part second = part(upload, 1, 4);
        assertThat(namespace.putPart(command)).isEqualTo(first);
        assertThat(done(namespace.listParts(BUCKET, upload.key(), upload.id(), 0, 10))
                        .parts())
                .containsExactly(second);
    }

    @Test
    void a_refused_part_leaves_its_blob_as_garbage() {
        Upload upload = start("a");
        PutPart noUpload = make.putPart(make.upload("a"), 1, 3);
        assertRefused(namespace.putPart(noUpload), Refusal.NO_SUCH_UPLOAD);
        Part part = make.part(1, 3);
        Optional<Slice> blob = Optional.of(make.blob("disk-2", 3));
        PutPart noIntent = new PutPart(BUCKET, upload.key(), upload.id(), part, blob, 999_999);
        assertRefused(namespace.putPart(noIntent), Refusal.INTENT_EXPIRED);
        Optional<Slice> other = Optional.of(make.blob("disk-2", 3));
        PutPart noBucket =
                new PutPart(new BucketName("nowhere"), upload.key(), upload.id(), part, other, make.intentId);
        assertRefused(namespace.putPart(noBucket), Refusal.NO_SUCH_BUCKET);

        assertThat(garbage())
                .containsExactlyInAnyOrder(
                        noUpload.blob().orElseThrow().blob(),
                        blob.orElseThrow().blob(),
                        other.orElseThrow().blob());
        assertRefused(namespace.putPart(noUpload), Refusal.NO_SUCH_UPLOAD);
    }

    @Test
    void a_completed_upload_is_the_object() {
        ObjectVersion version = threeParts("a");

        assertThat(version.sizeBytes()).isEqualTo(35);
        assertThat(version.etag().value()).endsWith("-3");
        assertThat(stored(version).parts()).isEqualTo(3);
        assertThat(current("a")).isEqualTo(version);
        assertThat(namespace.parts(stored(version), 0, 100))
                .containsExactly(
                        new ManifestPart(1, 0, 10, Optional.empty()),
                        new ManifestPart(5, 10, 20, Optional.empty()),
                        new ManifestPart(10_000, 30, 5, Optional.empty()));
        assertThat(namespace.parts(stored(version), 1, 1))
                .extracting(ManifestPart::number)
                .containsExactly(5);
        assertThat(usage()).isEqualTo(new BucketUsage(1, 35));
        assertThat(account("disk-2")).isEqualTo(new AccountUsage(3, 35, 0, 0));
        assertThat(garbage()).isEmpty();
    }

    @Test
    void slices_are_read_from_any_offset() {
        Manifest.Stored manifest = stored(threeParts("a"));
        List<ManifestSlice> all = List.of(
                new ManifestSlice(0, blobs.get(0)),
                new ManifestSlice(10, blobs.get(1)),
                new ManifestSlice(30, blobs.get(2)));

        assertThat(namespace.slices(manifest, 0, 1_000)).isEqualTo(all);
        assertThat(namespace.slices(manifest, 9, 1_000)).isEqualTo(all);
        assertThat(namespace.slices(manifest, 10, 1)).isEqualTo(all.subList(1, 2));
        assertThat(namespace.slices(manifest, 29, 2)).isEqualTo(all.subList(1, 3));
        assertThat(namespace.slices(manifest, 34, 1_000)).isEqualTo(all.subList(2, 3));
        assertThat(namespace.slices(manifest, 35, 1_000)).isEmpty();
        assertThat(namespace.slices(new Manifest.Stored("123456", 1), 0, 10)).isEmpty();
        assertThat(namespace.slices(new Manifest.Stored("not ours", 1), 0, 10)).isEmpty();
    }

    @Test
    void an_upload_of_one_empty_part_is_an_empty_object() {
        Upload upload = start("a");
        ObjectVersion version = complete(upload, part(upload, 1, 0));

        assertThat(version.sizeBytes()).isZero();
        assertThat(namespace.slices(stored(version), 0, 10)).isEmpty();
        assertThat(namespace.parts(stored(version), 0, 10)).hasSize(1);
    }

    @Test
    void parts_that_complete_does_not_name_become_garbage() {
        Upload upload = start("a");
        part(upload, 1, 10);
        Part second = part(upload, 2, 11);
        complete(upload, second);

        assertThat(garbage()).containsExactly(blobs.getFirst().blob());
        assertThat(current("a").sizeBytes()).isEqualTo(11);
    }

    @Test
    void a_refused_complete_leaves_the_upload_as_it_was() {
        put("a", 1);
        Upload upload = start("a");
        Part small = part(upload, 1, 3);
        Part last = part(upload, 2, 3);

        assertRefused(namespace.completeUpload(make.complete(upload, List.of(small, last))), Refusal.ENTITY_TOO_SMALL);
        assertRefused(
                namespace.completeUpload(make.complete(upload, List.of(last, small))), Refusal.INVALID_PART_ORDER);
        assertRefused(namespace.completeUpload(make.complete(upload, List.of(make.part(1, 3)))), Refusal.INVALID_PART);
        assertRefused(
                namespace.completeUpload(make.complete(upload, List.of(last), new WriteCondition.Absent())),
                Refusal.PRECONDITION_FAILED);
        assertThat(done(namespace.listParts(BUCKET, upload.key(), upload.id(), 0, 10))
                        .parts())
                .containsExactly(small, last);
        assertThat(garbage()).isEmpty();
        complete(upload, last);
        assertThat(garbage()).hasSize(2);
    }

    @Test
    void a_repeated_complete_gives_the_same_object_though_it_was_overwritten() {
        Upload upload = start("a");
        Part part = part(upload, 1, 10);
        ObjectVersion version = complete(upload, part);
        assertThat(complete(upload, part)).isEqualTo(version);

        ObjectVersion second = put("a", 1);
        assertThat(complete(upload, part)).isEqualTo(version);
        assertThat(current("a")).isEqualTo(second);
        assertRefused(namespace.upload(BUCKET, upload.key(), upload.id()), Refusal.NO_SUCH_UPLOAD);
        assertRefused(namespace.abortUpload(BUCKET, upload.key(), upload.id(), NOW), Refusal.NO_SUCH_UPLOAD);
        assertRefused(namespace.putPart(make.putPart(upload, 2, 1)), Refusal.NO_SUCH_UPLOAD);

        assertThat(namespace.forgetCompletedUploads(NOW, 10)).isZero();
        assertThat(namespace.forgetCompletedUploads(LATER, 10)).isEqualTo(1);
        assertRefused(namespace.completeUpload(make.complete(upload, List.of(part))), Refusal.NO_SUCH_UPLOAD);
    }

    @Test
    void the_memory_of_completed_uploads_fades_in_bounded_steps() {
        for (int i = 0; i < 5; i++) {
            Upload upload = start("a");
            complete(upload, part(upload, 1, 1));
        }
        assertThat(namespace.forgetCompletedUploads(LATER, 3)).isEqualTo(3);
        assertThat(namespace.forgetCompletedUploads(LATER, 3)).isEqualTo(2);
    }

    @Test
    void an_aborted_upload_is_gone_and_its_parts_are_garbage() {
        Upload upload = start("a");
        part(upload, 1, 3);
        part(upload, 2, 4);

        assertThat(done(namespace.abortUpload(BUCKET, upload.key(), upload.id(), NOW)))
                .isEqualTo(upload);

        assertRefused(namespace.abortUpload(BUCKET, upload.key(), upload.id(), NOW), Refusal.NO_SUCH_UPLOAD);
        assertRefused(
                namespace.completeUpload(make.complete(upload, List.of(make.part(1, 3)))), Refusal.NO_SUCH_UPLOAD);
        assertThat(done(namespace.listUploads(new UploadQuery(BUCKET, "", "", "", "", 10)))
                        .uploads())
                .isEmpty();
        assertThat(namespace.dueGarbage("disk-2", NOW, 10)).isEmpty();
        assertThat(namespace.dueGarbage("disk-2", NOW.plusMillis(1), 10))
                .extracting(Garbage::blob)
                .containsExactlyInAnyOrder(blobs.get(0).blob(), blobs.get(1).blob());
        assertThat(account("disk-2")).isEqualTo(new AccountUsage(0, 0, 2, 7));
    }

    @Test
    void of_complete_and_abort_at_once_exactly_one_takes_effect() throws Exception {
        for (int round = 0; round < 30; round++) {
            Upload upload = start("key-" + round);
            Part part = part(upload, 1, 10);
            CompleteUpload complete = make.complete(upload, List.of(part));
            List<Outcome<?>> outcomes = atOnce(List.<Callable<Outcome<?>>>of(
                    () -> namespace.completeUpload(complete),
                    () -> namespace.abortUpload(BUCKET, upload.key(), upload.id(), NOW)));

            boolean completed = outcomes.getFirst() instanceof Outcome.Done;
            assertThat(outcomes.getLast() instanceof Outcome.Done).isNotEqualTo(completed);
            assertThat(exists("key-" + round)).isEqualTo(completed);
            assertThat(garbage().contains(blobs.get(round).blob())).isNotEqualTo(completed);
        }
    }

    @Test
    void of_many_completes_at_once_all_give_the_same_object() throws Exception {
        Upload upload = start("a");
        Part part = part(upload, 1, 10);
        List<Callable<Outcome<ObjectVersion>>> tasks = new ArrayList<>();
        for (int i = 0; i < 16; i++) {
            CompleteUpload command = make.complete(upload, List.of(part));
            tasks.add(() -> namespace.completeUpload(command));
        }
        assertThat(atOnce(tasks)).containsOnly(new Outcome.Done<>(current("a")));
        assertThat(account("disk-2")).isEqualTo(new AccountUsage(1, 10, 0, 0));
    }

    @Test
    void a_copy_of_a_multipart_object_shares_its_manifest_until_the_last_is_gone() {
        ObjectVersion source = threeParts("a");
        ObjectVersion copy = done(namespace.copyObject(make.copy("a", "b")));
        assertThat(copy.manifest()).isEqualTo(source.manifest());

        delete("a");
        assertThat(garbage()).isEmpty();
        assertThat(namespace.slices(stored(copy), 0, 10)).hasSize(3);

        delete("b", LATER);
        assertThat(namespace.dueGarbage("disk-2", LATER, 10)).isEmpty();
        assertThat(namespace.slices(stored(copy), 0, 10))
                .as("for reads in flight")
                .hasSize(3);
        assertThat(namespace.dueGarbage("disk-2", LATER.plusMillis(1), 10))
                .hasSize(3)
                .allMatch(blob -> blob.queuedAt().equals(LATER));
        assertThat(namespace.slices(stored(copy), 0, 10)).isEmpty();
        assertThat(account("disk-2")).isEqualTo(new AccountUsage(0, 0, 3, 35));
    }

    @Test
    void a_blob_is_queued_when_its_last_reference_went_though_an_older_orphan_is_broken_up_later() {
        ObjectVersion source = threeParts("a");
        Upload upload = start("b");
        Part shared = done(namespace.copyPart(make.copyPart("a", new ByteRange.Between(0, 9), upload, 1)));
        complete(upload, shared);
        delete("a", NOW);
        delete("b", LATER);

        assertThat(namespace.dueGarbage("disk-2", LATER, 10)).hasSize(2);
        assertThat(namespace.dueGarbage("disk-2", LATER.plusMillis(1), 10))
                .contains(new Garbage(blobs.getFirst().blob(), "disk-2", 10, LATER));
        assertThat(stored(source).parts()).isEqualTo(3);
    }

    @Test
    void large_orphans_are_broken_up_to_the_end() {
        Upload upload = start("large");
        List<Part> parts = new ArrayList<>();
        for (int i = 1; i <= 2_500; i++) {
            parts.add(part(upload, i, 10));
        }
        done(namespace.completeUpload(make.complete(upload, parts)));
        Upload aborted = start("aborted");
        for (int i = 1; i <= 1_500; i++) {
            part(aborted, i, 10);
        }
        done(namespace.abortUpload(BUCKET, aborted.key(), aborted.id(), NOW));
        delete("large");

        List<BlobId> garbage = garbage();
        assertThat(garbage).hasSize(4_000).doesNotHaveDuplicates();
        namespace.garbageDeleted("disk-2", garbage);
        assertThat(account("disk-2")).isEqualTo(AccountUsage.NONE);
    }

    @Test
    void a_part_copied_from_an_object_shares_the_bytes_of_the_range() {
        ObjectVersion source = put("source", 50);
        Slice blob = ((Manifest.Inline) source.manifest()).slice().orElseThrow();
        Upload upload = start("a");

        Part whole = done(namespace.copyPart(make.copyPart("source", new ByteRange.Whole(), upload, 1)));
        Part middle = done(namespace.copyPart(make.copyPart("source", new ByteRange.Between(10, 29), upload, 2)));
        assertThat(whole).isEqualTo(new Part(1, 50, source.etag(), Optional.empty(), NOW));
        assertThat(middle.sizeBytes()).isEqualTo(20);
        assertThat(middle.etag()).isNotEqualTo(source.etag());

        ObjectVersion version = complete(upload, whole, middle);
        assertThat(namespace.slices(stored(version), 0, 10))
                .containsExactly(new ManifestSlice(0, blob), new ManifestSlice(50, blob.sub(10, 20)));
        delete("source");
        assertThat(garbage()).isEmpty();
        delete("a");
        assertThat(garbage()).containsExactly(blob.blob());
    }

    @Test
    void a_part_copied_from_a_multipart_object_shares_the_slices_of_the_range() {
        threeParts("source");
        Upload upload = start("a");
        Part part = done(namespace.copyPart(make.copyPart("source", new ByteRange.Between(5, 31), upload, 1)));
        ObjectVersion version = complete(upload, part);

        assertThat(version.sizeBytes()).isEqualTo(27);
        assertThat(namespace.slices(stored(version), 0, 10))
                .containsExactly(
                        new ManifestSlice(0, blobs.get(0).sub(5, 5)),
                        new ManifestSlice(5, blobs.get(1)),
                        new ManifestSlice(25, blobs.get(2).sub(0, 2)));
        delete("source");
        assertThat(garbage()).isEmpty();
        delete("a");
        assertThat(garbage()).hasSize(3);
    }

    @Test
    void a_part_is_copied_only_from_what_is_there() {
        put("source", 50);
        Upload upload = start("a");
        assertRefused(
                namespace.copyPart(make.copyPart("source", new ByteRange.Between(10, 50), upload, 1)),
                Refusal.INVALID_RANGE);
        assertRefused(
                namespace.copyPart(make.copyPart("never", new ByteRange.Whole(), upload, 1)), Refusal.NO_SUCH_KEY);
        assertRefused(
                namespace.copyPart(make.copyPart("source", new ByteRange.Whole(), make.upload("a"), 1)),
                Refusal.NO_SUCH_UPLOAD);
        CopyPart other = make.copyPart("source", new ByteRange.Whole(), upload, 1);
        assertRefused(
                namespace.copyPart(new CopyPart(
                        BUCKET,
                        other.sourceKey(),
                        Optional.of(make.writeId()),
                        ReadCondition.NONE,
                        other.range(),
                        BUCKET,
                        other.key(),
                        upload.id(),
                        1,
                        Optional.empty(),
                        NOW)),
                Refusal.SOURCE_CHANGED);
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(1, 50, 0, 0));
    }

    @Test
    void a_copied_part_put_again_releases_what_it_shared() {
        put("source", 50);
        Upload upload = start("a");
        done(namespace.copyPart(make.copyPart("source", new ByteRange.Whole(), upload, 1)));
        done(namespace.copyPart(make.copyPart("source", new ByteRange.Whole(), upload, 1)));
        part(upload, 1, 10);
        delete("source");

        assertThat(garbage()).hasSize(1);
        assertThat(account("disk-1")).isEqualTo(new AccountUsage(0, 0, 1, 50));
    }
}
