package io.headgate.namespace.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.cache.CacheState.Phase;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a gateway may believe of the cache's state, and when: over a register in memory and clocks that are moved. */
final class CacheLeaseTest {
    private static final Duration LEASE = Duration.ofSeconds(1);

    private final Register register = new Register();
    private final AtomicLong nanos = new AtomicLong();
    private volatile Instant time = Instant.EPOCH;
    private final CacheStatistics statistics = new CacheStatistics();
    private final CacheSettings settings = new CacheSettings("g-1", LEASE, LEASE, LEASE, LEASE, LEASE);
    private final RedisLink nowhere = new RedisLink(null, settings, statistics, nanos::get);
    private final CacheLease lease = new CacheLease(register, nowhere, settings, statistics, nanos::get, () -> time);

    /** As the real one, but that it answers only if told to. */
    private static final class Register implements CacheRegister {
        private CacheState state = new CacheState(1, Phase.ON, "r", LEASE, LEASE);
        private boolean down;

        private synchronized void change(long from, long to, Phase phase) {
            if (state.generation() == from) {
                state = new CacheState(to, phase, "r", LEASE, LEASE);
            }
        }

        synchronized void answer(boolean answers) {
            down = !answers;
        }

        @Override
        public synchronized CacheState read() {
            if (down) {
                throw new NamespaceException("down");
            }
            return state;
        }

        @Override
        public void switchOff(long generation) {
            change(generation, generation + 1, Phase.STOPPING);
        }

        @Override
        public void stopped(long generation) {
            change(generation, generation, Phase.OFF);
        }

        @Override
        public void warm(long generation, String gateway, String serverId, Duration lease) {
            change(generation, generation, Phase.WARMING);
        }

        @Override
        public void start(long generation) {
            change(generation, generation, Phase.ON);
        }

        @Override
        public synchronized void catchUp(long newestSeen) {
            state = new CacheState(newestSeen + 1, Phase.STOPPING, "r", LEASE, LEASE);
        }

        @Override
        public void complain(String gateway, Duration lasting) {
            // nobody else is there to heed it
        }

        @Override
        public void withdraw(String gateway) {
            // likewise
        }

        @Override
        public void close() {
            // nothing is open
        }
    }

    private void pass(Duration elapsed) {
        nanos.addAndGet(elapsed.toNanos());
        time = time.plus(elapsed);
    }

    /** Reads the state once. The thread that would go on reading it is not started, so what is known stays as it is. */
    private void readOnce() {
        lease.forWrite();
    }

    @AfterEach
    void close() {
        nowhere.close();
    }

    @Test
    void a_state_is_believed_for_a_lease_and_no_longer() {
        readOnce();
        pass(LEASE.minusMillis(1));
        assertThat(lease.isOn(1)).isTrue();
        pass(Duration.ofMillis(1));
        assertThat(lease.isOn(1)).isFalse();
        assertThat(lease.held()).isNull();
    }

    @Test
    void a_pause_of_the_machine_that_only_one_clock_tells_of_ends_the_lease() {
        readOnce();
        time = time.plus(LEASE);
        assertThat(lease.held()).isNull();
    }

    @Test
    void another_generation_is_not_the_one_that_is_on() {
        readOnce();
        assertThat(lease.isOn(2)).isFalse();
        assertThat(lease.isOn(1)).isTrue();
    }

    @Test
    void a_write_asks_again_when_the_lease_is_over_and_fails_if_there_is_no_answer() {
        readOnce();
        register.answer(false);
        assertThat(lease.forWrite().phase()).isEqualTo(Phase.ON);
        pass(LEASE);
        assertThatThrownBy(lease::forWrite).isInstanceOf(NamespaceException.class);
        register.answer(true);
        assertThat(lease.forWrite().phase()).isEqualTo(Phase.ON);
    }

    @Test
    void a_write_asks_again_after_the_namespace_has_failed() {
        readOnce();
        register.answer(false);
        lease.doubt();
        assertThatThrownBy(lease::forWrite).isInstanceOf(NamespaceException.class);
        assertThat(lease.isOn(1)).isTrue();
    }

    @Test
    void after_a_switch_off_writes_wait_until_nobody_can_believe_that_the_cache_is_on() throws Exception {
        CacheState seen = lease.forWrite();
        lease.switchOff(seen);
        CompletableFuture<CacheState> write = new CompletableFuture<>();
        Thread writer = Thread.ofPlatform().start(() -> write.complete(lease.forWrite()));
        await().until(() -> writer.getState() == Thread.State.TIMED_WAITING);

        pass(LEASE);
        assertThat(write).isNotDone();
        pass(LEASE.dividedBy(10));
        assertThat(write.get().generation()).isEqualTo(2);
        assertThat(lease.isOn(1)).isFalse();
    }

    @Test
    void who_comes_late_does_not_switch_off_the_next_generation() {
        CacheState seen = lease.forWrite();
        lease.switchOff(seen);
        lease.switchOff(seen);
        assertThat(register.read().generation()).isEqualTo(2);
        assertThat(statistics.switchOffs()).isEqualTo(1);
    }

    @Test
    void a_register_that_has_lost_changes_begins_a_generation_that_was_never_there() throws InterruptedException {
        register.change(1, 7, Phase.ON);
        readOnce();
        register.change(7, 5, Phase.ON);
        pass(LEASE);
        Thread write = Thread.ofVirtual()
                .start(() -> assertThatThrownBy(lease::forWrite).isInstanceOf(NamespaceException.class));
        await().until(() -> register.read().generation() == 8);
        write.interrupt(); // it waits for the cache to be off
        write.join();
    }
}
