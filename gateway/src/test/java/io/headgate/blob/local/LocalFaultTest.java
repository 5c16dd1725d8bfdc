package io.headgate.blob.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.blob.Bytes;
import io.headgate.domain.BlobId;
import io.headgate.domain.BodyException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories that cannot be used are faults of the account, said clearly, and over as soon as the directory is back. */
final class LocalFaultTest {
    @TempDir
    private Path parent;

    private final List<Path> mounts = new ArrayList<>();
    private final List<BlobStore> stores = new ArrayList<>();

    @AfterEach
    void cleanUp() throws Exception {
        stores.forEach(BlobStore::close);
        for (Path mount : mounts) {
            run("umount", "-l", mount.toString());
        }
    }

    private BlobStore open(Path root, boolean firstUse) {
        return open(root, firstUse, "namespace-1");
    }

    private BlobStore open(Path root, boolean firstUse, String namespace) {
        BlobStore store = new LocalBlobStore(
                "disk-1", namespace, root, Durability.SYNC, firstUse, Clock.systemUTC(), LocalBlobStoreTest.SMALL);
        stores.add(store);
        return store;
    }

    private static void put(BlobStore store, BlobId id, int length) throws IOException {
        store.put(id, length, Bytes.stream(Bytes.of(id, length)));
    }

    private static byte[] get(BlobStore store, BlobId id, int length) throws IOException {
        return Bytes.read(store.get(id, 0, length));
    }

    private static void assertFault(ThrowingCallable call, String... words) {
        assertThatExceptionOfType(BlobStoreException.class)
                .isThrownBy(call)
                .withMessageContainingAll(words)
                .extracting(BlobStoreException::kind)
                .isEqualTo(Kind.ACCOUNT_FAULT);
    }

    private static void assertEverythingFaults(BlobStore store, String... words) {
        BlobId id = Bytes.freshId();
        assertFault(() -> put(store, id, 10), words);
        assertFault(() -> put(store, id, 100_000), words);
        assertFault(() -> store.get(id, 0, 1), words);
        assertFault(() -> store.delete(id), words);
        assertFault(() -> store.list(1, Instant.EPOCH, Instant.MAX, null, 1), words);
        assertFault(() -> store.probe(id), words);
        assertThat(store.usableBytes()).isZero();
    }

    @Test
    void a_missing_directory_is_a_fault_until_it_is_there() throws Exception {
        Path root = parent.resolve("mount/disk");
        BlobId id = Bytes.freshId();
        try (BlobStore first = open(root, true)) {
            put(first, id, 100);
        }
        Path away = parent.resolve("away");
        Files.move(root, away);
        BlobStore store = open(root, false);
        assertEverythingFaults(store, root.toString(), "does not exist");
        assertThat(root).doesNotExist();
        Files.move(away, root);
        assertThat(get(store, id, 100)).isEqualTo(Bytes.of(id, 100));
        await().until(() -> store.usableBytes() > 0);
    }

    @Test
    void an_empty_directory_is_not_taken_for_an_account_that_has_been_used() {
        assertEverythingFaults(open(parent, false), parent.toString(), "headgate-account", "mounted?");
        assertThat(parent).isEmptyDirectory();
    }

    @Test
    void a_directory_that_vanishes_while_in_use_is_a_fault_not_a_missing_blob() throws Exception {
        Path root = parent.resolve("disk");
        BlobStore store = open(root, true);
        BlobId small = Bytes.freshId();
        BlobId large = Bytes.freshId();
        put(store, small, 100);
        put(store, large, 100_000);
        get(store, small, 100);
        Path away = parent.resolve("away");
        Files.move(root, away);
        Files.createDirectory(root);
        assertFault(() -> store.get(large, 0, 100), "mounted?");
        assertFault(() -> store.get(Bytes.freshId(), 0, 100), "mounted?");
        assertFault(() -> store.delete(large), "mounted?");
        // Whether the file's directory or the account's marker is missed first depends on what the journal has noticed.
        assertFault(() -> put(store, Bytes.freshId(), 100_000), root.toString());
        await().until(() -> store.usableBytes() == 0);
        Files.delete(root);
        Files.move(away, root);
        assertThat(get(store, small, 100)).isEqualTo(Bytes.of(small, 100));
        assertThat(get(store, large, 100_000)).isEqualTo(Bytes.of(large, 100_000));
        await().until(() -> store.usableBytes() > 0);
    }

