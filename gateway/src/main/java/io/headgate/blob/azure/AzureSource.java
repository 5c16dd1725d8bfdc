package io.headgate.blob.azure;

import io.headgate.blob.Allowance;
import io.headgate.blob.ResumingChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Iterator;
import java.util.stream.Stream;
import reactor.core.publisher.Flux;

/** The bytes of one answer, of which at most two buffers are taken from the connection ahead of the reader. */
final class AzureSource implements ResumingChannel.Source {
    private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

    private final Stream<ByteBuffer> stream;
    private final Iterator<ByteBuffer> buffers;
    private final Allowance.Grant connection;
    private ByteBuffer current = NOTHING;

    AzureSource(Flux<ByteBuffer> answer, Allowance.Grant connection) {
        this.stream = answer.toStream(2);
        this.buffers = stream.iterator();
        this.connection = connection;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        try {
            while (!current.hasRemaining()) {
                if (!buffers.hasNext()) {
                    return -1;
                }
                current = buffers.next();
            }
        } catch (RuntimeException broken) {
            throw AzureFaults.broken(broken);
        }
        int count = Math.min(length, current.remaining());
        current.get(into, offset, count);
        return count;
    }

    /** Waits for the answer's end, with which the connection goes back to its pool. */
    @Override
    public void finish() {
        try (connection;
                stream) {
            while (buffers.hasNext()) {
                buffers.next();
            }
        } catch (RuntimeException broken) {
            AzureFaults.broken(broken); // all bytes have come; rethrows what is no broken connection
        }
    }

    /** Closing the stream cancels the answer, and so closes the connection. */
    @Override
    public void abort() {
        try (connection) {
            stream.close();
        }
    }
}
