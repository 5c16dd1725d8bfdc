package io.headgate.blob;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.headgate.blob.BlobStoreException.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class ResumingChannelTest {
    private final byte[] blob = new byte[1_000_000];
    /** How many bytes each request yields before it breaks; the last is repeated. */
    private final Deque<Integer> breaks = new ArrayDeque<>();

    private final List<Long> opened = new ArrayList<>();
    private int finished;
    private int aborted;
    private BlobStoreException refusal;

    {
        new Random(3).nextBytes(blob);
    }

    private ResumingChannel.Source open(long offset, long length) throws BlobStoreException {
        opened.add(offset);
        if (refusal != null) {
            throw refusal;
        }
        int yields = breaks.size() > 1 ? breaks.poll() : breaks.getFirst();
        return new ResumingChannel.Source() {
            private int at = (int) offset;
            private int left = (int) Math.min(yields, length);

            @Override
            public int read(byte[] into, int from, int count) throws IOException {
                if (left == 0) {
                    throw new IOException("connection reset");
                }
                int read = Math.min(Math.min(count, left), 10_000);
                System.arraycopy(blob, at, into, from, read);
                at += read;
                left -= read;
                return read;
            }

            @Override
            public void finish() {
                finished++;
            }

            @Override
            public void abort() {
                aborted++;
            }
        };
    }

    private ResumingChannel channel(long offset, long length) throws BlobStoreException {
        return ResumingChannel.open("blob x", this::open, offset, length);
    }

    @Test
    void buffers_of_either_kind_are_filled_with_the_run() throws Exception {
        breaks.add(300_000);
        assertThat(Bytes.read(channel(5, 999_000))).isEqualTo(Arrays.copyOfRange(blob, 5, 999_005));
        assertThat(opened).containsExactly(5L, 300_005L, 600_005L, 900_005L);
        assertThat(finished).isOne();
        assertThat(aborted).isEqualTo(3);

        ByteBuffer direct = ByteBuffer.allocateDirect(900_000);
        ResumingChannel channel = channel(7, 900_000);
        while (direct.hasRemaining()) {
            assertThat(channel.read(direct)).isPositive();
        }
        assertThat(channel.read(ByteBuffer.allocate(1))).isEqualTo(-1);
        byte[] read = new byte[900_000];
        direct.flip().get(read);
        assertThat(read).isEqualTo(Arrays.copyOfRange(blob, 7, 900_007));
        channel.close();
        assertThat(finished).isEqualTo(2);
    }

    @Test
    void requests_that_yield_little_are_given_up_and_progress_gives_new_credit() throws Exception {
        breaks.addAll(List.of(10, 10, 10, 70_000, 10, 10, 70_000, 10));
        try (ResumingChannel channel = channel(0, 1_000_000)) {
            assertThatExceptionOfType(BlobStoreException.class)
                    .isThrownBy(() -> Bytes.read(channel))
                    .withMessageContaining("connection reset")
                    .extracting(BlobStoreException::kind)
                    .isEqualTo(Kind.ACCOUNT_FAULT);
        }
        assertThat(opened).hasSize(10);
        assertThat(aborted).isEqualTo(10);
    }

    @Test
    void a_blob_that_is_gone_when_the_read_would_go_on_is_missing() throws Exception {
        breaks.add(100_000);
        try (ResumingChannel channel = channel(0, 1_000_000)) {
            assertThat(channel.read(ByteBuffer.allocate(10))).isEqualTo(10);
            refusal = new BlobStoreException(Kind.MISSING, "gone");
            assertThatExceptionOfType(BlobStoreException.class)
                    .isThrownBy(() -> Bytes.read(channel))
                    .isSameAs(refusal);
        }
    }

    @Test
    void closing_it_aborts_the_request_once_and_for_all() throws Exception {
        breaks.add(1_000_000);
        ResumingChannel channel = channel(0, 1_000_000);
        channel.close();
        channel.close();
        assertThat(aborted).isOne();
        assertThat(channel.isOpen()).isFalse();
        assertThatExceptionOfType(ClosedChannelException.class).isThrownBy(() -> channel.read(ByteBuffer.allocate(1)));
    }
}
