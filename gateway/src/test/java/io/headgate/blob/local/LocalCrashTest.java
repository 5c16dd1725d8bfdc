package io.headgate.blob.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.blob.Bytes;
import io.headgate.domain.BlobId;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process is killed while it writes; what it acknowledged must be there, whole, and nothing else must stay that was deleted. */
final class LocalCrashTest {
    private static final int ACKNOWLEDGED = 800;

    @TempDir
    private Path root;

    /** The last thing that the writer said of a blob: a put or a deletion, begun (small letter) or acknowledged. */
    private final Map<BlobId, Character> said = new HashMap<>();

    private int acknowledged;
    private Process writer;
    private BufferedReader output;

    @AfterEach
    void end() throws IOException {
        if (writer != null) {
            writer.destroyForcibly();
            output.close();
        }
    }

    private void startWriter(String sizes) throws IOException {
        writer = new ProcessBuilder(
                        ProcessHandle.current().info().command().orElseThrow(),
                        "-Xmx256m",
                        "-cp",
                        System.getProperty("java.class.path"),
                        CrashingWriter.class.getName(),
                        root.toString(),
                        sizes)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        output = writer.inputReader();
        acknowledged = 0;
    }

    private void awaitAcknowledged(int count) throws IOException {
        while (acknowledged < count) {
            String line = output.readLine();
            assertThat(line).as("the writer goes on").isNotNull();
            hear(line);
        }
    }

    private void hear(String line) {
        if (line.length() == 38) { // the last line may be torn
            char what = line.charAt(0);
            said.put(BlobId.parse(line.substring(2)), what);
            acknowledged += Character.isUpperCase(what) ? 1 : 0;
        }
    }

    private void killWriter() throws Exception {
        writer.toHandle().destroyForcibly(); // unlike the process, leaves the stream open
        String line;
        while ((line = output.readLine()) != null) {
            hear(line);
        }
        writer.waitFor();
    }

    private void writeAndKill(String sizes) throws Exception {
        startWriter(sizes);
        awaitAcknowledged(ACKNOWLEDGED);
        killWriter();
    }

    private BlobStore reopen(Path directory, Journal.Sizes sizes) {
        return new LocalBlobStore("disk-1", "namespace-1", directory, Durability.SYNC, false, Clock.systemUTC(), sizes);
    }

    private void assertAcknowledgedIsTrue(BlobStore store) throws IOException {
        Set<BlobId> listed = new HashSet<>();
        for (int fanOut = 0; fanOut < BlobId.FAN_OUT; fanOut++) {
            for (StoredBlob blob :
                    store.list(fanOut, Instant.EPOCH, Instant.ofEpochSecond(BlobId.MAX_SECOND), null, 5000)) {
                assertThat(listed.add(blob.id())).isTrue();
            }
        }
        assertThat(said.keySet()).containsAll(listed);
        for (Map.Entry<BlobId, Character> last : said.entrySet()) {
            BlobId id = last.getKey();
            byte[] bytes = bytesOrNull(store, id, CrashingWriter.lengthOf(id));
            switch (last.getValue()) {
                case 'P' -> {
                    assertThat(bytes).isEqualTo(Bytes.of(id, CrashingWriter.lengthOf(id)));
                    assertThat(listed).contains(id);
                }
                case 'D' -> {
                    assertThat(bytes).isNull();
                    assertThat(listed).doesNotContain(id);
                }
                default -> {
                    if (bytes != null) {
                        assertThat(bytes).isEqualTo(Bytes.of(id, CrashingWriter.lengthOf(id)));
                    }
                }
            }
        }
    }

    private static byte[] bytesOrNull(BlobStore store, BlobId id, int length) throws IOException {
        try {
            return Bytes.read(store.get(id, 0, length));
        } catch (BlobStoreException failure) {
            assertThat(failure.kind()).isEqualTo(Kind.MISSING);
            return null;
        }
    }

    @Test
    void acknowledged_blobs_are_whole_after_a_kill_and_after_the_stop_that_follows() throws Exception {
        writeAndKill("large");
        for (int start = 0; start < 2; start++) {
            try (BlobStore store = reopen(root, CrashingWriter.LARGE)) {
                assertAcknowledgedIsTrue(store);
            }
        }
    }