    @Test
    void a_directory_with_other_files_is_not_taken_into_use() throws Exception {
        Files.writeString(parent.resolve("thesis.txt"), "precious");
        assertEverythingFaults(open(parent, true), "not empty");
    }

    @Test
    void the_directory_of_another_account_is_refused() throws Exception {
        Path root = parent.resolve("disk");
        open(root, true).close();
        Files.writeString(root.resolve("headgate-account"), "disk-2\n");
        assertEverythingFaults(open(root, true), "belongs to account disk-2");
    }

    @Test
    void the_directory_of_another_namespace_is_refused_so_that_its_blobs_are_nobody_s_orphans() throws Exception {
        Path root = parent.resolve("disk");
        BlobId id = Bytes.freshId();
        try (BlobStore first = open(root, true)) {
            put(first, id, 100_000);
        }

        assertEverythingFaults(open(root, true, "namespace-2"), root.toString(), "namespace-1", "namespace-2");
        assertEverythingFaults(open(root, false, "namespace-2"), root.toString(), "namespace-1", "namespace-2");

        assertThat(get(open(root, false), id, 100_000)).isEqualTo(Bytes.of(id, 100_000));
    }

    @Test
    void a_marker_without_a_namespace_gets_that_of_the_namespace_that_knows_its_blobs() throws Exception {
        Path root = parent.resolve("disk");
        Path marker = root.resolve("headgate-account");
        BlobId id = Bytes.freshId();
        try (BlobStore first = open(root, true)) {
            put(first, id, 100_000);
        }
        Files.writeString(marker, "disk-1\n");

        BlobStore stranger = open(root, true, "namespace-2");
        assertEverythingFaults(stranger, root.toString(), "names no namespace", "namespace-2");
        stranger.close();
        assertThat(Files.readString(marker)).isEqualTo("disk-1\n");

        assertThat(get(open(root, false), id, 100_000)).isEqualTo(Bytes.of(id, 100_000));
        assertThat(Files.readString(marker)).isEqualTo("disk-1 (format 2)\nnamespace namespace-1\n");
    }

    @Test
    void a_marker_without_a_namespace_in_an_account_without_blobs_gets_the_first_to_come() throws Exception {
        Path root = parent.resolve("disk");
        Path marker = root.resolve("headgate-account");
        open(root, true).close();
        Files.writeString(marker, "disk-1\n");

        open(root, true, "namespace-2").probe(Bytes.freshId());

        assertThat(Files.readString(marker)).isEqualTo("disk-1 (format 2)\nnamespace namespace-2\n");
    }

    @Test
    void a_first_use_that_was_cut_short_is_finished_by_the_next() throws Exception {
        Files.createFile(parent.resolve("headgate-account"));
        BlobId id = Bytes.freshId();
        BlobStore store = open(parent, true);
        put(store, id, 10);
        assertThat(Files.readString(parent.resolve("headgate-account")))
                .isEqualTo("disk-1 (format 2)\nnamespace namespace-1\n");
    }

    @Test
    void a_read_only_file_system_takes_nothing_and_still_serves_what_it_has() throws Exception {
        Path root = mount("size=32m");
        BlobId id = Bytes.freshId();
        try (BlobStore store = open(root, true)) {
            put(store, id, 100);
        }
        assumeTrue(run("mount", "-o", "remount,ro", root.toString()) == 0);
        BlobStore store = open(root, false);
        assertFault(() -> put(store, Bytes.freshId(), 10), "ead-only");
        assertFault(() -> put(store, Bytes.freshId(), 100_000), "ead-only");
        assertFault(() -> store.delete(id), "ead-only");
        assertFault(() -> store.probe(Bytes.freshId()), "ead-only");
        assertThat(store.usableBytes()).isZero();
        assertThat(get(store, id, 100)).isEqualTo(Bytes.of(id, 100));
        assertFault(() -> store.get(Bytes.freshId(), 0, 1), "ead-only");
    }

