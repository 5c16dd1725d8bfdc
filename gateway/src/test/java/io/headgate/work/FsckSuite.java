package io.headgate.work;

import static io.headgate.work.Site.BUCKET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.headgate.domain.BlobId;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.BlobMove;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.Discrepancy;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Part;
import io.headgate.namespace.Upload;
import io.headgate.namespace.WriteIntents;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each kind of damage, done to the files of real accounts or to the tables of an engine, is found and named, and repaired where that is safe. */
public abstract class FsckSuite extends FsckFixture {
    @Test
    void whole_objects_parts_moves_and_garbage_are_no_findings_however_few_blobs_are_held_at_once() throws Exception {
        for (int i = 0; i < 40; i++) {
            put("a" + i, "disk-" + (i % 3 + 1), bytes(100 + i));
        }
        copy("a1", "copy");
        Upload upload = upload("multipart");
        List<Part> parts = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            part(upload, parts, bytes(6 << 20));
        }
        complete(upload, parts);
        part(upload("open"), new ArrayList<>(), bytes(10));
        site.delete("a2");
        BlobId moved = put("moved", "disk-1", bytes(50));
        List<BlobMove> move = List.of(new BlobMove(moved, "disk-1", "disk-3", 50));
        site.namespace.beginMoves(move, site.clock.instant());
        site.writeBlob(moved, "disk-3", 50);
        site.clock.move(Duration.ofDays(2));

        Fsck.Summary summary = run(false, true, 5);

