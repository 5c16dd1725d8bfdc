package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.BreakerOpenException;
import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.blob.BlobStoreException;
import io.headgate.domain.BlobId;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.Namespace;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Walks, seldom and slowly, through all blobs of one account and queues as garbage those that nothing knows: the net under the sweep of
 * expired intents, for blobs that appeared after it had passed. A turn looks at one page, and a turn that fails is taken again.
 *
 * <p>Of all gateways one sweeps, by a lease that it keeps as long as it lives.
 *
 * <p>A blob may be old and still being written: then its intent stands, for a gateway renews it as long as the write lasts. So blobs
 * stamped in the window of a standing intent are left alone. The intents are read before the blobs: whoever's intent is gone by then has
 * told the namespace about the blob, or will never commit it.
 */
public final class OrphanSweep implements Worker {
    private static final Logger LOG = LoggerFactory.getLogger(OrphanSweep.class);

    private final Account account;
    private final Namespace namespace;
    private final InstantSource clock;
    private final Lease lease;
    private final WorkSettings.Orphans settings;
    private final Strays strays;
    private Instant nextPass;
    private @Nullable Pass pass;

    public OrphanSweep(
            Account account, Namespace namespace, InstantSource clock, Lease lease, WorkSettings.Orphans settings) {
        this.account = account;
        this.namespace = namespace;
        this.clock = clock;
        this.lease = lease;
        this.settings = settings;
        this.strays = new Strays(namespace, clock);
        this.nextPass = clock.instant().plus(settings.delay());
    }

    @Override
    public String name() {
        return "orphan-sweep(" + account.name() + ")";
    }

    @Override
    public Duration maxBackoff() {
        return Duration.ofMinutes(10);
    }

    @Override
    public Turn work() throws BlobStoreException {
        Instant now = clock.instant();
        Pass current = pass;
        if (current == null) {
            if (now.isBefore(nextPass)) {
                return Turn.idle(Duration.between(now, nextPass));
            }
        }
        if (!lease.isAcquired()) {
            return Turn.idle(Lease.INTERVAL); // a pass that was interrupted goes on where it was
        }
        if (current == null) {
            if (namespace
                            .accountUsage()
                            .getOrDefault(account.name(), AccountUsage.NONE)
                            .blobs()
                    == 0) {
                // To a namespace that is new, or not this account's, every blob is an orphan.
                LOG.info("account {}: no search for orphans, as the namespace knows no blob of it", account.name());
                nextPass = now.plus(settings.interval());
                return Turn.idle(settings.interval());
            }
            current = new Pass(now.minus(settings.minAge()));
            pass = current;
        }
        try {
            if (!current.page()) {
                return Turn.throttled(settings.pause());
            }
        } catch (BreakerOpenException down) {
            return Turn.throttled(maxBackoff()); // the pass goes on where it is when the account is back
        }
        pass = null;
        nextPass = clock.instant().plus(settings.interval());
        return Turn.idle(settings.interval());
    }

    private final class Pass {
        private final Instant stampedBefore;
        private int fanOut;
        private @Nullable BlobId after;
        private long seen;
        private long orphans;

        Pass(Instant stampedBefore) {
            this.stampedBefore = stampedBefore;
        }

        /** Looks at the next page; true if it was the last. */
        boolean page() throws BlobStoreException, BreakerOpenException {
            StampWindows standing = StampWindows.of(namespace.standingIntents());
            List<StoredBlob> page = account.list(fanOut, Instant.EPOCH, stampedBefore, after, settings.page());
            List<StoredBlob> found = strays.among(account, page).stream()
                    .filter(blob -> !standing.contain(blob.id()))
                    .toList();
            if (!Strays.arePlausible(orphans + found.size(), seen + page.size(), settings.maxRatio())) {
                LOG.error(
                        "account {} holds {} blobs unknown to the namespace among {}: too many to be left-overs, so none of the last are"
                                + " deleted. Is this another namespace's account, or was an old namespace restored?",
                        account.name(),
                        orphans + found.size(),
                        seen + page.size());
                return true;
            }
            strays.discard(account, found);
            seen += page.size();
            orphans += found.size();
            if (page.size() == settings.page()) {
                after = page.getLast().id();
                return false;
            }
            after = null;
            fanOut++;
            boolean over = fanOut == BlobId.FAN_OUT;
            if (over) {
                LOG.info("account {}: {} orphans among {} blobs", account.name(), orphans, seen);
            }
            return over;
        }
    }
}
