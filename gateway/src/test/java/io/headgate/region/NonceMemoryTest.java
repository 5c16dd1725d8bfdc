package io.headgate.region;

import static io.headgate.region.NonceMemory.Taken.NEW;
import static io.headgate.region.NonceMemory.Taken.NO_ROOM;
import static io.headgate.region.NonceMemory.Taken.SEEN;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

final class NonceMemoryTest {
    private static final long MINUTE = 60_000;

    @Test
    void each_nonce_is_taken_once_however_many_there_are() {
        NonceMemory memory = new NonceMemory(MINUTE, 1 << 20);
        Random random = new Random(1);
        for (int i = 0; i < 100_000; i++) {
            assertThat(memory.take(random.nextLong(), i, 0)).isEqualTo(NEW);
        }
        random.setSeed(1);
        for (int i = 0; i < 100_000; i++) {
            assertThat(memory.take(random.nextLong(), i, 0)).isEqualTo(SEEN);
        }
        assertThat(memory.take(0, 0, 0)).isEqualTo(NEW);
        assertThat(memory.take(0, 0, 0)).isEqualTo(SEEN);
    }

    @Test
    void a_nonce_is_known_for_as_long_as_its_request_could_be_sent_again() {
        NonceMemory memory = new NonceMemory(MINUTE, 10);
        assertThat(memory.take(7, MINUTE, 0))
                .as("the sender's clock is a minute ahead")
                .isEqualTo(NEW);
        assertThat(memory.take(7, MINUTE, 2 * MINUTE)).isEqualTo(SEEN);
    }

    @Test
    void nonces_that_nobody_could_send_again_make_room() {
        NonceMemory memory = new NonceMemory(MINUTE, 2);
        assertThat(memory.take(1, 0, 0)).isEqualTo(NEW);
        assertThat(memory.take(2, 0, 0)).isEqualTo(NEW);
        assertThat(memory.take(3, 0, 0)).isEqualTo(NO_ROOM);
        long later = 2 * MINUTE;
        assertThat(memory.take(3, later, later)).isEqualTo(NEW);
        assertThat(memory.take(1, 0, MINUTE)).as("the clock was set back").isEqualTo(SEEN);
    }
}
