package io.headgate.blob.local;

import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Bounds how many files of packs an account has open: the one that was not used for longest is closed for another. Thread-safe. */
final class OpenFiles {
    private final int limit;
    private final Map<PackFile, Boolean> open = new ConcurrentHashMap<>();

    OpenFiles(int limit) {
        this.limit = limit;
    }

    void opened(PackFile file) {
        open.put(file, true);
        while (open.size() > limit) {
            PackFile oldest = open.keySet().stream()
                    .filter(candidate -> candidate != file && !candidate.isUnforced())
                    .min(Comparator.comparingLong(PackFile::lastUsedNanos))
                    .orElse(null);
            if (oldest == null) {
                return;
            }
            oldest.rest();
        }
    }

    void closed(PackFile file) {
        open.remove(file);
    }
}
