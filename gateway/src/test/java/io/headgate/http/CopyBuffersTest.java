package io.headgate.http;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

/** Which buffers responses stream through. */
final class CopyBuffersTest {
    private static final int LARGE = 64 * 1024;

    private final CopyBuffers buffers = new CopyBuffers(LARGE, 2);

    @Test
    void no_more_than_the_allowed_number_of_large_buffers_is_in_use() {
        ByteBuffer first = buffers.acquire(1_000_000);
        assertThat(first.capacity()).isEqualTo(LARGE);
        assertThat(buffers.acquire(1_000_000).capacity()).isEqualTo(LARGE);
        assertThat(buffers.acquire(1_000_000).capacity()).isEqualTo(CopyBuffers.SMALL_BYTES);
        buffers.release(first, true);
        assertThat(buffers.acquire(1_000_000)).isSameAs(first);
    }

    @Test
    void a_small_body_takes_a_small_buffer() {
        assertThat(buffers.acquire(CopyBuffers.SMALL_BYTES).capacity()).isEqualTo(CopyBuffers.SMALL_BYTES);
        assertThat(buffers.acquire(CopyBuffers.SMALL_BYTES + 1).capacity()).isEqualTo(LARGE);
    }

    @Test
    void a_buffer_that_may_still_be_written_from_is_not_used_again_but_makes_room() {
        ByteBuffer cut = buffers.acquire(1_000_000);
        buffers.acquire(1_000_000);
        buffers.release(cut, false);
        assertThat(buffers.acquire(1_000_000))
                .isNotSameAs(cut)
                .satisfies(b -> assertThat(b.capacity()).isEqualTo(LARGE));
    }

    @Test
    void a_reused_buffer_is_cleared() {
        ByteBuffer used = buffers.acquire(10);
        used.put((byte) 1).flip();
        buffers.release(used, true);
        ByteBuffer again = buffers.acquire(10);
        assertThat(again).isSameAs(used);
        assertThat(again.position()).isZero();
        assertThat(again.remaining()).isEqualTo(CopyBuffers.SMALL_BYTES);
    }
}
