package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.Accounts;
import io.headgate.domain.BlobId;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.BlobMove;
import io.headgate.namespace.LiveBlobs;
import io.headgate.namespace.LiveBlobs.LiveBlob;
import io.headgate.namespace.Namespace;
import io.headgate.placement.Placement;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Empties the accounts that are draining: moves their live blobs to others while clients read, write and delete them. A blob is copied,
 * the copy read back and compared, and only then the namespace led to it; the old copy goes as garbage goes, once no read needs it.
 *
 * <p>A turn moves one batch of one account. An account is gone through in passes until it is empty: a blob that could not be moved, and
 * one that was written while the pass went on, are left to the next.
 */
public final class AccountDrain implements Worker {
    private static final Logger LOG = LoggerFactory.getLogger(AccountDrain.class);
    private static final int PAGE = 1000;
    private static final int BATCH_BLOBS = 128;
    /** A batch ends with the blob that reaches this, or what may move in a second. */
    private static final long BATCH_BYTES = 64L << 20;

    private static final Duration MAX_BACKOFF = Duration.ofMinutes(5);
    /** The wait for an account that takes blobs again, and the first after a batch that failed as a whole. */
    private static final Duration FIRST_BACKOFF = Duration.ofSeconds(1);
    /** Of so many missing blobs is remembered that they were told. */
    private static final int MAX_TOLD = 10_000;
    /** Above this part of its request rate, moving from an account gives way to clients. */
    private static final double BUSY_RATIO = 0.8;

    private final Namespace namespace;
    private final Accounts accounts;
    private final InstantSource clock;
    private final Settings settings;
    private final Lease lease;
    private final Moves moves;
    private final BlobCopier copier;
    private final long batchBytes;
    private final Map<String, DrainProgress> progress = new LinkedHashMap<>();
    /** Of each account that is draining; the one whose turn is next comes first. */
    private final Map<String, Pass> passes = new LinkedHashMap<>();

    private final Set<BlobId> told = new HashSet<>();

    /**
     * How to go about it.
     *
     * @param parallelism how many blobs are copied at once, at least 1
     * @param interval how often accounts are looked for that are draining, and an empty one is looked at again
     */
    public record Settings(int parallelism, Duration interval) {}

    /**
     * A drain of any of {@code accounts}.
     *
     * @param pace of all bytes that are copied
     * @param random draws the account of each blob
     * @param lease held while there is something to move: of all gateways only one moves blobs
     */
    public AccountDrain(
            Namespace namespace,
            Accounts accounts,
            Placement placement,
            RandomGenerator random,
            InstantSource clock,
            Pace pace,
            Lease lease,
            Settings settings) {
        this.namespace = namespace;
        this.lease = lease;
        this.accounts = accounts;
        this.clock = clock;
        this.settings = settings;
        this.moves = new Moves(namespace, accounts, placement, random, clock);
        this.copier = new BlobCopier(pace);
        this.batchBytes = Math.min(BATCH_BYTES, pace.bytesPerSecond());
        for (Account account : accounts.all()) {
            progress.put(account.name(), new DrainProgress(clock));
        }
    }

    /** How it goes with one of the accounts. May be called by any thread. */
    public DrainProgress progress(Account account) {
        return Objects.requireNonNull(progress.get(account.name()));
    }

    @Override
    public String name() {
        return "account-drain";
    }

    @Override
    public Turn work() throws InterruptedException {
        boolean drains = accounts.all().stream().anyMatch(Account::draining);
        if (!drains && moves.isEmpty()) {
            lease.release();
            return Turn.idle(settings.interval());
        }
        if (!lease.acquire()) {
            moves.leaveToAnother();
            passes.clear();
            return Turn.idle(settings.interval());
        }
        moves.takeOver();
        moves.keep(one -> isDraining(one.move().from())
                && !one.reservation().account().draining()
                && !one.reservation().account().readOnly());
        accounts.all().stream()
                .filter(Account::draining)
                .forEach(account -> passes.computeIfAbsent(account.name(), _ -> new Pass(account)));
        passes.keySet().removeIf(name -> !isDraining(name));
        Duration soonest = settings.interval();
        Instant now = clock.instant();
        for (Pass pass : List.copyOf(passes.values())) {
            if (now.isBefore(pass.notBefore)) {
                Duration wait = Duration.between(now, pass.notBefore);
                soonest = wait.compareTo(soonest) < 0 ? wait : soonest;
            } else {
                passes.remove(pass.account.name());
                passes.put(pass.account.name(), pass);
                pass.step();
                return Turn.BUSY;
            }
        }
        return passes.isEmpty() ? Turn.idle(soonest) : Turn.throttled(soonest);
    }

