package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.Accounts;
import io.headgate.account.Reservation;
import io.headgate.namespace.BlobMove;
import io.headgate.namespace.LiveBlobs.LiveBlob;
import io.headgate.namespace.Namespace;
import io.headgate.placement.Choice;
import io.headgate.placement.Placement;
import io.headgate.placement.Wish;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.random.RandomGenerator;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The moves that this process has begun: each stands in the namespace and has room reserved for its copy. For one thread at a time.
 *
 * <p>Whatever stands in the namespace and not here was left by a process that died, or by a step whose outcome stayed unknown, and is
 * abandoned: half a copy is never gone on with. That asks for one mover at a time, which the {@link Lease} sees to. A mover that has
 * lost it finds that its moves are not under way any more, and nothing happens.
 */
final class Moves {
    private static final Logger LOG = LoggerFactory.getLogger(Moves.class);
    private static final int PAGE = 1000;
    /** So many accounts are tried for a blob before it is left to a later pass. */
    private static final int TRIES = 3;
    /** Another gateway hears within seconds that nothing is to be moved any more. */
    private static final Duration LOOK = Duration.ofMinutes(1);

    private final Namespace namespace;
    private final Accounts accounts;
    private final Placement placement;
    private final RandomGenerator random;
    private final InstantSource clock;
    private final Deque<Begun> begun = new ArrayDeque<>();
    private boolean inOrder;
    private Instant lookUntil;

    /** A move that is recorded, and room for it. */
    record Begun(BlobMove move, Reservation reservation) {}

    Moves(Namespace namespace, Accounts accounts, Placement placement, RandomGenerator random, InstantSource clock) {
        this.namespace = namespace;
        this.accounts = accounts;
        this.placement = placement;
        this.random = random;
        this.clock = clock;
        this.lookUntil = clock.instant().plus(LOOK);
    }

    /** Sees to it that what stands in the namespace is what stands here. */
    void takeOver() {
        if (inOrder) {
            return;
        }
        release(begun);
        begun.clear();
        List<BlobMove> left;
        do {
            left = namespace.movesUnderWay(PAGE);
            if (!left.isEmpty()) {
                namespace.abandonMoves(left, clock.instant());
                LOG.info("abandoned {} moves of blobs that had been begun", left.size());
            }
        } while (!left.isEmpty());
        inOrder = true;
    }

    /**
     * Whether anything may be under way, here or in the namespace. The namespace is asked for a while after the last call that found
     * something, or after the start or {@link #lookAgain}: from then on nobody begins moves.
     */
    boolean mayBeUnderWay() {
        if (!begun.isEmpty()) {
            return true;
        }
        if (inOrder || !clock.instant().isBefore(lookUntil)) {
            return false;
        }
        boolean found = !namespace.movesUnderWay(1).isEmpty();
        if (found) {
            lookAgain();
        }
        return found;
    }

    /** Moves are being made, by this gateway or another one. */
    void lookAgain() {
        lookUntil = clock.instant().plus(LOOK);
    }

    /** Another gateway may move, and abandons what is begun here. */
    void leaveToAnother() {
        release(begun);
        begun.clear();
        inOrder = false;
    }

    /** Those that are begun from an account, to be copied. */
    List<Begun> begun(Account from) {
        return begun.stream()
                .filter(one -> one.move().from().equals(from.name()))
                .toList();
    }

    /** What became of copies is unknown: all that is begun is abandoned before anything else. */
    void distrust() {
        inOrder = false;
    }

    /** Gives up those that are not wanted any more. */
    void keep(Predicate<Begun> wanted) {
        List<Begun> unwanted = begun.stream().filter(wanted.negate()).toList();
        if (!unwanted.isEmpty()) {
            end(List.of(), unwanted);
        }
    }

    /** How much accounts may take. */
    static final class Room {
        private final Map<String, Long> leftBytes;
        private final boolean bounded;

        private Room(Map<String, Long> leftBytes, boolean bounded) {
            this.leftBytes = leftBytes;
            this.bounded = bounded;
        }

        /** As much as they take writes. */
        static Room unbounded() {
            return new Room(Map.of(), false);
        }

        /** Only those, and only so much. */
        static Room of(Map<String, Long> bytes) {
            return new Room(new HashMap<>(bytes), true);
        }

        boolean takes(String account, long bytes) {
            return !bounded || leftBytes.getOrDefault(account, -1L) >= bytes;
        }

        /** Whether any account takes so much. */
        boolean takes(long bytes) {
            return !bounded || leftBytes.values().stream().anyMatch(left -> left >= bytes);
        }

        private void use(String account, long bytes) {
            if (bounded) {
                leftBytes.merge(account, -bytes, Long::sum);
            }
        }
    }

    /** Whether any account takes a blob from that one now, however small. */
    boolean anyTakes(Account from, Room room) {
        return choose(from, 0, Set.of(), room).isPresent();
    }