    @Test
    void a_read_only_file_system_serves_what_a_crash_left_in_the_journal() throws Exception {
        Path mount = mount("size=32m");
        Path disk = mount.resolve("disk");
        BlobId id = Bytes.freshId();
        BlobId deleted = Bytes.freshId();
        try (BlobStore store = open(disk, true)) {
            put(store, id, 100);
            put(store, deleted, 100);
            store.delete(deleted);
            LocalPacksTest.copy(disk, mount.resolve("copy")); // as a crash would leave it
        }
        assumeTrue(run("mount", "-o", "remount,ro", mount.toString()) == 0);
        BlobStore store = open(mount.resolve("copy"), false);
        assertThat(get(store, id, 100)).isEqualTo(Bytes.of(id, 100));
        assertFault(() -> store.get(deleted, 0, 1), "ead-only");
    }

    @Test
    void a_full_disk_is_a_fault_that_deleting_blobs_cures() throws Exception {
        BlobStore store = open(mount("size=16m"), true);
        List<BlobId> large = new ArrayList<>();
        assertFault(
                () -> {
                    while (true) {
                        BlobId id = Bytes.freshId();
                        put(store, id, 1_000_000);
                        large.add(id);
                    }
                },
                "No space left on device");
        assertThat(large).hasSizeGreaterThan(5);
        await().until(() -> store.usableBytes() == 0);

        List<BlobId> small = new ArrayList<>();
        assertFault(
                () -> {
                    while (true) {
                        BlobId id = Bytes.freshId();
                        put(store, id, 10_000);
                        small.add(id);
                    }
                },
                "No space left on device");

        for (BlobId id : large) {
            store.delete(id);
        }
        await().ignoreExceptions().untilAsserted(() -> store.probe(Bytes.freshId()));
        for (BlobId id : small) {
            assertThat(get(store, id, 10_000)).isEqualTo(Bytes.of(id, 10_000));
        }
        await().until(() -> store.usableBytes() > 0);
    }

    @Test
    void a_full_disk_leaves_the_journal_room_for_the_deletions_that_cure_it() throws Exception {
        BlobStore store = open(mount("size=16m"), true);
        List<BlobId> small = new ArrayList<>();
        assertFault(
                () -> {
                    while (true) {
                        BlobId id = Bytes.freshId();
                        put(store, id, 60_000);
                        small.add(id);
                    }
                },
                "No space left on device");
        assertThat(small).hasSizeGreaterThan(90);
        for (BlobId id : small.subList(0, 90)) {
            store.delete(id);
        }
        await().ignoreExceptions().untilAsserted(() -> store.probe(Bytes.freshId()));
        for (BlobId id : small.subList(90, small.size())) {
            assertThat(get(store, id, 60_000)).isEqualTo(Bytes.of(id, 60_000));
        }
    }

    @Test
    void a_disk_full_of_small_blobs_is_cured_by_deleting_some_of_every_pack() throws Exception {
        BlobStore store = open(mount("size=16m"), true);
        List<BlobId> small = new ArrayList<>();
        assertFault(
                () -> {
                    while (true) {
                        BlobId id = Bytes.freshId();
                        put(store, id, 30_000);
                        small.add(id);
                    }
                },
                "No space left on device");
        List<BlobId> kept = new ArrayList<>();
        for (int i = 0; i < small.size(); i++) {
            if (i % 3 == 0) {
                kept.add(small.get(i));
            } else {
                store.delete(small.get(i));
            }
        }
        await().ignoreExceptions().untilAsserted(() -> store.probe(Bytes.freshId()));
        for (int i = 0; i < 20; i++) {
            BlobId id = Bytes.freshId();
            await().pollDelay(Duration.ZERO).ignoreExceptions().untilAsserted(() -> put(store, id, 30_000));
            kept.add(id);
        }
        for (BlobId id : kept) {
            assertThat(get(store, id, 30_000)).isEqualTo(Bytes.of(id, 30_000));
        }
    }

