package io.headgate.namespace;

import io.headgate.domain.BlobId;
import io.headgate.domain.BlobIds;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * This gateway's intents: every blob is written under one, recorded in the namespace before its first byte, so that whatever a dead
 * gateway leaves half done is found by looking at the blobs stamped in the intent's window. One intent covers all writes of a window
 * of time, so a write costs a small fraction of a record. Thread-safe.
 */
public final class WriteIntents {
    private final Namespace namespace;
    private final BlobIds blobIds;
    private final InstantSource clock;
    private final String gateway;
    private final Duration window;
    private final Duration lease;
    private final ReentrantLock lock = new ReentrantLock();

    /** All intents that this gateway still answers for. Guarded by {@link #lock}. */
    private final Map<Long, Open> open = new HashMap<>();

    /** The one that new writes join. Guarded by {@link #lock}. */
    private @Nullable Open current;

    private static final class Open {
        final Intent intent;
        int writesInFlight;
        boolean abandoned;

        Open(Intent intent) {
            this.intent = intent;
        }
    }

    /**
     * @param gateway the id of this run of the gateway
     * @param window for how long new writes join one intent
     * @param lease how long an intent stands unless {@link #renew} is called; a few times the renewal's interval
     */
    public WriteIntents(
            Namespace namespace,
            BlobIds blobIds,
            InstantSource clock,
            String gateway,
            Duration window,
            Duration lease) {
        this.namespace = namespace;
        this.blobIds = blobIds;
        this.clock = clock;
        this.gateway = gateway;
        this.window = window;
        this.lease = lease;
    }

    /** One write under an intent. Exactly one of {@link #settle} and {@link #abandon} ends it; a second call does nothing. */
    public final class Write {
        private final Open under;
        private boolean ended;

        private Write(Open under) {
            this.under = under;
        }

        public long intentId() {
            return under.intent.id();
        }

        /** A fresh blob id, stamped within the intent's window whatever the clock says now. */
        public BlobId newBlobId() {
            return blobIds.next(stamp());
        }

        /** The same, of the slot that the namespace has named, if it has. */
        public BlobId newBlobId(OptionalInt slot) {
            return slot.isPresent() ? blobIds.next(stamp(), slot.getAsInt()) : newBlobId();
        }

        private Instant stamp() {
            Instant now = clock.instant();
            Instant opened = under.intent.openedAt();
            Instant last = under.intent.lastStampAt();
            return now.isBefore(opened) ? opened : now.isAfter(last) ? last : now;
        }

        /** Every blob of the write is known to the namespace now: as a version's, a part's, or garbage. */
        public void settle() {
            end(false);
        }

        /** What became of the write's blobs is unknown: the sweep has to look at the intent's window. */
        public void abandon() {
            end(true);
        }

        private void end(boolean unknown) {
            lock.lock();
            try {
                if (!ended) {
                    ended = true;
                    under.writesInFlight--;
                    under.abandoned |= unknown;
                }
            } finally {
                lock.unlock();
            }
        }
    }

    /** Begins a write; opens an intent if there is none to join. */
    public Write begin() {
        lock.lock();
        try {
            Instant now = clock.instant();
            Open joined = current;
            if (joined == null || joined.abandoned || now.isAfter(joined.intent.lastStampAt())) {
                Intent intent = namespace.openIntent(
                        gateway, now, now.plus(window), now.plus(window).plus(lease));
                joined = new Open(intent);
                open.put(intent.id(), joined);
                current = joined;
            }
            joined.writesInFlight++;
            return new Write(joined);
        } finally {
            lock.unlock();
        }
    }

    /**
     * Renews the intents with writes in flight, closes those that are done with, and lets the abandoned ones expire. To be called
     * several times a lease.
     */
    public void renew() {
        Instant now = clock.instant();
        List<Long> renewed = new ArrayList<>();
        List<Long> closed = new ArrayList<>();
        lock.lock();
        try {
            for (Open intent : List.copyOf(open.values())) {
                boolean over = intent.abandoned || now.isAfter(intent.intent.lastStampAt());
                if (over && intent == current) {
                    current = null;
                }
                if (intent.writesInFlight > 0 || !over) {
                    renewed.add(intent.intent.id());
                } else {
                    open.remove(intent.intent.id());
                    if (!intent.abandoned) {
                        closed.add(intent.intent.id());
                    }
                }
            }
        } finally {
            lock.unlock();
        }
        if (!closed.isEmpty()) {
            namespace.closeIntents(closed);
        }
        if (!renewed.isEmpty()) {
            forget(renewed, namespace.renewIntents(renewed, now.plus(window).plus(lease)));
        }
    }

    /** Closes what is settled, at the end of a graceful shutdown. */
    public void close() {
        List<Long> closed = new ArrayList<>();
        lock.lock();
        try {
            current = null;
            for (Open intent : open.values()) {
                if (intent.writesInFlight == 0 && !intent.abandoned) {
                    closed.add(intent.intent.id());
                }
            }
            open.clear();
        } finally {
            lock.unlock();
        }
        if (!closed.isEmpty()) {
            namespace.closeIntents(closed);
        }
    }

    /** Stops joining intents that were lost to the sweep while this gateway could not renew them. */
    private void forget(List<Long> asked, List<Long> standing) {
        if (standing.size() == asked.size()) {
            return;
        }
        lock.lock();
        try {
            for (Long id : asked) {
                if (!standing.contains(id)) {
                    Open lost = open.remove(id);
                    if (lost != null && lost == current) {
                        current = null;
                    }
                }
            }
        } finally {
            lock.unlock();
        }
    }
}
