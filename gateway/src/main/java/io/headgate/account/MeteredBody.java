package io.headgate.account;

import io.headgate.domain.BlockInputStream;
import io.headgate.domain.BodyException;
import java.io.IOException;
import java.io.InputStream;
import java.util.function.LongSupplier;

/**
 * Counts the bytes of a write as they flow, with them the requests that carry them, and the time spent waiting for them. Used by one thread.
 */
final class MeteredBody extends BlockInputStream {
    private final InputStream body;
    private final Meter meter;
    private final LongSupplier nanoClock;
    private long waitedNanos;
    private final long lengthBytes;
    private final long moreRequests;
    private long known;
    private long read;
    private long requests;
    private boolean failed;

    /**
     * @param known how many of the bytes, the first ones, were counted when the write was admitted
     * @param moreRequests how many requests the account is sent for a write so long, beside the one that was counted
     */
    MeteredBody(
            InputStream body, long known, long lengthBytes, long moreRequests, Meter meter, LongSupplier nanoClock) {
        this.known = known;
        this.lengthBytes = lengthBytes;
        this.moreRequests = moreRequests;
        this.body = body;
        this.meter = meter;
        this.nanoClock = nanoClock;
    }

    /** Time spent in the body's reads. */
    long waitedNanos() {
        return waitedNanos;
    }

    /** Whether the body, not the account, broke the write. */
    boolean failed() {
        return failed;
    }

    @Override
    public int read(byte[] buffer, int offset, int length) throws IOException {
        long started = nanoClock.getAsLong();
        try {
            int count = body.read(buffer, offset, length);
            if (count > 0) {
                long before = Math.min(count, known);
                known -= before;
                meter.in(count, before);
                read += count;
                while (requests < moreRequests && requests * (double) lengthBytes < read * (double) moreRequests) {
                    requests++;
                    meter.request();
                }
            }
            return count;
        } catch (BodyException failure) {
            failed = true;
            throw failure;
        } catch (IOException failure) {
            failed = true;
            throw new BodyException("The body could not be read: " + failure.getMessage(), failure);
        } finally {
            waitedNanos += nanoClock.getAsLong() - started;
        }
    }

    @Override
    public int available() throws IOException {
        return body.available();
    }
}
