package io.headgate.work;

import io.headgate.domain.BlobId;
import io.headgate.namespace.Intent;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;

/** Spans of seconds in which blob ids are stamped: those of a set of intents, merged where they touch. */
final class StampWindows {
    /** @param lastSecond inclusive */
    record Window(long firstSecond, long lastSecond) {
        Instant from() {
            return Instant.ofEpochSecond(firstSecond);
        }

        /** Exclusive. */
        Instant to() {
            return Instant.ofEpochSecond(lastSecond + 1);
        }
    }

    private final List<Window> windows;

    private StampWindows(List<Window> windows) {
        this.windows = windows;
    }

    static StampWindows of(Collection<Intent> intents) {
        List<Window> sorted = intents.stream()
                .map(intent -> new Window(
                        intent.openedAt().getEpochSecond(), intent.lastStampAt().getEpochSecond()))
                .sorted(Comparator.comparingLong(Window::firstSecond))
                .toList();
        List<Window> merged = new ArrayList<>(sorted.size());
        for (Window window : sorted) {
            Window last = merged.isEmpty() ? null : merged.getLast();
            if (last != null && window.firstSecond <= last.lastSecond + 1) {
                merged.removeLast();
                merged.add(new Window(last.firstSecond, Math.max(last.lastSecond, window.lastSecond)));
            } else {
                merged.add(window);
            }
        }
        return new StampWindows(merged);
    }

    /** Ascending, with gaps between them. */
    List<Window> all() {
        return windows;
    }

    boolean contain(BlobId blob) {
        long second = blob.createdAt().getEpochSecond();
        int low = 0;
        int high = windows.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            Window window = windows.get(middle);
            if (second < window.firstSecond) {
                high = middle - 1;
            } else if (second > window.lastSecond) {
                low = middle + 1;
            } else {
                return true;
            }
        }
        return false;
    }
}