    /** A process that is stopped at any instant leaves on the disk what a killed one would. */
    @Test
    void at_any_instant_while_packs_are_made_and_compacted_a_kill_would_lose_nothing(@TempDir Path copies)
            throws Exception {
        startWriter("small");
        for (int instant = 1; instant <= 12; instant++) {
            awaitAcknowledged(150 * instant);
            signalWriter("STOP");
            Path copy = Files.createDirectory(copies.resolve("copy-" + instant));
            copy(root, copy);
            while (output.ready()) {
                hear(output.readLine());
            }
            try (BlobStore store = reopen(copy, CrashingWriter.SMALL)) {
                assertAcknowledgedIsTrue(store);
            }
            signalWriter("CONT");
        }
        killWriter();
        try (BlobStore store = reopen(root, CrashingWriter.SMALL)) {
            assertAcknowledgedIsTrue(store);
        }
    }

    private void signalWriter(String signal) throws Exception {
        int result = new ProcessBuilder("kill", "-" + signal, Long.toString(writer.pid()))
                .start()
                .waitFor();
        assumeTrue(result == 0, "stopping a process takes kill");
        if (signal.equals("STOP")) {
            awaitStopped();
        }
    }

    /** The signal is delivered to one thread, which stops the others a little later. */
    private void awaitStopped() throws IOException {
        Path threads = Path.of("/proc", Long.toString(writer.pid()), "task");
        assumeTrue(Files.isDirectory(threads), "looking at the threads of a process takes /proc");
        while (true) {
            try (Stream<Path> all = Files.list(threads)) {
                if (all.allMatch(LocalCrashTest::isStopped)) {
                    return;
                }
            }
            Thread.onSpinWait();
        }
    }

    private static boolean isStopped(Path thread) {
        try {
            String stat = Files.readString(thread.resolve("stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) == 'T';
        } catch (IOException ended) {
            return true;
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> all = Files.walk(from)) {
            for (Path path : all.filter(path -> !path.equals(from)).toList()) {
                Files.copy(path, to.resolve(from.relativize(path).toString()));
            }
        }
    }

    @Test
    void a_file_whose_deletion_the_operating_system_lost_is_deleted_again() throws Exception {
        writeAndKill("large");
        List<BlobId> revived = said.entrySet().stream()
                .filter(last -> last.getValue() == 'D')
                .map(Map.Entry::getKey)
                .toList();
        assertThat(revived).hasSizeGreaterThan(50);
        for (BlobId id : revived) {
            Files.createDirectories(file(id).getParent());
            Files.write(file(id), Bytes.of(id, CrashingWriter.lengthOf(id)));
        }
        try (BlobStore store = reopen(root, CrashingWriter.LARGE)) {
            assertAcknowledgedIsTrue(store);
        }
    }

    private Path file(BlobId id) {
        String text = id.toString();
        return root.resolve("blobs/" + text.substring(0, 2) + "/" + text.substring(2, 6) + "/" + text);
    }

    @Test
    void a_run_without_forcing_has_what_a_durable_run_left() throws Exception {
        writeAndKill("large");
        try (BlobStore store =
                new LocalBlobStore("disk-1", "namespace-1", root, Durability.NONE, false, Clock.systemUTC())) {
            assertAcknowledgedIsTrue(store);
        }
    }

    @Test
    void one_process_at_a_time_has_the_directory() throws Exception {
        try (BlobStore first =
                        new LocalBlobStore("disk-1", "namespace-1", root, Durability.SYNC, true, Clock.systemUTC());
                BlobStore second =
                        new LocalBlobStore("disk-1", "namespace-1", root, Durability.SYNC, true, Clock.systemUTC())) {
            first.probe(Bytes.freshId());
            assertThatExceptionOfType(BlobStoreException.class)
                    .isThrownBy(() -> second.probe(Bytes.freshId()))
                    .withMessageContaining("in use");
        }
    }
}
