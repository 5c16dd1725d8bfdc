package io.headgate.blob;

import io.headgate.blob.BlobStoreException.Kind;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** Makes calls to an account again that it throttled, where nobody else could take them: a few times, with growing pauses. */
public final class Persistence {
    private static final int MAX_ATTEMPTS = 4;
    private static final long FIRST_PAUSE_MILLIS = 100;

    private Persistence() {}

    /** A call to an account. */
    @FunctionalInterface
    public interface Call<T extends @Nullable Object> {
        T run() throws BlobStoreException;
    }

    /** Makes the call until it is not throttled, at most 4 times within about a second. */
    public static <T extends @Nullable Object> T whileThrottled(Call<T> call) throws BlobStoreException {
        for (int attempt = 1; ; attempt++) {
            try {
                return call.run();
            } catch (BlobStoreException fault) {
                if (fault.kind() != Kind.THROTTLED || attempt == MAX_ATTEMPTS) {
                    throw fault;
                }
                pause(attempt);
            }
        }
    }

    /** Waits before the attempt after that many failed ones, at random, so that callers who failed together do not come back so. */
    static void pause(int failedAttempts) throws BlobStoreException {
        long longest = FIRST_PAUSE_MILLIS << Math.min(failedAttempts - 1, 4);
        try {
            Thread.sleep(ThreadLocalRandom.current().nextLong(longest / 2, longest + 1));
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new BlobStoreException(Kind.ACCOUNT_FAULT, "interrupted between two attempts", interrupt);
        }
    }
}