    /** Chooses an account for each blob, as for a write, and records the moves. Blobs that find none are left out. */
    void begin(Account from, List<LiveBlob> blobs, Room room) {
        Map<LiveBlob, Set<String>> refusing = new HashMap<>();
        List<LiveBlob> open = blobs;
        for (int tries = 0; tries < TRIES && !open.isEmpty(); tries++) {
            List<LiveBlob> placed = new ArrayList<>();
            List<Begun> wanted = new ArrayList<>();
            for (LiveBlob blob : open) {
                Set<String> excluded = refusing.computeIfAbsent(blob, _ -> new HashSet<>());
                reserve(from, blob.sizeBytes(), excluded, room).ifPresent(reservation -> {
                    String to = reservation.account().name();
                    room.use(to, blob.sizeBytes());
                    excluded.add(to);
                    placed.add(blob);
                    wanted.add(new Begun(new BlobMove(blob.blob(), from.name(), to, blob.sizeBytes()), reservation));
                });
            }
            Set<BlobMove> recorded = record(wanted);
            List<LiveBlob> refused = new ArrayList<>();
            for (int i = 0; i < placed.size(); i++) {
                Begun one = wanted.get(i);
                if (recorded.contains(one.move())) {
                    begun.add(one);
                } else {
                    one.reservation().close();
                    room.use(one.move().to(), -one.move().sizeBytes());
                    refused.add(placed.get(i));
                }
            }
            open = refused;
        }
    }

    private Set<BlobMove> record(List<Begun> wanted) {
        if (wanted.isEmpty()) {
            return Set.of();
        }
        boolean recorded = false;
        inOrder = false;
        try {
            List<BlobMove> moves = wanted.stream().map(Begun::move).toList();
            Set<BlobMove> standing = Set.copyOf(namespace.beginMoves(moves, clock.instant()));
            recorded = true;
            return standing;
        } finally {
            inOrder = recorded;
            if (!recorded) {
                release(wanted);
            }
        }
    }

    /**
     * Ends moves, in whichever way.
     *
     * @param copied whose copies are whole
     * @param given whose copies are not
     * @return those whose blob lives in its new account
     */
    List<BlobMove> end(List<Begun> copied, List<Begun> given) {
        inOrder = false;
        List<BlobMove> finished = List.of();
        if (!copied.isEmpty()) {
            finished = namespace.finishMoves(copied.stream().map(Begun::move).toList(), clock.instant());
        }
        if (!given.isEmpty()) {
            namespace.abandonMoves(given.stream().map(Begun::move).toList(), clock.instant());
        }
        begun.removeAll(new HashSet<>(copied));
        begun.removeAll(new HashSet<>(given));
        Set<BlobMove> held = Set.copyOf(finished);
        copied.stream()
                .filter(one -> held.contains(one.move()))
                .forEach(one -> one.reservation().commit());
        release(copied);
        release(given);
        inOrder = true;
        return finished;
    }

    /** Is the blob still where the move began, and the move as it was recorded? */
    boolean stillLives(Begun one) {
        // Recorded already, it is recorded again only if the blob lives there.
        return !namespace.beginMoves(List.of(one.move()), clock.instant()).isEmpty();
    }

    private Optional<Reservation> reserve(Account from, long sizeBytes, Set<String> excluded, Room room) {
        Optional<Choice.Chosen> chosen = choose(from, sizeBytes, excluded, room);
        while (chosen.isPresent()) {
            Choice.Chosen choice = chosen.get();
            Optional<Reservation> reservation = accounts.byName(choice.account())
                    .flatMap(account -> account.tryReserve(sizeBytes, choice.maxUsedBytes()));
            if (reservation.isPresent()) {
                return reservation;
            }
            excluded.add(choice.account()); // writes have filled it meanwhile, or it is gone
            chosen = choose(from, sizeBytes, excluded, room);
        }
        return Optional.empty();
    }

    /** In the region of the source if possible. A move does not probe an account that others can do without. */
    private Optional<Choice.Chosen> choose(Account from, long sizeBytes, Set<String> excluded, Room room) {
        Set<String> all = new HashSet<>(excluded);
        all.add(from.name());
        accounts.all().stream()
                .map(Account::name)
                .filter(name -> !room.takes(name, sizeBytes))
                .forEach(all::add);
        Wish wish = new Wish(from.region(), sizeBytes, all, false);
        return switch (placement.choose(accounts.states(), wish, random)) {
            case Choice.Chosen chosen -> Optional.of(chosen);
            case Choice.NoneEligible _ -> Optional.empty();
        };
    }

    /** Of those that are committed nothing is left to release. */
    private static void release(Iterable<Begun> ended) {
        ended.forEach(one -> one.reservation().close());
    }
}
