package io.headgate.s3.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.headgate.account.Reservation;
import io.headgate.placement.Wish;
import io.headgate.work.Site;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class WaitingWritesTest {
    private static final Duration LONG = Duration.ofSeconds(50);

    @TempDir
    Path directory;

    private Site site;
    private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
    /** Rooms that are free, by the largest write that they take. */
    private final Map<Long, Integer> free = new ConcurrentHashMap<>();

    private final List<Long> attempts = new CopyOnWriteArrayList<>();
    private final List<Long> served = new CopyOnWriteArrayList<>();

    @BeforeEach
    void open() {
        site = new Site(directory);
    }

    @AfterEach
    void close() {
        threads.shutdownNow();
        site.close();
    }

    /** Called by one thread at a time. */
    private Optional<Reservation> attempt(Wish wish) {
        attempts.add(wish.sizeBytes());
        if (wish.sizeBytes() == 13) {
            throw new IllegalStateException("13");
        }
        for (Map.Entry<Long, Integer> room : free.entrySet()) {
            if (wish.sizeBytes() <= room.getKey() && room.getValue() > 0) {
                free.merge(room.getKey(), -1, Integer::sum);
                served.add(wish.sizeBytes());
                return site.account("disk-1").tryReserve(1, Long.MAX_VALUE);
            }
        }
        return Optional.empty();
    }

    private WaitingWrites waiting(Duration longest, int most) {
        return new WaitingWrites(this::attempt, longest, most);
    }

    /** Begins to wait, and has begun when this returns. */
    private Future<Optional<Reservation>> begin(WaitingWrites waiting, long sizeBytes) {
        Future<Optional<Reservation>> begun = threads.submit(() -> waiting.await(Wish.ofSize(sizeBytes)));
        await().until(() -> begun.isDone() || attempts.contains(sizeBytes));
        return begun;
    }

    @Test
    void writes_are_served_in_the_order_in_which_they_came_also_those_that_come_when_there_is_room() throws Exception {
        WaitingWrites waiting = waiting(LONG, 64);
        List<Future<Optional<Reservation>>> begun = new ArrayList<>();
        for (long size = 59; size >= 50; size--) {
            begun.add(begin(waiting, size));
        }
        assertThat(waiting.isEmpty()).isFalse();

        free.put(100L, 11);
        begun.add(begin(waiting, 49));

        for (Future<Optional<Reservation>> one : begun) {
            assertThat(one.get()).isPresent();
        }
        assertThat(served).containsExactly(59L, 58L, 57L, 56L, 55L, 54L, 53L, 52L, 51L, 50L, 49L);
        assertThat(waiting.isEmpty()).isTrue();
    }

    @Test
    void a_small_write_does_not_wait_for_a_large_one() throws Exception {
        WaitingWrites waiting = waiting(LONG, 64);
        begin(waiting, 1000);
        free.put(100L, 1);

        assertThat(begin(waiting, 50).get()).isPresent();
        assertThat(waiting.isEmpty()).isFalse();
    }

    @Test
    void what_is_too_much_of_one_write_is_not_tried_for_those_as_large_behind_it() {
        WaitingWrites waiting = waiting(Duration.ofNanos(1), 64);
        WaitingWrites held = waiting(LONG, 64);
        begin(held, 50);

        assertThat(waiting.await(Wish.ofSize(60))).as("alone it is tried").isEmpty();
        assertThat(attempts).contains(60L);
        threads.submit(() -> held.await(Wish.ofSize(70)));
        await().until(() -> attempts.stream().filter(size -> size == 50).count() > 5);
        assertThat(attempts).doesNotContain(70L);
    }

    @Test
    void only_so_many_wait_and_only_for_so_long() throws Exception {
        WaitingWrites waiting = waiting(LONG, 2);
        Future<Optional<Reservation>> first = begin(waiting, 52);
        begin(waiting, 51);

        assertThat(waiting.await(Wish.ofSize(50))).isEmpty();
        free.put(100L, 1);
        assertThat(first.get()).isPresent();

        assertThat(waiting(Duration.ofMillis(1), 2).await(Wish.ofSize(200))).isEmpty();
        assertThat(waiting(LONG, 0).await(Wish.ofSize(200))).isEmpty();
    }

    @Test
    void a_write_that_cannot_be_tried_fails_alone() throws Exception {
        WaitingWrites waiting = waiting(LONG, 64);
        Future<Optional<Reservation>> first = begin(waiting, 50);

        assertThatThrownBy(() -> waiting.await(Wish.ofSize(13))).isInstanceOf(IllegalStateException.class);
        free.put(100L, 1);
        assertThat(first.get()).isPresent();
    }
}