    private boolean isDraining(String account) {
        return accounts.byName(account).filter(Account::draining).isPresent();
    }

    /** One way through the live blobs of an account, then the next. */
    private final class Pass {
        private final Account account;
        private final DrainProgress progressed;
        private final Deque<LiveBlob> ahead = new ArrayDeque<>();
        private @Nullable BlobId cursor;
        private boolean atEnd = true;
        private boolean saidEmpty;
        private long moved;
        private int failuresInARow;
        private int vainPasses;
        private Instant notBefore = Instant.MIN;

        Pass(Account account) {
            this.account = account;
            this.progressed = progress(account);
        }

        void step() throws InterruptedException {
            if (moves.begun(account).isEmpty() && ahead.isEmpty()) {
                if (atEnd) {
                    begin();
                } else {
                    list();
                }
                return;
            }
            boolean busy = account.meter().requestsPerSecond()
                    > BUSY_RATIO * account.meter().requests().limitPerSecond();
            if (busy || (moves.begun(account).isEmpty() && !moves.anyTakes(account))) {
                wait(++failuresInARow);
                return;
            }
            if (moves.begun(account).isEmpty()) {
                moves.begin(account, batch());
            }
            moveBegun();
        }

        /** Begins at the first blob, if there is any. */
        private void begin() {
            long live = namespace
                    .accountUsage()
                    .getOrDefault(account.name(), AccountUsage.NONE)
                    .blobs();
            if (live == 0) {
                if (!saidEmpty) {
                    LOG.info("account {} is drained: no blob lives there any more", account.name());
                    saidEmpty = true;
                }
                notBefore = clock.instant().plus(settings.interval());
                return;
            }
            LOG.info("account {} is being drained of {} blobs", account.name(), live);
            saidEmpty = false;
            cursor = null;
            atEnd = false;
            moved = 0;
        }

        private void list() {
            LiveBlobs page = namespace.liveBlobs(account.name(), cursor, PAGE);
            ahead.addAll(page.blobs());
            cursor = page.next().orElse(null);
            atEnd = page.next().isEmpty();
            endIfAtEnd();
        }

        private void endIfAtEnd() {
            if (atEnd && ahead.isEmpty() && moves.begun(account).isEmpty()) {
                vainPasses = moved > 0 ? 0 : vainPasses + 1;
                if (vainPasses > 0) {
                    notBefore = clock.instant().plus(WorkerLoop.backoff(settings.interval(), vainPasses, MAX_BACKOFF));
                }
            }
        }

        private List<LiveBlob> batch() {
            List<LiveBlob> batch = new ArrayList<>();
            long bytes = 0;
            while (!ahead.isEmpty() && batch.size() < BATCH_BLOBS && bytes < batchBytes) {
                LiveBlob blob = ahead.removeFirst();
                batch.add(blob);
                bytes += blob.sizeBytes();
            }
            return batch;
        }

        private void moveBegun() throws InterruptedException {
            Instant begun = clock.instant();
            MoveBatch batch = new MoveBatch(account, moves.begun(account), copier);
            boolean ended = false;
            try {
                batch.run(settings.parallelism());
                ended = true;
            } finally {
                if (!ended) {
                    moves.distrust();
                }
            }
            batch.missing().forEach(this::tell);
            batch.failed().forEach(_ -> progressed.failed());
            List<BlobMove> finished = moves.end(batch.copied(), batch.given());
            if (!finished.isEmpty()) {
                long bytes = finished.stream().mapToLong(BlobMove::sizeBytes).sum();
                progressed.moved(begun, finished.size(), bytes);
                moved += finished.size();
            }
            if (batch.copied().isEmpty() && (batch.stopped() || !batch.failed().isEmpty())) {
                LOG.warn("blobs of account {} cannot be moved now: {}", account.name(), batch.reason());
                wait(++failuresInARow);
            } else {
                failuresInARow = 0;
            }
            endIfAtEnd();
        }

        private void wait(int times) {
            notBefore = clock.instant().plus(WorkerLoop.backoff(FIRST_BACKOFF, times, MAX_BACKOFF));
        }

        /** A blob that was deleted while it should be copied may be gone, a live one may not. */
        private void tell(Moves.Begun one) {
            BlobId blob = one.move().blob();
            if (!told.contains(blob) && moves.stillLives(one)) {
                progressed.missing();
                LOG.error("corruption: live blob {} is not in account {}, or not whole", blob, account.name());
                if (told.size() < MAX_TOLD) {
                    told.add(blob);
                }
            }
        }
    }
}
