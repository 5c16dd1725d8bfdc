package io.headgate.s3.op;

import io.headgate.account.Account;
import io.headgate.account.BreakerOpenException;
import io.headgate.blob.BlobStoreException;
import io.headgate.domain.ByteRange;
import io.headgate.domain.Slice;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ManifestSlice;
import io.headgate.namespace.ObjectVersion;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens the bytes of versions for reading, slice after slice. */
public final class SliceReader {
    /** How many slices of a stored manifest are looked up at a time. */
    private static final int SLICES_AT_ONCE = 100;

    private static final Logger LOG = LoggerFactory.getLogger(SliceReader.class);

    private final Storage storage;
    private final LongAdder missingBlobs = new LongAdder();

    public SliceReader(Storage storage) {
        this.storage = storage;
    }

    /** How often a live version's blob was found missing or short: corruption, to be alarmed on. */
    public long missingBlobs() {
        return missingBlobs.sum();
    }

    /**
     * A channel that yields exactly the range. Its first slice is open already, so that a fault of the account is an answer and not a
     * broken body.
     *
     * @param readBegun from {@link io.headgate.namespace.ReadsInFlight#begin}; closing the channel ends it
     * @throws S3Exception InternalError if a blob is missing, ServiceUnavailable if its account fails
     */
    ReadableByteChannel open(ObjectVersion version, ByteRange.Resolved range, long readBegun) {
        SliceChannel channel = new SliceChannel(version, range, readBegun);
        try {
            channel.openNext();
            return channel;
        } catch (IOException failed) {
            channel.release();
            throw failure(version, failed);
        } catch (RuntimeException failed) {
            channel.release();
            throw failed;
        }
    }

    private S3Exception failure(ObjectVersion version, IOException failed) {
        note(version, failed);
        boolean missing = failed instanceof BlobStoreException fault && fault.kind() == BlobStoreException.Kind.MISSING;
        boolean throttled =
                failed instanceof BlobStoreException fault && fault.kind() == BlobStoreException.Kind.THROTTLED;
        return new S3Exception(
                missing ? S3Error.INTERNAL_ERROR : throttled ? S3Error.SLOW_DOWN : S3Error.SERVICE_UNAVAILABLE);
    }

    private void note(ObjectVersion version, IOException failed) {
        if (failed instanceof BlobStoreException fault && fault.kind() == BlobStoreException.Kind.MISSING) {
            missingBlobs.increment();
            LOG.error(
                    "corruption: version {} refers to bytes that are not there: {}",
                    version.writeId(),
                    fault.getMessage());
        } else if (!(failed instanceof BreakerOpenException)) {
            LOG.warn("a read failed: {}", failed.getMessage());
        }
    }

    private final class SliceChannel implements ReadableByteChannel {
        private final ObjectVersion version;
        private final long endBytes;
        private final long readBegun;
        private final Deque<Slice> ahead = new ArrayDeque<>();
        private long lookedUpTo;
        private @Nullable ReadableByteChannel current;
        private boolean open = true;

        SliceChannel(ObjectVersion version, ByteRange.Resolved range, long readBegun) {
            this.version = version;
            this.lookedUpTo = range.offsetBytes();
            this.endBytes = range.offsetBytes() + range.lengthBytes();
            this.readBegun = readBegun;
        }

        /** Opens the next slice; false past the last. */
        boolean openNext() throws IOException {
            if (ahead.isEmpty() && lookedUpTo < endBytes) {
                lookUp();
            }
            Slice slice = ahead.poll();
            if (slice == null) {
                return false;
            }
            Account account = storage.accounts()
                    .find(slice.account())
                    .orElseThrow(() -> new BlobStoreException(
                            BlobStoreException.Kind.ACCOUNT_FAULT,
                            "account " + slice.account() + " is not configured"));
            current = account.get(slice.blob(), slice.offsetBytes(), slice.lengthBytes());
            return true;
        }

        private void lookUp() throws IOException {
            switch (version.manifest()) {
                case Manifest.Inline inline -> inline.slice().ifPresent(slice -> add(new ManifestSlice(0, slice)));
                case Manifest.Stored stored ->
                    storage.namespace()
                            .slices(stored, lookedUpTo, SLICES_AT_ONCE)
                            .forEach(this::add);
            }
            if (ahead.isEmpty()) {
                throw new BlobStoreException(
                        BlobStoreException.Kind.MISSING, "no slice at byte " + lookedUpTo + " of the manifest");
            }
        }

        private void add(ManifestSlice found) {
            long begin = Math.max(found.objectOffsetBytes(), lookedUpTo);
            long end = Math.min(found.objectOffsetBytes() + found.slice().lengthBytes(), endBytes);
            if (begin == lookedUpTo && begin < end) {
                ahead.add(found.slice().sub(begin - found.objectOffsetBytes(), end - begin));
                lookedUpTo = end;
            }
        }

        @Override
        public int read(ByteBuffer into) throws IOException {
            try {
                while (current != null) {
                    int read = current.read(into);
                    if (read >= 0) {
                        return read;
                    }
                    current.close();
                    current = null;
                    openNext();
                }
                return -1;
            } catch (IOException failed) {
                note(version, failed);
                throw failed;
            }
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public void close() throws IOException {
            if (open) {
                try {
                    if (current != null) {
                        current.close();
                    }
                } finally {
                    release();
                }
            }
        }

        void release() {
            if (open) {
                open = false;
                storage.reads().end(readBegun);
            }
        }
    }
}
