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
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Empties the accounts that are draining, and makes accounts equally full when that is wanted: moves live blobs to others while clients
 * read, write and delete them. A blob is copied, the copy read back and compared, and only then the namespace led to it; the old copy
 * goes as garbage goes, once no read needs it.
 *
 * <p>A turn moves one batch of one account. An account is gone through in passes until it is empty: a blob that could not be moved, and
 * one that was written while the pass went on, are left to the next. While accounts drain and their blobs can move, nothing moves for
 * balance.
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
    private final Map<String, DrainProgress> progress = new ConcurrentHashMap<>();
    /** Of each account that is draining; the one whose turn is next comes first. */
    private final Map<String, Pass> passes = new LinkedHashMap<>();

    private final DrainProgress balanced;
    /** Of each account that gives blobs for balance. */
    private final Map<String, Pass> balancing = new HashMap<>();
    /** Accounts that have more than they should, but no blob that fits elsewhere. */
    private final Set<String> stuck = new HashSet<>();

    private String giving = "";
    private boolean balances;
    private final Set<BlobId> told = new HashSet<>();

    /**
     * How to go about it.
     *
     * @param parallelism how many blobs are copied at once, at least 1
     * @param interval how often accounts are looked for that are draining, and an empty one is looked at again
     * @param tolerance by which part of its share an account may hold more or less and is balanced
     */
    public record Settings(int parallelism, Duration interval, double tolerance) {}

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
        this.balanced = new DrainProgress(clock);
        this.batchBytes = Math.min(BATCH_BYTES, pace.bytesPerSecond());
    }

    /** How it goes with one of the accounts. May be called by any thread. */
    public DrainProgress progress(Account account) {
        return progress.computeIfAbsent(account.name(), _ -> new DrainProgress(clock));
    }

    /** How it goes with the balancing. May be called by any thread. */
    public DrainProgress balanceProgress() {
        return balanced;
    }

    /** How many bytes are to move until accounts are equally full; 0 if they are. May be called by any thread. */
    public long bytesOutOfBalance(Map<String, AccountUsage> usage) {
        BalancePlan plan = plan(usage);
        return plan.isBalanced() ? 0 : plan.remainingBytes();
    }

    private BalancePlan plan(Map<String, AccountUsage> usage) {
        return BalancePlan.of(
                accounts.all().stream()
                        .filter(account -> !account.draining() && !account.readOnly())
                        .map(account -> new BalancePlan.Fill(
                                account.name(),
                                account.region(),
                                account.limits().capacityBytes(),
                                usage.getOrDefault(account.name(), AccountUsage.NONE)
                                        .liveBytes()))
                        .toList(),
                settings.tolerance());
    }

    @Override
    public String name() {
        return "account-drain";
    }

    @Override
    public Turn work() throws InterruptedException {
        boolean drains = accounts.all().stream().anyMatch(Account::draining);
        balances = namespace.rebalance().running();
        if (!balances) {
            forgetBalancing();
        }
        if (!drains && !balances && !moves.mayBeUnderWay()) {
            lease.release();
            leave();
            return Turn.idle(settings.interval());
        }
        if (drains || balances) {
            moves.lookAgain();
        }
        switch (lease.acquire()) {
            case NONE -> {
                leave();
                return Turn.idle(settings.interval());
            }
            case NEW -> leave();
            case CONTINUED -> {}
        }
        moves.takeOver();
        moves.keep(one -> (balances || isDraining(one.move().from()))
                && !one.reservation().account().draining()
                && !one.reservation().account().readOnly());
        accounts.all().stream()
                .filter(Account::draining)
                .forEach(account -> passes.computeIfAbsent(account.name(), _ -> new Pass(account, false)));
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
        if (balances) {
            Duration wait = balance();
            soonest = wait.compareTo(soonest) < 0 ? wait : soonest;
        }
        if (soonest.isZero()) {
            return Turn.BUSY;
        }
        return passes.isEmpty() && !balances ? Turn.idle(soonest) : Turn.throttled(soonest);
    }

    /** Takes a step towards balance, or ends if there is none to take; returns how long to wait before the next. */
    private Duration balance() throws InterruptedException {
        BalancePlan plan = plan(namespace.accountUsage());
        Duration soonest = settings.interval();
        Set<String> without = new HashSet<>(stuck);
        while (true) {
            Optional<BalancePlan.Step> step = plan.next(giving, without);
            Optional<Account> from = step.flatMap(next -> accounts.byName(next.from()));
            if (step.isEmpty() || from.isEmpty()) {
                return without.size() > stuck.size() ? soonest : endBalancing();
            }
            Pass pass = balancing.computeIfAbsent(step.get().from(), _ -> new Pass(from.get(), true));
            Instant now = clock.instant();
            if (now.isBefore(pass.notBefore)) {
                // An account that fails holds up no other.
                Duration wait = Duration.between(now, pass.notBefore);
                soonest = wait.compareTo(soonest) < 0 ? wait : soonest;
                without.add(step.get().from());
            } else {
                giving = step.get().from();
                pass.give(step.get());
                pass.step();
                if (pass.isInVain()) {
                    stuck.add(giving);
                }
                return Duration.ZERO;
            }
        }
    }

    private Duration endBalancing() {
        if (stuck.isEmpty()) {
            LOG.info("accounts are equally full");
        } else {
            LOG.info("accounts are as equally full as they get: blobs of {} are too large to move", stuck);
        }
        namespace.setRebalancing(false);
        balances = false;
        forgetBalancing();
        return Duration.ZERO;
    }

    private void forgetBalancing() {
        balancing.clear();
        stuck.clear();
        giving = "";
    }

    /** Nothing that was known holds any more: another gateway moves, or did so. */
    private void leave() {
        moves.leaveToAnother();
        passes.clear();
        forgetBalancing();
    }

    private boolean isDraining(String account) {
        return accounts.byName(account).filter(Account::draining).isPresent();
    }

    /** One way through the live blobs of an account, then the next. */
    private final class Pass {
        private final Account account;
        private final boolean forBalance;
        private final DrainProgress progressed;
        private final Deque<LiveBlob> ahead = new ArrayDeque<>();
        private @Nullable BlobId cursor;
        private boolean atEnd = true;
        private boolean saidEmpty;
        private long moved;
        private int failuresInARow;
        private int vainPasses;
        private Instant notBefore = Instant.MIN;
        private Moves.Room room = Moves.Room.unbounded();
        private long givesBytes = Long.MAX_VALUE;
        /** Of this pass, how many blobs could be given. */
        private long fitting;

        private boolean inVain;

        Pass(Account account, boolean forBalance) {
            this.account = account;
            this.forBalance = forBalance;
            this.progressed = progress(account);
        }

        /** Bounds what the next step moves. */
        void give(BalancePlan.Step step) {
            room = Moves.Room.of(step.roomBytes());
            givesBytes = Math.min(
                    step.excessBytes(),
                    step.roomBytes().values().stream()
                            .mapToLong(Long::longValue)
                            .sum());
        }

        /** Whether a whole pass has found no blob that fits. */
        boolean isInVain() {
            return inVain;
        }

        private boolean isWanted() {
            return forBalance || account.draining();
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
            if (busy || (moves.begun(account).isEmpty() && !moves.anyTakes(account, room))) {
                wait(++failuresInARow);
                return;
            }
            if (moves.begun(account).isEmpty()) {
                moves.begin(account, batch(), room);
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
            if (!forBalance) {
                LOG.info("account {} is being drained of {} blobs", account.name(), live);
            }
            saidEmpty = false;
            fitting = 0;
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
                inVain = forBalance && fitting == 0;
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
                LiveBlob blob = ahead.getFirst();
                boolean fits = blob.sizeBytes() <= givesBytes && room.takes(blob.sizeBytes());
                if (fits && blob.sizeBytes() > givesBytes - bytes) {
                    return batch; // the next batch may have it, when it is known what became of this one
                }
                ahead.removeFirst();
                if (fits) {
                    batch.add(blob);
                    bytes += blob.sizeBytes();
                    fitting++;
                }
            }
            return batch;
        }

        private void moveBegun() throws InterruptedException {
            Instant begun = clock.instant();
            MoveBatch batch = new MoveBatch(account, moves.begun(account), copier, this::isWanted);
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
                if (forBalance) {
                    balanced.moved(begun, finished.size(), bytes);
                }
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