        assertThat(findings).isEmpty();
        assertThat(summary.unchecked()).isEmpty();
        assertThat(summary.accounts()).isEqualTo(3);
        assertThat(summary.blobs()).isEqualTo(40 + 3 + 1 + 1 + 1);
        assertThat(summary.verified()).isEqualTo(40 - 1 + 1 + 1 + 1);
        assertThat(summary.unverifiable()).isZero();
    }

    @Test
    void a_missing_blob_is_lost_with_all_that_need_it_and_repair_deletes_nothing() throws Exception {
        BlobId blob = put("a/key \"1\"", "disk-2", bytes(100));
        String copied = copy("a/key \"1\"", "b").writeId();
        put("other", "disk-2", bytes(100));
        Files.delete(file("disk-2", blob));

        Fsck.Summary summary = repair();

        assertThat(summary.findings()).containsExactly(entry(Finding.Kind.LOST, 2L));
        assertThat(summary.repaired()).isZero();
        assertThat(findings).allSatisfy(finding -> {
            assertThat(finding.fate()).isEqualTo(Finding.Fate.REPORTED);
            assertThat(finding.details())
                    .contains(entry("account", "disk-2"), entry("blob", blob.toString()), entry("slice_bytes", 100L));
        });
        assertThat(findings.stream().map(finding -> finding.details().get("key")))
                .containsExactlyInAnyOrder("a/key \"1\"", "b");
        assertThat(findings.stream().map(finding -> finding.details().get("version")))
                .containsExactlyInAnyOrder(version("a/key \"1\""), copied);
        check();
        assertThat(findings).hasSize(2);
    }

    @Test
    void with_checksums_a_missing_blob_is_a_finding_and_not_something_that_was_not_checked() throws Exception {
        BlobId blob = put("a", "disk-2", bytes(100));
        Files.delete(file("disk-2", blob));

        Fsck.Summary summary = run(false, true, 1_000_000);

        assertFound(Finding.Kind.LOST, Finding.Fate.REPORTED);
        assertThat(summary.isComplete()).isTrue();
        assertThat(summary.verified()).isZero();
    }

    @Test
    void of_a_damaged_blob_that_many_share_each_version_is_told_up_to_a_bound_and_then_how_many_more()
            throws Exception {
        byte[] bytes = bytes(1_000);
        BlobId blob = put("a", "disk-1", bytes);
        for (int i = 1; i < SharedDamage.MOST; i++) {
            copy("a", "copy-" + i);
        }
        bytes[500] ^= 1;
        Files.write(file("disk-1", blob), bytes);
        run(false, true, 1_000_000);
        assertThat(findings)
                .hasSize(SharedDamage.MOST)
                .allMatch(finding -> finding.kind() == Finding.Kind.WRONG_CHECKSUM);

        copy("a", "copy-x");
        copy("a", "copy-y");
        Files.delete(file("disk-1", blob));
        check();
        assertThat(findings).hasSize(SharedDamage.MOST + 1).allMatch(finding -> finding.kind() == Finding.Kind.LOST);
        assertThat(findings.getLast().details())
                .containsExactly(entry("account", "disk-1"), entry("blob", blob.toString()), entry("more", 2L));
    }

    @Test
    void a_missing_blob_of_a_part_names_the_part_and_where_it_stands_in_the_object() throws Exception {
        Upload upload = upload("multipart");
        List<Part> parts = new ArrayList<>();
        part(upload, parts, bytes(5 << 20));
        BlobId second = part(upload, parts, bytes(70));
        Files.delete(file("disk-2", second));
        check();
        assertFound(Finding.Kind.LOST, Finding.Fate.REPORTED);
        assertThat(onlyFinding().details()).contains(entry("upload", upload.id()), entry("part", 2L));

        ObjectVersion version = complete(upload, parts);
        check();
        assertFound(Finding.Kind.LOST, Finding.Fate.REPORTED);
        assertThat(onlyFinding().details())
                .contains(
                        entry("key", "multipart"),
                        entry("version", version.writeId()),
                        entry("object_offset", 5L << 20),
                        entry("slice_bytes", 70L));
    }

    @Test
    void a_short_blob_is_named_with_both_lengths() throws Exception {
        BlobId blob = put("a", "disk-1", bytes(100));
        Files.write(file("disk-1", blob), bytes(60));

        Fsck.Summary summary = repair();

        assertFound(Finding.Kind.WRONG_LENGTH, Finding.Fate.REPORTED);
        assertThat(onlyFinding().details())
                .contains(entry("key", "a"), entry("blob_bytes", 100L), entry("actual_bytes", 60L));
        assertThat(summary.repaired()).isZero();
    }

    @Test
    void a_flipped_bit_is_found_by_checksum_only_and_the_part_is_named() throws Exception {
        byte[] bytes = bytes(1_000);
        BlobId blob = put("a", "disk-1", bytes);
        bytes[500] ^= 1;
        Files.write(file("disk-1", blob), bytes);
        assertClean();

        Fsck.Summary summary = run(true, true, 1_000_000);

        assertFound(Finding.Kind.WRONG_CHECKSUM, Finding.Fate.REPORTED);
        assertThat(onlyFinding().details())
                .contains(
                        entry("key", "a"),
                        entry("version", version("a")),
                        entry("algorithm", "CRC32C"),
                        entry("actual", crc(bytes).base64()),
                        entry("account", "disk-1"),
                        entry("blob", blob.toString()));
        assertThat(summary.verified()).isZero();
    }

    @Test
    void a_stray_is_explained_while_it_is_young_or_its_write_goes_on_and_else_queued_as_garbage() throws Exception {
        put("a", "disk-1", bytes(10));
        WriteIntents.Write longWrite = site.intents.begin();
        BlobId beingWritten = stored(longWrite, "disk-1", bytes(10));
        site.clock.move(Duration.ofMinutes(1)); // out of that intent's window
        BlobId stray = site.blobIds.next(site.clock.instant());
        site.writeBlob(stray, "disk-1", 30);

        assertThat(check().explained()).isEqualTo(2);
        assertThat(findings).isEmpty();

        site.clock.move(MIN_AGE.plusSeconds(1));
        check();
        assertFound(Finding.Kind.STRAY, Finding.Fate.REPAIRABLE);
        assertThat(onlyFinding().details())
                .containsExactly(entry("account", "disk-1"), entry("blob", stray.toString()), entry("blob_bytes", 30L));

        assertThat(repair().repaired()).isEqualTo(1);
        assertFound(Finding.Kind.STRAY, Finding.Fate.REPAIRED);
        assertThat(site.namespace.garbage("disk-1", null, 10))
                .extracting(Garbage::blob)
                .containsExactly(stray);
        assertThat(file("disk-1", stray)).exists();
        assertThat(file("disk-1", beingWritten)).exists();
        assertClean();
    }

    @Test
    void strays_in_an_account_of_which_the_namespace_knows_nothing_are_left_to_an_administrator() throws Exception {
        BlobId stray = site.blobIds.next(site.clock.instant());
        site.writeBlob(stray, "disk-1", 30);
        site.clock.move(MIN_AGE.plusSeconds(1));

        repair();

        assertFound(Finding.Kind.STRAY, Finding.Fate.HELD_BACK);
        assertThat(site.namespace.garbage("disk-1", null, 10)).isEmpty();
    }

    @Test
    void garbage_of_which_the_account_has_nothing_is_forgotten_once_it_is_overdue() throws Exception {
        put("a", "disk-1", bytes(10));
        BlobId gone = site.garbage("disk-1", 20);
        BlobId there = site.garbage("disk-1", 20);
        Files.delete(file("disk-1", gone));
        assertClean();

        site.clock.move(OVERDUE.plusSeconds(1));
        check();
        assertFound(Finding.Kind.DANGLING_GARBAGE, Finding.Fate.REPAIRABLE);
        assertThat(onlyFinding().details()).containsExactly(entry("account", "disk-1"), entry("blob", gone.toString()));

        repair();
        assertFound(Finding.Kind.DANGLING_GARBAGE, Finding.Fate.REPAIRED);
        assertThat(site.namespace.garbage("disk-1", null, 10))
                .extracting(Garbage::blob)
                .containsExactly(there);
        assertThat(file("disk-1", there)).exists();
        assertClean();
    }

    @Test
    void wrong_counters_and_references_are_named_and_set_right() throws Exception {
        BlobId blob = put("a", "disk-1", bytes(10));
        damage(new Discrepancy.BucketCounter(BUCKET, new BucketUsage(0, 0), new BucketUsage(2, 30)));
        damage(new Discrepancy.AccountCounter("disk-1", AccountUsage.NONE, new AccountUsage(1, 7, 0, 0)));
        damage(new Discrepancy.BlobReferences(blob, "disk-1", 1, 3));
        check();
        assertThat(findings).hasSize(3).allMatch(finding -> finding.fate() == Finding.Fate.REPAIRABLE);
        assertThat(findings.get(0).details())
                .containsExactly(
                        entry("bucket", BUCKET.value()),
                        entry("recorded_objects", 3L),
                        entry("counted_objects", 1L),
                        entry("recorded_bytes", 40L),
                        entry("counted_bytes", 10L));
        assertThat(findings.get(1).details())
                .contains(entry("account", "disk-1"), entry("recorded_blobs", 2L), entry("counted_blobs", 1L));
        assertThat(findings.get(2).details())
                .contains(entry("blob", blob.toString()), entry("recorded_references", 3L));

        Fsck.Summary summary = repair();

        assertThat(summary.repaired()).isEqualTo(3);
        assertThat(findings).hasSize(3).allMatch(finding -> finding.fate() == Finding.Fate.REPAIRED);
        assertClean();
        site.delete("a");
        assertThat(site.namespace.garbage("disk-1", null, 10))
                .extracting(Garbage::blob)
                .containsExactly(blob);
    }

    @Test
    void blobs_in_an_account_that_is_not_configured_and_accounts_that_fail_are_named() throws Exception {
        put("a", "disk-1", bytes(10));
        WriteIntents.Write write = site.intents.begin();
        site.commit(write, "elsewhere", "disk-9", write.newBlobId(), 10);
        write.settle();
        site.store("disk-2").set(FaultyStore.Fault.FAILS);

        Fsck.Summary summary = repair();

        assertFound(Finding.Kind.UNKNOWN_ACCOUNT, Finding.Fate.REPORTED);
        assertThat(onlyFinding().details()).contains(entry("account", "disk-9"), entry("blobs", 1L));
        assertThat(summary.unchecked()).hasSize(1).first().asString().startsWith("account disk-2: ");
        assertThat(summary.accounts()).isEqualTo(2);
    }

    @Test
    void what_others_delete_move_and_write_while_it_looks_is_no_finding() throws Exception {
        List<String> keys = new ArrayList<>();
        for (int i = 0; i < 60; i++) {
            keys.add("a" + i);
            put("a" + i, "disk-" + (i % 3 + 1), bytes(100));
        }
        site.clock.move(MIN_AGE.plusDays(1));
        Fsck.Settings settings = new Fsck.Settings(false, true, Duration.ZERO, Duration.ZERO, 0.05, 3);

        Fsck.Summary summary = run(settings, line -> {
            // Between any two steps: an object goes with its bytes, one moves with its bytes, one comes.
            try {
                if (keys.size() > 6) {
                    site.delete(keys.removeFirst());
                    move(keys.removeLast());
                    put("new" + keys.size(), "disk-1", bytes(10));
                }
                collect();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        });

        assertThat(keys).hasSizeLessThan(30);
        assertThat(findings).isEmpty();
        assertThat(summary.unchecked()).isEmpty();
    }

    private void move(String key) throws IOException {
        ObjectVersion version = done(site.namespace.currentVersion(BUCKET, new ObjectKey(key)));
        Slice slice = ((Manifest.Inline) version.manifest()).slice().orElseThrow();
        String to = slice.account().equals("disk-3") ? "disk-1" : "disk-3";
        List<BlobMove> move = List.of(new BlobMove(slice.blob(), slice.account(), to, slice.lengthBytes()));
        site.namespace.beginMoves(move, site.clock.instant());
        site.writeBlob(slice.blob(), to, slice.lengthBytes());
        Files.copy(file(slice.account(), slice.blob()), file(to, slice.blob()), StandardCopyOption.REPLACE_EXISTING);
        site.namespace.finishMoves(move, site.clock.instant());
    }

    private void collect() throws IOException {
        for (String account : List.of("disk-1", "disk-2", "disk-3")) {
            List<BlobId> garbage = site.namespace.garbage(account, null, 100).stream()
                    .map(Garbage::blob)
                    .toList();
            for (BlobId blob : garbage) {
                site.account(account).delete(blob);
            }
            site.namespace.garbageDeleted(account, garbage);
        }
    }

    @Test
    void a_busy_account_is_asked_again_later() throws Exception {
        put("a", "disk-1", bytes(10));
        site.store("disk-1").set(FaultyStore.Fault.THROTTLES);

        findings.clear();
        List<Duration> waits = new ArrayList<>();
        Fsck.Summary summary = new Fsck(
                        site.namespace,
                        site.accounts,
                        site.clock,
                        wait -> {
                            waits.add(wait);
                            site.store("disk-1").set(FaultyStore.Fault.NONE);
                        },
                        new Fsck.Settings(false, false, MIN_AGE, OVERDUE, 0.05, 1_000),
                        new Fsck.Listener() {
                            @Override
                            public void found(Finding finding) {
                                findings.add(finding);
                            }

                            @Override
                            public void progress(String line) {}
                        })
                .run();

        assertThat(waits).hasSize(1);
        assertThat(summary.unchecked()).isEmpty();
        assertThat(findings).isEmpty();
    }
}
