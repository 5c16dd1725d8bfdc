package io.headgate.blob.local;

import io.headgate.domain.BlobId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The journal of the version before packs, which gave each small blob a file: what it still holds gets its files now. */
final class EarlierJournal {
    private final List<Path> paths;

    private EarlierJournal(List<Path> paths) {
        this.paths = paths;
    }

    /** @param directory need not exist */
    static EarlierJournal in(Path directory) throws IOException {
        List<Path> paths = new ArrayList<>();
        if (Files.isDirectory(directory)) {
            try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "*.journal")) {
                entries.forEach(paths::add);
            }
        }
        return new EarlierJournal(paths);
    }

    /** Whether it holds nothing to repeat. Changes nothing. */
    boolean isClean() throws IOException {
        for (Path path : paths) {
            try (Segment segment = Segment.openToRead(path)) {
                if (segment.isEarlierInUse()) {
                    return false;
                }
            }
        }
        return true;
    }

    /** Does what its records say, on the disk, and removes it. Interrupted, it can be done again. */
    void convert(BlobFiles files) throws IOException {
        List<Segment> used = new ArrayList<>();
        try {
            for (Path path : paths) {
                Segment segment = Segment.openToRead(path);
                if (segment.isEarlierInUse()) {
                    used.add(segment);
                } else {
                    segment.close();
                    Files.delete(path); // makes room for the files
                }
            }
            used.sort(Comparator.comparingLong(Segment::earlierGeneration));
            repeat(used, files);
        } finally {
            for (Segment segment : used) {
                segment.close();
            }
        }
        // Oldest first: a deletion must not be forgotten before the put that it undoes.
        for (Segment segment : used) {
            Files.delete(segment.path());
        }
    }

    private static void repeat(List<Segment> segments, BlobFiles files) throws IOException {
        Set<BlobId> deleted = new HashSet<>();
        for (Segment segment : segments) {
            Packs.report(segment, segment.visit(new Visitor() {
                @Override
                public void put(BlobId id, int offset, ByteBuffer bytes) {
                    deleted.remove(id);
                }

                @Override
                public void delete(BlobId id) {
                    deleted.add(id);
                }
            }));
        }
        for (Segment segment : segments) {
            segment.visit(new Visitor() {
                @Override
                public void put(BlobId id, int offset, ByteBuffer bytes) throws IOException {
                    if (!deleted.contains(id)) {
                        files.restore(id, bytes);
                        files.force(id);
                    }
                }

                @Override
                public void delete(BlobId id) {}
            });
        }
        for (BlobId id : deleted) {
            files.delete(id);
            files.forceEntry(id);
        }
    }

    /** That version knew no other records. */
    private interface Visitor extends Segment.Visitor {
        @Override
        void put(BlobId id, int offset, ByteBuffer bytes) throws IOException;

        @Override
        void delete(BlobId id);

        @Override
        default void kept(BlobId id) {}
    }
}
