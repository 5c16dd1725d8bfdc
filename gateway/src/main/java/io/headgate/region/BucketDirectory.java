package io.headgate.region;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.headgate.domain.BucketName;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a gateway remembers of the registry. What it remembers may be old: then the region that it names says so, and {@link #ask} tells
 * who has the bucket now. That nobody has a name is never remembered. Thread-safe.
 */
public final class BucketDirectory {
    private static final Logger LOG = LoggerFactory.getLogger(BucketDirectory.class);

    /** From that age on an entry is asked for again, and used meanwhile. */
    static final Duration FRESH = Duration.ofMinutes(1);

    /** After a question in the background failed. */
    static final Duration RETRY = Duration.ofSeconds(5);

    /** Questions in the background; an entry that finds so many under way is asked for again at its next use. */
    private static final int MOST_IN_BACKGROUND = 64;

    private final Registry registry;
    private final InstantSource clock;
    private final RegistryStatistics statistics = new RegistryStatistics();
    private final ConcurrentMap<BucketName, Known> known;
    private final ConcurrentMap<BucketName, Question> questions = new ConcurrentHashMap<>();
    private final AtomicInteger inBackground = new AtomicInteger();

    /** Callers and questions in the order of their coming. */
    private final AtomicLong order = new AtomicLong();

    private record Known(RegistryEntry entry, Instant askAgainAt) {}

    /** One that is under way. Who came before it was begun may believe that nobody has the name if it says so. */
    private record Question(long number, CompletableFuture<Optional<RegistryEntry>> answer) {}

    /** @param maxEntries how many entries are remembered at most */
    public BucketDirectory(Registry registry, int maxEntries, InstantSource clock) {
        this.registry = registry;
        this.clock = clock;
        Cache<BucketName, Known> cache = Caffeine.newBuilder()
                .maximumSize(maxEntries)
                .executor(Runnable::run)
                .build();
        this.known = cache.asMap();
    }

    public RegistryStatistics statistics() {
        return statistics;
    }

    /** How many entries are remembered, about. */
    public int size() {
        return known.size();
    }

    /**
     * Who has the name: as remembered, or as the registry says if nothing is. Empty only if the registry said so since the call.
     *
     * @throws RegistryException if nothing is remembered and the registry does not answer
     */
    public Optional<RegistryEntry> find(BucketName name) {
        Known remembered = known.get(name);
        if (remembered != null) {
            statistics.hit();
            if (!clock.instant().isBefore(remembered.askAgainAt)) {
                refresh(name, remembered);
            }
            return Optional.of(remembered.entry);
        }
        statistics.miss();
        long came = order.incrementAndGet();
        while (true) {
            Question question = question(name);
            Optional<RegistryEntry> answer = answer(question);
            if (answer.isPresent() || question.number > came) {
                return answer;
            }
        }
    }

    /**
     * Who has the name, as the registry said since the call.
     *
     * @throws RegistryException if the registry does not answer
     */
    public Optional<RegistryEntry> ask(BucketName name) {
        statistics.miss();
        long came = order.incrementAndGet();
        while (true) {
            Question question = question(name);
            Optional<RegistryEntry> answer = answer(question);
            if (question.number > came) {
                return answer;
            }
        }
    }

    /** Remembers an entry that the caller has from the registry, or has put there. */
    public void put(RegistryEntry entry) {
        known.put(entry.name(), new Known(entry, clock.instant().plus(FRESH)));
    }

    public void forget(BucketName name) {
        known.remove(name);
    }

    /** The one question about that name that is under way, begun now if none is. */
    private Question question(BucketName name) {
        Question own = new Question(order.incrementAndGet(), new CompletableFuture<>());
        Question underWay = questions.putIfAbsent(name, own);
        if (underWay != null) {
            return underWay;
        }
        // On a thread of its own, as others may wait for it, and who began it may be interrupted.
        Thread.ofVirtual().name("registry-question").start(() -> pose(name, own));
        return own;
    }

    private void pose(BucketName name, Question question) {
        try {
            Optional<RegistryEntry> found = registry.find(name);
            found.ifPresentOrElse(this::put, () -> forget(name));
            questions.remove(name, question);
            question.answer.complete(found);
        } catch (Throwable failed) {
            statistics.failure();
            questions.remove(name, question);
            question.answer.completeExceptionally(failed);
        }
    }

    private static Optional<RegistryEntry> answer(Question question) {
        try {
            return question.answer.get();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof RegistryException outage
                    ? new RegistryException(String.valueOf(outage.getMessage()), outage)
                    : new RegistryException("the registry failed", failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new RegistryException("interrupted while waiting for the registry", interrupted);
        }
    }

    /** What has been put or forgotten meanwhile stays so. */
    private void refresh(BucketName name, Known old) {
        // Who puts this in its place is the one to ask, and the others need not.
        Known asked = new Known(old.entry, clock.instant().plus(RETRY));
        if (inBackground.incrementAndGet() > MOST_IN_BACKGROUND || !known.replace(name, old, asked)) {
            inBackground.decrementAndGet();
            return;
        }
        Thread.ofVirtual().name("registry-refresh").start(() -> {
            try {
                Optional<RegistryEntry> found = registry.find(name);
                if (found.isPresent()) {
                    known.replace(
                            name, asked, new Known(found.get(), clock.instant().plus(FRESH)));
                } else {
                    known.remove(name, asked);
                }
            } catch (RuntimeException failed) {
                statistics.failure();
                LOG.debug("The registry does not say who has {}; what is remembered is used on", name, failed);
            } finally {
                inBackground.decrementAndGet();
            }
        });
    }
}
