package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.BreakerOpenException;
import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.blob.BlobStoreException;
import io.headgate.domain.BlobId;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.LiveBlobs;
import io.headgate.namespace.Namespace;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Compares an account with the namespace. The account lists its blobs by the first byte of their names, the namespace by the time of their
 * making; so for some first bytes at a time the names that the namespace has are held in memory, and the account's are looked up there.
 */
final class AccountCheck {
    private static final int LIVE_PAGE = 10_000;
    /** The most that {@link Namespace#unknownBlobs} takes. */
    private static final int PAGE = 1_000;

    private static final int TRIES = 6;
    private static final Duration FIRST_WAIT = Duration.ofSeconds(1);
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(30);
    private static final int FAN_OUTS_A_LINE = 32;

    private final Account account;
    private final long liveBlobs;
    private final Namespace namespace;
    private final InstantSource clock;
    private final Pace.Pause pause;
    private final Fsck.Settings settings;
    private final Fsck.Tally tally;
    private final Consumer<Finding> found;
    private final Consumer<String> progress;
    private final Strays strays;
    private final LostBlobs lost;
    private long seen;
    private long orphans;

    /** @param liveBlobs how many the namespace says there are, about */
    AccountCheck(
            Account account,
            long liveBlobs,
            Namespace namespace,
            InstantSource clock,
            Pace.Pause pause,
            Fsck.Settings settings,
            Fsck.Tally tally,
            Consumer<Finding> found,
            Consumer<String> progress) {
        this.account = account;
        this.liveBlobs = liveBlobs;
        this.namespace = namespace;
        this.clock = clock;
        this.pause = pause;
        this.settings = settings;
        this.tally = tally;
        this.found = found;
        this.progress = progress;
        this.strays = new Strays(namespace, clock);
        this.lost = new LostBlobs(account.name(), namespace, found);
    }

    void run() throws BlobStoreException, BreakerOpenException, InterruptedException {
        long passes = Math.clamp(liveBlobs / settings.blobsAtOnce() + 1, 1, BlobId.FAN_OUT);
        int width = (int) ((BlobId.FAN_OUT + passes - 1) / passes);
        // Not more than that, even if the counter that says how many there are is wrong.
        int expected = Math.clamp(liveBlobs / passes, 0, settings.blobsAtOnce());
        for (int from = 0; from < BlobId.FAN_OUT; from += width) {
            check(from, Math.min(BlobId.FAN_OUT, from + width), expected);
        }
        lost.report();
    }

    private void check(int from, int to, int expected)
            throws BlobStoreException, BreakerOpenException, InterruptedException {
        BlobTable known = new BlobTable(expected + expected / 16 + PAGE);
        loadLive(known, from, to);
        loadOverdue(known, from, to);
        for (int fanOut = from; fanOut < to; fanOut++) {
            compare(known, fanOut);
            if (fanOut % FAN_OUTS_A_LINE == FAN_OUTS_A_LINE - 1) {
                progress.accept("account " + account.name() + ": " + (fanOut + 1) * 100 / BlobId.FAN_OUT + " %, blobs: "
                        + seen);
            }
        }
        checkUnseen(known);
    }

    private void loadLive(BlobTable known, int from, int to) {
        Optional<BlobId> next = Optional.empty();
        do {
            LiveBlobs page = namespace.liveBlobs(account.name(), next.orElse(null), LIVE_PAGE);
            for (LiveBlobs.LiveBlob live : page.blobs()) {
                if (live.blob().fanOut() >= from && live.blob().fanOut() < to) {
                    known.add(live.blob(), live.sizeBytes(), true);
                }
            }
            next = page.next();
        } while (next.isPresent());
    }

    /** Garbage that a write left behind which never got as far as the account is no fault; only that it is still queued would be one. */
    private void loadOverdue(BlobTable known, int from, int to) {
        Instant due = clock.instant().minus(settings.overdue());
        Garbage last = null;
        while (true) {
            List<Garbage> page = namespace.garbage(account.name(), last, PAGE);
            for (Garbage garbage : page) {
                if (!garbage.queuedAt().isBefore(due)) {
                    return;
                }
                if (garbage.blob().fanOut() >= from && garbage.blob().fanOut() < to) {
                    known.add(garbage.blob(), garbage.sizeBytes(), false);
                }
            }
            if (page.size() < PAGE) {
                return;
            }
            last = page.getLast();
        }
    }

    private void compare(BlobTable known, int fanOut)
            throws BlobStoreException, BreakerOpenException, InterruptedException {
        Instant end = Instant.ofEpochSecond(BlobId.MAX_SECOND);
        @Nullable BlobId after = null;
        while (true) {
            // Read first: whoever's intent is gone by then has told the namespace about the blob, or will never commit
            // it. Who opens one from now on stamps its blobs with this second or a later one.
            Instant young = clock.instant().minus(settings.minAge()).truncatedTo(ChronoUnit.SECONDS);
            StampWindows standing = StampWindows.of(namespace.standingIntents());
            BlobId from = after;
            List<StoredBlob> page = patiently(() -> account.list(fanOut, Instant.EPOCH, end, from, PAGE));
            List<StoredBlob> others = new ArrayList<>();
            for (StoredBlob stored : page) {
                int place = known.see(stored.id());
                if (place == BlobTable.NONE) {
                    others.add(stored);
                } else if (known.isLive(place) && known.sizeBytes(place) != stored.sizeBytes()) {
                    suspect(stored.id(), known.sizeBytes(place));
                }
                tally.bytes += stored.sizeBytes();
            }
            tally.blobs += page.size();
            seen += page.size();
            checkOthers(others, young, standing);
            if (page.size() < PAGE) {
                return;
            }
            after = page.getLast().id();
        }
    }

