package io.headgate.conformance.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** The blobs in the directory of a local account, as anyone finds them who reads its files as decision 0040 describes them. */
final class StoredBlobs {
    private static final Pattern BLOB_NAME = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");
    private static final int PAGE_BYTES = 4096;
    private static final int BATCH_MAGIC = 0x48474231;
    private static final int PUT = 1;
    private static final int DELETE = 2;

    private final Set<String> names = new HashSet<>();

    private StoredBlobs() {}

    /** How many there are. A gateway may be at work in the directory; then it is the number of some instant, or nearly so. */
    static long count(Path account) {
        while (true) {
            StoredBlobs blobs = new StoredBlobs();
            try {
                blobs.readPacks(account.resolve("packs"));
                blobs.readFiles(account.resolve("blobs"));
                return blobs.names.size();
            } catch (UncheckedIOException failed) {
                if (!(failed.getCause() instanceof NoSuchFileException)) {
                    throw failed;
                }
                // removed while we walked: look again
            } catch (NoSuchFileException removed) {
                Thread.onSpinWait();
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }
    }

    private void readFiles(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            files.map(file -> file.getFileName().toString())
                    .filter(name -> BLOB_NAME.matcher(name).matches())
                    .forEach(names::add);
        }
    }

    private void readPacks(Path directory) throws IOException {
        if (!Files.isDirectory(directory)) {
            return;
        }
        List<Path> packs;
        try (Stream<Path> files = Files.list(directory)) {
            packs = new ArrayList<>(files.filter(file -> file.toString().endsWith(".pack"))
                    .sorted()
                    .toList());
        }
        Set<Path> replaced = new HashSet<>();
        for (Path pack : packs) {
            ByteBuffer header = ByteBuffer.wrap(Files.readAllBytes(pack));
            for (int i = 0; i < header.getInt(16); i++) {
                replaced.add(directory.resolve(String.format("%08d.pack", header.getLong(24 + 8 * i))));
            }
        }
        packs.removeAll(replaced);
        for (Path pack : packs) {
            Path index = directory.resolve(pack.getFileName().toString().replace(".pack", ".index"));
            if (Files.exists(index)) {
                readIndex(ByteBuffer.wrap(Files.readAllBytes(index)));
            } else {
                readRecords(ByteBuffer.wrap(Files.readAllBytes(pack)));
            }
        }
    }

    private void readIndex(ByteBuffer index) {
        int entries = index.getInt(4);
        Set<Integer> dead = new HashSet<>();
        for (int mark = 0; mark < entries; mark++) {
            int at = PAGE_BYTES + 24 * entries + 8 * mark;
            if (index.getLong(at) == 0) {
                break;
            }
            dead.add(index.getInt(at));
        }
        for (int entry = 0; entry < entries; entry++) {
            if (!dead.contains(entry)) {
                names.add(name(index, PAGE_BYTES + 24 * entry));
            }
        }
    }

    private void readRecords(ByteBuffer segment) {
        long salt = segment.getLong(8);
        int at = PAGE_BYTES;
        while (at + 24 <= segment.capacity() && isBatch(segment, at, salt)) {
            int end = at + 24 + segment.getInt(at + 4);
            at += 24;
            while (at < end) {
                int type = segment.getInt(at);
                String name = name(segment, at + 8);
                if (type == PUT) {
                    names.add(name);
                } else if (type == DELETE) {
                    names.remove(name);
                }
                at += 24 + segment.getInt(at + 4);
            }
        }
    }

    private static boolean isBatch(ByteBuffer segment, int at, long salt) {
        int length = segment.getInt(at + 4);
        if (segment.getInt(at) != BATCH_MAGIC
                || segment.getLong(at + 8) != salt
                || length < 0
                || length > segment.capacity() - at - 24) {
            return false;
        }
        CRC32C sum = new CRC32C();
        sum.update(ByteBuffer.allocate(8).putLong(0, salt));
        sum.update(segment.slice(at + 24, length));
        return segment.getInt(at + 16) == (int) sum.getValue();
    }

    private static String name(ByteBuffer bytes, int at) {
        return new UUID(bytes.getLong(at), bytes.getLong(at + 8)).toString();
    }
}
