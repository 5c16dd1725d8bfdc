package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.BreakerOpenException;
import io.headgate.account.Reservation;
import io.headgate.blob.BlobStoreException;
import io.headgate.domain.BlobId;
import io.headgate.domain.BlockInputStream;
import io.headgate.domain.BodyException;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/**
 * Copies a blob from one account to another, through one small buffer and at a bounded rate, then reads the copy back: only what was
 * written as it was read is a copy. Thread-safe.
 */
final class BlobCopier {
    private static final int BUFFER_BYTES = 64 << 10;

    private final Pace pace;

    BlobCopier(Pace pace) {
        this.pace = pace;
    }

    /** How it went; the reason is for people. */
    sealed interface Result {
        /** The copy is whole. */
        record Copied() implements Result {}

        /** The source says that the blob is not there, or shorter than it should be. */
        record Missing(String reason) implements Result {}

        /** The source could not be read. */
        record SourceFailed(String reason) implements Result {}

        /** The copy could not be written, or not be read back, or differs. */
        record TargetFailed(String reason) implements Result {}
    }

    /** @throws InterruptedException if the thread was interrupted; what there is of the copy is unknown */
    Result copy(Account from, Reservation target, BlobId blob, long sizeBytes) throws InterruptedException {
        Result result = write(from, target, blob, sizeBytes);
        if (Thread.interrupted()) {
            throw new InterruptedException("interrupted while copying blob " + blob);
        }
        return result;
    }

    private Result write(Account from, Reservation target, BlobId blob, long sizeBytes) {
        try (ReadableByteChannel opened = from.get(blob, 0, sizeBytes)) {
            PacedSource source = new PacedSource(opened, pace);
            try {
                target.account().put(target, blob, sizeBytes, source);
                return verify(target.account(), blob, sizeBytes, source.crc());
            } catch (BodyException failed) {
                return sourceFailed(failed.getCause() instanceof IOException cause ? cause : failed);
            } catch (BreakerOpenException | BlobStoreException failed) {
                return new Result.TargetFailed(reason(failed));
            }
        } catch (IOException failed) {
            return sourceFailed(failed);
        }
    }

    private static Result verify(Account account, BlobId blob, long sizeBytes, long expected) throws IOException {
        CRC32C crc = new CRC32C();
        ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
        try (ReadableByteChannel copy = account.get(blob, 0, sizeBytes)) {
            while (copy.read(buffer) >= 0) {
                crc.update(buffer.flip());
                buffer.clear();
            }
        }
        return crc.getValue() == expected
                ? new Result.Copied()
                : new Result.TargetFailed("the copy of blob " + blob + " differs from what was written");
    }

    private static Result sourceFailed(IOException failed) {
        return failed instanceof BlobStoreException fault && fault.kind() == BlobStoreException.Kind.MISSING
                ? new Result.Missing(reason(failed))
                : new Result.SourceFailed(reason(failed));
    }

    private static String reason(@Nullable Throwable failed) {
        return failed == null || failed.getMessage() == null ? String.valueOf(failed) : failed.getMessage();
    }

    /** The bytes of a blob as they are read, with their checksum. Used by one thread at a time. */
    private static final class PacedSource extends BlockInputStream {
        private final ReadableByteChannel channel;
        private final Pace pace;
        private final CRC32C crc = new CRC32C();

        PacedSource(ReadableByteChannel channel, Pace pace) {
            this.channel = channel;
            this.pace = pace;
        }

        long crc() {
            return crc.getValue();
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            int read = channel.read(ByteBuffer.wrap(into, offset, Math.min(length, BUFFER_BYTES)));
            if (read > 0) {
                crc.update(into, offset, read);
                try {
                    pace.pass(read);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                    throw new InterruptedIOException("interrupted while reading a blob");
                }
            }
            return read;
        }
    }
}
