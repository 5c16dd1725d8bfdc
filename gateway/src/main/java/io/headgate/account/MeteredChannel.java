package io.headgate.account;

import io.headgate.account.AccountListener.Result;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;

/** Counts the bytes of a read as they flow, and reports its outcome once. Used by one thread at a time. */
final class MeteredChannel implements ReadableByteChannel {
    private final ReadableByteChannel source;
    private final Account.Call call;
    private final Meter meter;
    private final Runnable endOfTrial;
    private boolean bytesCame;
    private boolean trialEnded;

    /** @param endOfTrial run once, when the first bytes came or the read ended without */
    MeteredChannel(ReadableByteChannel source, Account.Call call, Meter meter, Runnable endOfTrial) {
        this.source = source;
        this.call = call;
        this.meter = meter;
        this.endOfTrial = endOfTrial;
    }

    @Override
    public int read(ByteBuffer target) throws IOException {
        int count;
        call.resume();
        try {
            count = source.read(target);
        } catch (Throwable failure) {
            endTrial();
            call.failed(failure);
            throw failure;
        }
        call.pause();
        if (count > 0) {
            meter.out(count);
            bytesCame = true;
            endTrial();
        } else if (count < 0) {
            call.end(Result.OK);
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
        call.end(bytesCame ? Result.OK : Result.CALLER);
        source.close();
    }

    private void endTrial() {
        if (!trialEnded) {
            trialEnded = true;
            endOfTrial.run();
        }
    }
}
