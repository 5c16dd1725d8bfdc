package io.headgate.blob;

import io.headgate.blob.BlobStoreException.Kind;
import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ReadableByteChannel;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads a run of a blob from a remote account, and goes on with a new request where an earlier one broke, so that the reader notices
 * nothing of a lost connection. Gives up when it gets nowhere. Asks for no more than it is asked for: what the reader does not take
 * waits in the account's connection. Used by one thread at a time.
 */
public final class ResumingChannel implements ReadableByteChannel {
    /** So many requests may break one after the other; with the next one the read fails. */
    private static final int MAX_BREAKS = 3;
    /** A request that yielded so many bytes has got somewhere. */
    private static final long PROGRESS_BYTES = 64 << 10;
    /** Copied at a time into buffers without an array. */
    private static final int CHUNK_BYTES = 32 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(ResumingChannel.class);

    private final String name;
    private final Opener opener;
    private long offsetBytes;
    private long leftBytes;
    private @Nullable Source source;
    private byte @Nullable [] chunk;
    private int breaks;
    private long bytesSinceBreak;
    private boolean open = true;

    /** One request for a run of a blob. */
    public interface Source {
        /** As {@link java.io.InputStream#read(byte[], int, int)}. */
        int read(byte[] into, int offset, int length) throws IOException;

        /** All bytes were read: leaves the connection for others. */
        void finish();

        /** Drops the connection with whatever is still to come, at once. */
        void abort();
    }

    /** Makes requests for runs. */
    @FunctionalInterface
    public interface Opener {
        Source open(long offsetBytes, long lengthBytes) throws BlobStoreException;
    }

    private ResumingChannel(String name, Opener opener, long offsetBytes, long lengthBytes, Source source) {
        this.name = name;
        this.opener = opener;
        this.offsetBytes = offsetBytes;
        this.leftBytes = lengthBytes;
        this.source = source;
    }

    /**
     * Opens the channel with a first request, whose failure is the caller's.
     *
     * @param name of account and blob, for messages
     */
    public static ResumingChannel open(String name, Opener opener, long offsetBytes, long lengthBytes)
            throws BlobStoreException {
        Source first = Persistence.whileThrottled(() -> opener.open(offsetBytes, lengthBytes));
        return new ResumingChannel(name, opener, offsetBytes, lengthBytes, first);
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        if (!open) {
            throw new ClosedChannelException();
        }
        if (leftBytes == 0) {
            return -1;
        }
        if (!target.hasRemaining()) {
            return 0;
        }
        while (true) {
            try {
                int count = readOnce(target);
                if (count > 0) {
                    return advanced(count);
                }
                broke(new EOFException("the answer ended " + leftBytes + " bytes early"));
            } catch (BlobStoreException hopeless) {
                throw hopeless;
            } catch (IOException broken) {
                broke(broken);
            }
        }
    }

    private int advanced(int count) {
        offsetBytes += count;
        leftBytes -= count;
        bytesSinceBreak += count;
        if (bytesSinceBreak >= PROGRESS_BYTES) {
            breaks = 0;
        }
        if (leftBytes == 0 && source != null) {
            source.finish();
            source = null;
        }
        return count;
    }

    private int readOnce(ByteBuffer target) throws IOException {
        Source current = source;
        if (current == null) {
            current = reopened();
            source = current;
        }
        int wanted = (int) Math.min(target.remaining(), leftBytes);
        if (target.hasArray()) {
            int count = current.read(target.array(), target.arrayOffset() + target.position(), wanted);
            if (count > 0) {
                target.position(target.position() + count);
            }
            return count;
        }
        byte[] copy = chunk;
        if (copy == null) {
            copy = new byte[(int) Math.min(CHUNK_BYTES, leftBytes)];
            chunk = copy;
        }
        int count = current.read(copy, 0, Math.min(wanted, copy.length));
        if (count > 0) {
            target.put(copy, 0, count);
        }
        return count;
    }

    /** A new request from where the last one broke, tried as often as may be. */
    private Source reopened() throws BlobStoreException {
        while (true) {
            try {
                return opener.open(offsetBytes, leftBytes);
            } catch (BlobStoreException fault) {
                if (fault.kind() == Kind.MISSING) {
                    throw fault;
                }
                broke(fault);
            }
        }
    }

    /** Counts a break, and throws it on if there were too many. */
    private void broke(IOException broken) throws BlobStoreException {
        if (source != null) {
            source.abort();
            source = null;
        }
        breaks++;
        bytesSinceBreak = 0;
        if (breaks > MAX_BREAKS || Thread.currentThread().isInterrupted()) {
            Kind kind = broken instanceof BlobStoreException fault ? fault.kind() : Kind.ACCOUNT_FAULT;
            throw new BlobStoreException(kind, name + " cannot be read: " + broken.getMessage(), broken);
        }
        LOG.info("{}: a read goes on at byte {} after: {}", name, offsetBytes, broken.getMessage());
        if (breaks > 1) {
            Persistence.pause(breaks - 1);
        }
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    /** Ends the request at once if bytes are still to come. */
    @Override
    public void close() {
        open = false;
        if (source != null) {
            source.abort();
            source = null;
        }
    }
}
