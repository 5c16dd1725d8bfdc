package io.headgate.blob.local;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.OptionalLong;
import java.util.zip.CRC32C;

/**
 * A file that says up to which generation all that the segments say is on the disk elsewhere too, so that a start need not read them: two
 * pages written in turn, each with a magic, the generation, and a CRC32C. Used by one thread at a time.
 */
final class SettledMark {
    static final String NAME = "settled";
    private static final int PAGE_BYTES = 4096;
    private static final int MAGIC = 0x48475331; // HGS1

    private final Path path;
    private boolean second;

    SettledMark(Path directory) {
        this.path = directory.resolve(NAME);
    }

    /** The generation; empty if the file is not there, or damaged. */
    OptionalLong read() throws IOException {
        if (!Files.exists(path)) {
            return OptionalLong.empty();
        }
        ByteBuffer pages = ByteBuffer.allocate(2 * PAGE_BYTES);
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.READ)) {
            while (pages.hasRemaining() && channel.read(pages) >= 0) {
                // until the end
            }
        }
        long latest = -1;
        for (int page = 0; page < 2; page++) {
            ByteBuffer bytes = pages.slice(page * PAGE_BYTES, PAGE_BYTES);
            if (bytes.getInt(0) == MAGIC && bytes.getInt(12) == sum(bytes) && bytes.getLong(4) > latest) {
                latest = bytes.getLong(4);
                second = page == 0;
            }
        }
        return latest < 0 ? OptionalLong.empty() : OptionalLong.of(latest);
    }

    /** Makes the file, on the disk; the directory is not forced. */
    void create(long generation) throws IOException {
        try (FileChannel channel = FileChannel.open(
                path, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING, StandardOpenOption.WRITE)) {
            writePage(channel, generation, 0);
            writePage(channel, generation, PAGE_BYTES);
            channel.force(true);
        }
    }

    /** Overwrites the older page, which takes no room on the disk, and puts it there. */
    void write(long generation) throws IOException {
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            writePage(channel, generation, second ? PAGE_BYTES : 0);
            channel.force(false);
        }
        second = !second;
    }

    private static void writePage(FileChannel channel, long generation, int at) throws IOException {
        ByteBuffer page = ByteBuffer.allocate(PAGE_BYTES);
        page.putInt(0, MAGIC).putLong(4, generation);
        page.putInt(12, sum(page));
        long to = at;
        while (page.hasRemaining()) {
            to += channel.write(page, to);
        }
    }

    private static int sum(ByteBuffer page) {
        CRC32C crc = new CRC32C();
        crc.update(page.slice(0, 12));
        return (int) crc.getValue();
    }
}