    /** Looks at blobs that were not live when the names were read: they are new, moved here, garbage, or strays. */
    private void checkOthers(List<StoredBlob> others, Instant young, StampWindows standing)
            throws BlobStoreException, BreakerOpenException, InterruptedException {
        List<StoredBlob> orphaned = new ArrayList<>();
        for (StoredBlob stray : strays.among(account, others)) {
            if (!stray.id().createdAt().isBefore(young) || standing.contain(stray.id())) {
                tally.explained++;
            } else if (sizeNow(stray.id()) >= 0) { // else it was garbage, and is forgotten now that it is deleted
                orphaned.add(stray);
            }
        }
        if (orphaned.isEmpty()) {
            return;
        }
        orphans += orphaned.size();
        boolean plausible = liveBlobs > 0 && Strays.arePlausible(orphans, seen, settings.maxStrayRatio());
        if (settings.repair() && plausible) {
            strays.discard(account, orphaned);
        }
        Finding.Fate fate = !plausible
                ? Finding.Fate.HELD_BACK
                : settings.repair() ? Finding.Fate.REPAIRED : Finding.Fate.REPAIRABLE;
        for (StoredBlob stray : orphaned) {
            found.accept(finding(Finding.Kind.STRAY, stray.id(), stray.sizeBytes(), fate));
        }
    }

    private void checkUnseen(BlobTable known) throws BlobStoreException, BreakerOpenException, InterruptedException {
        List<BlobId> live = new ArrayList<>();
        List<BlobId> garbage = new ArrayList<>();
        int[] places = known.unseen();
        for (int i = 0; i < places.length; i++) {
            (known.isLive(places[i]) ? live : garbage).add(known.blob(places[i]));
            if (live.size() == PAGE || i == places.length - 1) {
                checkLive(live, known);
                live.clear();
            }
            if (garbage.size() == PAGE || i == places.length - 1) {
                checkGarbage(garbage);
                garbage.clear();
            }
        }
    }

    /** Those that the namespace does not know here any more were deleted or moved meanwhile. */
    private void checkLive(List<BlobId> live, BlobTable known)
            throws BlobStoreException, BreakerOpenException, InterruptedException {
        for (BlobId blob : stillKnown(live)) {
            suspect(blob, known.sizeBytes(known.see(blob)));
        }
    }

    private void checkGarbage(List<BlobId> garbage)
            throws BlobStoreException, BreakerOpenException, InterruptedException {
        List<BlobId> gone = new ArrayList<>();
        for (BlobId blob : stillKnown(garbage)) {
            if (sizeNow(blob) < 0) {
                gone.add(blob);
            }
        }
        if (gone.isEmpty()) {
            return;
        }
        if (settings.repair()) {
            for (BlobId blob : gone) {
                patiently(() -> {
                    account.delete(blob); // whatever a broken put has left that is not listed
                    return true;
                });
            }
            namespace.garbageDeleted(account.name(), gone);
        }
        Finding.Fate fate = settings.repair() ? Finding.Fate.REPAIRED : Finding.Fate.REPAIRABLE;
        gone.forEach(blob -> found.accept(finding(Finding.Kind.DANGLING_GARBAGE, blob, -1, fate)));
    }

    private List<BlobId> stillKnown(List<BlobId> blobs) {
        if (blobs.isEmpty()) {
            return List.of();
        }
        List<BlobId> known = new ArrayList<>(blobs);
        known.removeAll(new HashSet<>(namespace.unknownBlobs(account.name(), blobs)));
        return known;
    }

    /** Looks again at a blob that was live: the account may have been about to list it, or it was cut off while listing. */
    private void suspect(BlobId blob, long sizeBytes)
            throws BlobStoreException, BreakerOpenException, InterruptedException {
        long actual = sizeNow(blob);
        if (actual != sizeBytes) {
            lost.add(blob, sizeBytes, actual);
        }
    }

    /** How long the account says a blob is; -1 if it has none. */
    private long sizeNow(BlobId blob) throws BlobStoreException, BreakerOpenException, InterruptedException {
        Instant from = blob.createdAt();
        @Nullable BlobId after = null;
        while (true) {
            BlobId last = after;
            List<StoredBlob> page = patiently(() -> account.list(blob.fanOut(), from, from.plusSeconds(1), last, PAGE));
            for (StoredBlob stored : page) {
                if (stored.id().equals(blob)) {
                    return stored.sizeBytes();
                }
            }
            if (page.size() < PAGE) {
                return -1;
            }
            after = page.getLast().id();
        }
    }

    private interface Request<T> {
        T send() throws BlobStoreException, BreakerOpenException;
    }

    /** Waits, and asks again, while the account asks for fewer requests. */
    private <T> T patiently(Request<T> request) throws BlobStoreException, BreakerOpenException, InterruptedException {
        for (int tries = 1; ; tries++) {
            try {
                return request.send();
            } catch (BlobStoreException failed) {
                if (failed.kind() != BlobStoreException.Kind.THROTTLED || tries == TRIES) {
                    throw failed;
                }
                pause.await(WorkerLoop.backoff(FIRST_WAIT, tries, LONGEST_WAIT));
            }
        }
    }

    private Finding finding(Finding.Kind kind, BlobId blob, long sizeBytes, Finding.Fate fate) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("account", account.name());
        details.put("blob", blob.toString());
        if (sizeBytes >= 0) {
            details.put("blob_bytes", sizeBytes);
        }
        return new Finding(kind, details, fate);
    }
}