    @Test
    void an_interrupted_put_is_nobodys_fault_and_harms_no_other() throws Exception {
        BlobStore store = open(parent.resolve("disk"), true);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread caller = Thread.ofVirtual().start(() -> {
            Thread.currentThread().interrupt();
            try {
                put(store, Bytes.freshId(), 100);
            } catch (Throwable failure) {
                thrown.set(failure);
            }
        });
        caller.join();
        assertThat(thrown.get()).isInstanceOf(InterruptedIOException.class);
        BlobId id = Bytes.freshId();
        put(store, id, 100);
        assertThat(get(store, id, 100)).isEqualTo(Bytes.of(id, 100));
    }

    @Test
    void a_closed_store_is_at_fault() {
        BlobStore store = open(parent.resolve("disk"), true);
        store.close();
        assertFault(() -> put(store, Bytes.freshId(), 10), "closed");
    }

    @Test
    void a_large_put_that_fails_leaves_no_file() throws Exception {
        Path root = parent.resolve("disk");
        BlobStore store = open(root, true);
        InputStream broken = new InputStream() {
            @Override
            public int read() throws IOException {
                throw new BodyException("hung up");
            }
        };
        assertThatIOException().isThrownBy(() -> store.put(Bytes.freshId(), 1_000_000, broken));
        try (var files = Files.walk(root.resolve("blobs"))) {
            assertThat(files.filter(Files::isRegularFile)).isEmpty();
        }
    }

    @Test
    void a_small_put_waits_for_a_frozen_disk_no_longer_than_it_was_told() throws Exception {
        Path image = parent.resolve("image");
        try (FileChannel file = FileChannel.open(image, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.allocate(1), (64 << 20) - 1);
        }
        assumeTrue(
                run("mkfs.ext4", "-q", "-F", image.toString()) == 0, "a file system that can freeze takes mkfs.ext4");
        Path mount = mount("ext4", image.toString(), "loop");
        BlobStore store = open(Files.createDirectory(mount.resolve("account")), true);
        BlobId before = Bytes.freshId();
        BlobId during = Bytes.freshId();
        assertThat(store.putWithin(Duration.ofSeconds(30), before, 100, Bytes.stream(Bytes.of(before, 100))))
                .isTrue();
        assumeTrue(run("fsfreeze", "-f", mount.toString()) == 0, "freezing takes fsfreeze");
        try {
            Duration limit = Duration.ofMillis(100);
            assertFault(() -> store.putWithin(limit, during, 100, Bytes.stream(Bytes.of(during, 100))), "in time");
        } finally {
            run("fsfreeze", "-u", mount.toString());
        }
        assertThat(get(store, before, 100)).isEqualTo(Bytes.of(before, 100));
        store.delete(during);
        assertThatExceptionOfType(BlobStoreException.class).isThrownBy(() -> store.get(during, 0, 100));
    }

    private Path mount(String options) throws Exception {
        return mount("tmpfs", "tmpfs", options);
    }

    private Path mount(String type, String device, String options) throws Exception {
        Path mount = Files.createDirectory(parent.resolve("mount"));
        assumeTrue(
                run("mount", "-t", type, "-o", options, device, mount.toString()) == 0,
                "mounting a small file system takes root");
        mounts.add(mount);
        return mount;
    }

    private static int run(String... command) throws Exception {
        try {
            return new ProcessBuilder(command).redirectErrorStream(true).start().waitFor();
        } catch (IOException noSuchCommand) {
            return -1;
        }
    }
}
