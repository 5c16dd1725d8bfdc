package io.headgate.account;

import io.headgate.account.AccountListener.Result;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.function.LongSupplier;

/** Counts the bytes of a read as they flow, and reports its outcome once. Used by one thread at a time. */
final class MeteredChannel implements ReadableByteChannel {
    private final ReadableByteChannel source;
    private final Account.Request request;
    private final Meter meter;
    private final LongSupplier nanoClock;
    private final Runnable endOfTrial;
    private final long openedNanos;
    private long readingNanos;
    private boolean bytesCame;
    private boolean trialEnded;
    private boolean reported;

    /** @param endOfTrial run once, when the first bytes came or the read ended without */
    MeteredChannel(
            ReadableByteChannel source,
            Account.Request request,
            Meter meter,
            LongSupplier nanoClock,
            Runnable endOfTrial) {
        this.source = source;
        this.request = request;
        this.meter = meter;
        this.nanoClock = nanoClock;
        this.endOfTrial = endOfTrial;
        this.openedNanos = nanoClock.getAsLong();
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        long before = nanoClock.getAsLong();
        int count;
        try {
            count = source.read(target);
        } catch (Throwable failure) {
            endTrial();
            if (!reported) {
                reported = true;
                request.fail(failure, waitedNanos());
            }
            throw failure;
        } finally {
            readingNanos += nanoClock.getAsLong() - before;
        }
        if (count > 0) {
            meter.out(count);
            bytesCame = true;
            endTrial();
        } else if (count < 0) {
            report(Result.OK);
        }
        return count;
    }

    @Override
    public boolean isOpen() {
        return source.isOpen();
    }

    /** A reader that leaves before the end has still seen the account work, if any byte came. */
    @Override
    public void close() throws IOException {
        endTrial();
        report(bytesCame ? Result.OK : Result.CALLER);
        source.close();
    }

    private void endTrial() {
        if (!trialEnded) {
            trialEnded = true;
            endOfTrial.run();
        }
    }

    private void report(Result result) {
        if (!reported) {
            reported = true;
            request.end(result, waitedNanos());
        }
    }

    /** Time in which the reader, not the account, was at work. */
    private long waitedNanos() {
        return nanoClock.getAsLong() - openedNanos - readingNanos;
    }
}
