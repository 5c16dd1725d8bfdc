package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.Accounts;
import io.headgate.account.BreakerOpenException;
import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.blob.BlobStoreException;
import io.headgate.domain.BlobId;
import io.headgate.namespace.Intent;
import io.headgate.namespace.Namespace;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds what the writes under expired intents have left, of gateways that died and of commits whose outcome stayed unknown: looks in
 * each account at the blobs stamped in the intents' windows, and queues as garbage those that the namespace does not know.
 *
 * <p>Of all gateways one sweeps, by a lease that it keeps as long as it lives. It is safe in several: an intent that is taken commits
 * nothing any more, whoever looks for what it left.
 *
 * <p>An intent is closed when every account was looked through. Until then it stays taken, so that a later turn, here or in another
 * gateway, goes on: an account that is down, and a blob stamped in the window of an intent that still stands (a long upload), wait.
 */
public final class ExpiredIntentSweep implements Worker {
    /** Fan-outs of each account that one turn lists. */
    static final int FAN_OUTS_PER_STEP = 16;

    private static final int MAX_INTENTS = 1000;
    private static final Logger LOG = LoggerFactory.getLogger(ExpiredIntentSweep.class);

    private final Namespace namespace;
    private final Accounts accounts;
    private final InstantSource clock;
    private final Lease lease;
    private final WorkSettings.Sweep settings;
    private final Strays strays;
    /** Intents that are taken and not closed, with the accounts that are done for them. */
    private final Map<Long, Set<String>> done = new HashMap<>();

    private @Nullable Pass pass;
    private int unfinishedPasses;

    public ExpiredIntentSweep(
            Namespace namespace, Accounts accounts, InstantSource clock, Lease lease, WorkSettings.Sweep settings) {
        this.namespace = namespace;
        this.accounts = accounts;
        this.clock = clock;
        this.lease = lease;
        this.settings = settings;
        this.strays = new Strays(namespace, clock);
    }

    @Override
    public String name() {
        return "expired-intent-sweep";
    }

    @Override
    public Turn work() {
        if (!lease.isAcquired()) {
            pass = null;
            return Turn.idle(Lease.INTERVAL);
        }
        Pass current = pass;
        if (current == null) {
            List<Intent> expired = namespace.takeExpiredIntents(clock.instant(), MAX_INTENTS);
            if (expired.isEmpty()) {
                done.clear();
                return Turn.idle(settings.interval());
            }
            current = new Pass(expired);
            pass = current;
        }
        if (!current.step()) {
            return Turn.throttled(settings.pause());
        }
        pass = null;
        return current.close();
    }

    /** One pass over all fan-outs of the accounts, for a set of intents. */
    private final class Pass {
        private final List<Intent> intents;
        private final List<Share> shares = new ArrayList<>();
        private int nextFanOut;
        private int discarded;

        Pass(List<Intent> intents) {
            this.intents = intents;
            done.keySet().retainAll(intents.stream().map(Intent::id).toList());
            for (Account account : accounts.all()) {
                List<Intent> open = intents.stream()
                        .filter(intent -> !doneFor(intent).contains(account.name()))
                        .toList();
                if (!open.isEmpty()) {
                    shares.add(new Share(account, StampWindows.of(open)));
                }
            }
        }

        /** Looks through some fan-outs of each account; true past the last. */
        boolean step() {
            StampWindows standing = StampWindows.of(namespace.standingIntents());
            int end = Math.min(BlobId.FAN_OUT, nextFanOut + FAN_OUTS_PER_STEP);
            for (Share share : shares) {
                for (int fanOut = nextFanOut; fanOut < end && share.reachable; fanOut++) {
                    discarded += share.sweep(fanOut, standing);
                }
            }
            nextFanOut = end;
            return nextFanOut == BlobId.FAN_OUT || shares.stream().noneMatch(share -> share.reachable);
        }

        Turn close() {
            for (Share share : shares) {
                if (share.reachable && !share.deferred) {
                    intents.forEach(intent -> doneFor(intent).add(share.account.name()));
                }
            }
            List<Long> finished = intents.stream()
                    .filter(intent -> accounts.all().stream()
                            .allMatch(account -> doneFor(intent).contains(account.name())))
                    .map(Intent::id)
                    .toList();
            if (!finished.isEmpty()) {
                namespace.closeIntents(finished);
                finished.forEach(done::remove);
            }
            LOG.info(
                    "swept {} of {} expired intents, {} blobs found and discarded",
                    finished.size(),
                    intents.size(),
                    discarded);
            if (finished.size() == intents.size()) {
                unfinishedPasses = 0;
                return Turn.BUSY;
            }
            unfinishedPasses++;
            return Turn.throttled(WorkerLoop.backoff(settings.interval(), unfinishedPasses, settings.maxBackoff()));
        }
    }

    /** The part of a pass that concerns one account. */
    private final class Share {
        final Account account;
        private final StampWindows windows;
        boolean reachable = true;
        /** Whether a stray was left alone because it may belong to a write under way. */
        boolean deferred;

        Share(Account account, StampWindows windows) {
            this.account = account;
            this.windows = windows;
        }

        int sweep(int fanOut, StampWindows standing) {
            try {
                int found = 0;
                for (StampWindows.Window window : windows.all()) {
                    found += sweep(fanOut, window, standing);
                }
                return found;
            } catch (BlobStoreException | BreakerOpenException fault) {
                reachable = false;
                LOG.warn("account {} cannot be swept now: {}", account.name(), fault.getMessage());
                return 0;
            }
        }

        private int sweep(int fanOut, StampWindows.Window window, StampWindows standing)
                throws BlobStoreException, BreakerOpenException {
            int found = 0;
            BlobId after = null;
            while (true) {
                List<StoredBlob> page = account.list(fanOut, window.from(), window.to(), after, settings.page());
                List<StoredBlob> unknown = strays.among(account, page);
                List<StoredBlob> abandoned = unknown.stream()
                        .filter(blob -> !standing.contain(blob.id()))
                        .toList();
                deferred |= abandoned.size() < unknown.size();
                strays.discard(account, abandoned);
                found += abandoned.size();
                if (page.size() < settings.page()) {
                    return found;
                }
                after = page.getLast().id();
            }
        }
    }

    private Set<String> doneFor(Intent intent) {
        return done.computeIfAbsent(intent.id(), _ -> new HashSet<>());
    }
}
