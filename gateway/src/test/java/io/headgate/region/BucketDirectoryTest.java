package io.headgate.region;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.domain.BucketName;
import io.headgate.region.RegistryEntry.State;
import io.headgate.region.sql.SqlRegistry;
import io.headgate.work.MovedClock;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class BucketDirectoryTest {
    private static final BucketName PHOTOS = new BucketName("photos");
    private static final int ENTRIES = 100;

    @TempDir
    Path directory;

    private final MovedClock clock = new MovedClock();
    private Registry registry;
    private Watched watched;
    private BucketDirectory buckets;

    /** A registry whose look-ups are counted, fail, and are held up after they have looked. */
    private static final class Watched implements Registry {
        private final Registry registry;
        private final AtomicInteger finds = new AtomicInteger();
        private final AtomicInteger looked = new AtomicInteger();
        private volatile boolean down;
        private volatile CountDownLatch gate = new CountDownLatch(0);

        Watched(Registry registry) {
            this.registry = registry;
        }

        @Override
        public Optional<RegistryEntry> find(BucketName name) {
            CountDownLatch before = gate;
            finds.incrementAndGet();
            if (down) {
                throw new RegistryException("down");
            }
            Optional<RegistryEntry> found = registry.find(name);
            looked.incrementAndGet();
            try {
                before.await();
            } catch (InterruptedException interrupted) {
                throw new IllegalStateException(interrupted);
            }
            return found;
        }

        @Override
        public Claim claim(RegistryEntry wanted) {
            return registry.claim(wanted);
        }

        @Override
        public boolean confirm(BucketName name, String claimId) {
            return registry.confirm(name, claimId);
        }

        @Override
        public boolean take(RegistryEntry old, RegistryEntry with) {
            return registry.take(old, with);
        }

        @Override
        public boolean release(BucketName name, String claimId) {
            return registry.release(name, claimId);
        }

        @Override
        public List<RegistryEntry> ofOwner(String owner, String prefix, String after, int limit) {
            return registry.ofOwner(owner, prefix, after, limit);
        }

        @Override
        public List<RegistryEntry> ofRegion(String region, String after, int limit) {
            return registry.ofRegion(region, after, limit);
        }

        @Override
        public void close() {
            registry.close();
        }
    }

    @BeforeEach
    void open() {
        registry = SqlRegistry.sqlite(directory.resolve("registry.db"), Duration.ofSeconds(30));
        watched = new Watched(registry);
        buckets = new BucketDirectory(watched, ENTRIES, clock);
    }

    @AfterEach
    void close() {
        registry.close();
    }

    private RegistryEntry entry(BucketName name, String region) {
        return new RegistryEntry(name, "alice", region, clock.instant(), "claim-in-" + region, State.LIVE);
    }

    private RegistryEntry inRegistry(String region) {
        RegistryEntry entry = entry(PHOTOS, region);
        registry.claim(entry);
        return entry;
    }

    /** The bucket has been deleted and made in another region. */
    private RegistryEntry moved(RegistryEntry old, String region) {
        RegistryEntry next = entry(PHOTOS, region);
        assertThat(registry.take(old, next)).isTrue();
        return next;
    }

    @Test
    void an_entry_is_asked_for_once() {
        RegistryEntry entry = inRegistry("north");
        for (int i = 0; i < 10; i++) {
            assertThat(buckets.find(PHOTOS)).contains(entry);
        }

        assertThat(watched.finds).hasValue(1);
        assertThat(buckets.statistics().misses()).isEqualTo(1);
        assertThat(buckets.statistics().hits()).isEqualTo(9);
    }

    @Test
    void that_nobody_has_a_name_is_not_remembered() {
        assertThat(buckets.find(PHOTOS)).isEmpty();

        RegistryEntry entry = inRegistry("north");

        assertThat(buckets.find(PHOTOS)).contains(entry);
    }

    @Test
    void an_old_entry_is_used_until_the_registry_has_told_the_new_one() {
        RegistryEntry old = inRegistry("north");
        buckets.find(PHOTOS);
        RegistryEntry now = moved(old, "south");
        clock.move(BucketDirectory.FRESH.minusMillis(1));
        assertThat(buckets.find(PHOTOS)).contains(old);
        assertThat(watched.finds).as("as it is not old").hasValue(1);

        clock.move(Duration.ofMillis(1));
        watched.gate = new CountDownLatch(1);
        assertThat(buckets.find(PHOTOS)).contains(old);
        assertThat(buckets.find(PHOTOS)).contains(old);
        watched.gate.countDown();

        await().untilAsserted(() -> assertThat(buckets.find(PHOTOS)).contains(now));
        assertThat(watched.finds).hasValue(2);
    }

    @Test
    void an_old_entry_whose_name_is_free_is_forgotten() {
        RegistryEntry old = inRegistry("north");
        buckets.find(PHOTOS);
        registry.release(PHOTOS, old.claimId());
        clock.move(BucketDirectory.FRESH);

        assertThat(buckets.find(PHOTOS)).contains(old);

        await().untilAsserted(() -> assertThat(buckets.find(PHOTOS)).isEmpty());
    }

    @Test
    void what_was_forgotten_while_it_was_asked_for_stays_so() throws Exception {
        RegistryEntry old = inRegistry("north");
        buckets.find(PHOTOS);
        clock.move(BucketDirectory.FRESH);
        CountDownLatch gate = new CountDownLatch(1);
        watched.gate = gate;
        buckets.find(PHOTOS);
        await().until(() -> watched.finds.get() == 2);
        buckets.forget(PHOTOS);
        watched.gate = new CountDownLatch(0);
        gate.countDown();

        registry.release(PHOTOS, old.claimId());
        assertThat(buckets.find(PHOTOS)).isEmpty();
        await().during(Duration.ofMillis(50)).until(() -> buckets.size() == 0);
    }

    @Test
    void while_the_registry_is_down_what_is_known_is_used_and_the_rest_fails() {
        RegistryEntry entry = inRegistry("north");
        buckets.find(PHOTOS);
        watched.down = true;
        for (int i = 0; i < 3; i++) {
            clock.move(Duration.ofMinutes(10));
            long failures = buckets.statistics().failures();
            assertThat(buckets.find(PHOTOS)).contains(entry);
            await().until(() -> buckets.statistics().failures() > failures);
        }
        long asked = watched.finds.get();
        assertThat(buckets.find(PHOTOS)).contains(entry);
        assertThat(watched.finds).as("not again at once").hasValue((int) asked);
        BucketName unknown = new BucketName("unknown");
        assertThatThrownBy(() -> buckets.find(unknown)).isInstanceOf(RegistryException.class);
        assertThatThrownBy(() -> buckets.ask(PHOTOS)).isInstanceOf(RegistryException.class);

        watched.down = false;
        RegistryEntry now = moved(entry, "south");
        clock.move(BucketDirectory.RETRY);
        await().untilAsserted(() -> assertThat(buckets.find(PHOTOS)).contains(now));
        assertThat(buckets.find(unknown)).isEmpty();
    }

    @Test
    void who_asks_hears_what_the_registry_says_now_and_so_do_the_next_who_look() {
        RegistryEntry old = inRegistry("north");
        buckets.find(PHOTOS);
        RegistryEntry now = moved(old, "south");

        assertThat(buckets.find(PHOTOS)).contains(old);
        assertThat(buckets.ask(PHOTOS)).contains(now);
        assertThat(buckets.find(PHOTOS)).contains(now);

        registry.release(PHOTOS, now.claimId());
        assertThat(buckets.ask(PHOTOS)).isEmpty();
        assertThat(buckets.size()).isZero();
    }

    @Test
    void many_who_look_for_a_name_share_a_question() throws Exception {
        RegistryEntry entry = inRegistry("north");
        CountDownLatch gate = new CountDownLatch(1);
        watched.gate = gate;
        List<FutureTask<Optional<RegistryEntry>>> looking = new ArrayList<>();
        looking.add(started(() -> buckets.find(PHOTOS)));
        for (int i = 0; i < 20; i++) {
            FutureTask<Optional<RegistryEntry>> task = new FutureTask<>(() -> buckets.find(PHOTOS));
            Thread.ofVirtual().start(task);
            looking.add(task);
        }
        await().until(() -> buckets.statistics().misses() == looking.size());
        gate.countDown();

        for (FutureTask<Optional<RegistryEntry>> one : looking) {
            assertThat(one.get()).contains(entry);
        }
        // Who has missed it and looks for a question only when that has been answered asks again.
        assertThat(watched.finds).hasValueLessThan(looking.size() / 2);
    }

    @Test
    void an_answer_to_a_question_from_before_is_not_believed_if_it_says_that_there_is_nothing() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        watched.gate = gate;
        FutureTask<Optional<RegistryEntry>> before = started(() -> buckets.find(PHOTOS));
        await().until(() -> watched.looked.get() == 1);
        RegistryEntry entry = inRegistry("north");
        FutureTask<Optional<RegistryEntry>> after = started(() -> buckets.find(PHOTOS));
        FutureTask<Optional<RegistryEntry>> asking = started(() -> buckets.ask(PHOTOS));
        watched.gate = new CountDownLatch(0);
        gate.countDown();

        assertThat(before.get()).isEmpty();
        assertThat(after.get()).contains(entry);
        assertThat(asking.get()).contains(entry);
    }

    /** On a thread that waits for an answer when this returns. */
    private static FutureTask<Optional<RegistryEntry>> started(Callable<Optional<RegistryEntry>> look) {
        FutureTask<Optional<RegistryEntry>> task = new FutureTask<>(look);
        Thread thread = Thread.ofPlatform().start(task);
        await().pollInterval(Duration.ofMillis(5)).until(() -> thread.getState() == Thread.State.WAITING);
        return task;
    }

    @Test
    void it_does_not_grow_beyond_its_bound() {
        for (int i = 0; i < 3 * ENTRIES; i++) {
            buckets.put(entry(new BucketName("bucket-" + i), "north"));
        }

        assertThat(buckets.size()).isLessThanOrEqualTo(ENTRIES);
    }
}
