package io.headgate.blob;

import io.headgate.domain.BlobId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ReadableByteChannel;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The bytes of one storage account: immutable blobs under opaque names. Knows nothing of buckets and keys.
 *
 * <p>Every method blocks and is thread-safe. A failure of the account is a {@link BlobStoreException}, which says whether the account
 * is at fault; a {@link io.headgate.domain.BodyException} thrown by the given body passes unchanged and is never the account's fault.
 */
public interface BlobStore extends AutoCloseable {
    /**
     * Stores the {@code lengthBytes} bytes that {@code body} yields, and returns when they are as durable as the account makes
     * them. On any exception nothing readable is left, or, if the outcome is unknown, at most a blob that {@link #delete} removes.
     *
     * @param id a fresh id
     * @param lengthBytes exact, at least 1; a body that ends early fails the put with a {@link io.headgate.domain.BodyException}
     * @param body read at most to {@code lengthBytes}, then once more to its end (it verifies itself there); not closed
     */
    void put(BlobId id, long lengthBytes, InputStream body) throws IOException;

    /** How many requests {@link #put} sends the account for a blob so long, at least 1; those that are repeated are not foreseen. */
    default long putRequests(long lengthBytes) {
        return 1;
    }

    /**
     * Stores a blob as {@link #put} does if the store can do so without keeping its caller, once it has the body, for longer than
     * {@code limit}, whatever becomes of the device.
     *
     * @return whether it did; if not, the body is untouched, and {@link #put} is the way
     * @throws BlobStoreException an {@code ACCOUNT_FAULT} when the limit is over; the blob may be stored nevertheless, even later, and
     *     {@link #delete} removes it
     */
    default boolean putWithin(Duration limit, BlobId id, long lengthBytes, InputStream body) throws IOException {
        return false;
    }

    /**
     * Opens a run of a blob for reading. The channel yields exactly {@code lengthBytes} bytes, then the end; a shorter blob is a
     * {@link BlobStoreException} of the kind {@code MISSING}. Deleting the blob later does not disturb an open channel where the
     * account allows that.
     *
     * @param lengthBytes at least 1
     */
    ReadableByteChannel get(BlobId id, long offsetBytes, long lengthBytes) throws BlobStoreException;

    /** Removes a blob, and whatever a broken put of it has left. Removing what is not there is a success. */
    void delete(BlobId id) throws BlobStoreException;

    /**
     * Blobs of one fan-out value in the order of their ids, half-written ones included, stamped from {@code from} (inclusive) to
     * {@code to} (exclusive), greater than {@code after}.
     *
     * @param fanOut 0 to 255
     * @param after {@code null} to begin
     * @param limit 1 to 5,000
     */
    List<StoredBlob> list(int fanOut, Instant from, Instant to, @Nullable BlobId after, int limit)
            throws BlobStoreException;

    /** Writes, reads and deletes a small blob: throws what is wrong with the account, if anything. */
    void probe(BlobId id) throws BlobStoreException;

    /**
     * How many more bytes the account could take, as lately seen: 0 when it cannot be written at all, {@link Long#MAX_VALUE} when it
     * does not know. Never blocks.
     */
    default long usableBytes() {
        return Long.MAX_VALUE;
    }

    /** The time by the service's own clock, in whole seconds; empty where there is no clock but this machine's. */
    default Optional<Instant> serviceTime() throws BlobStoreException {
        return Optional.empty();
    }

    @Override
    void close();

    /** A blob as the account lists it. */
    record StoredBlob(BlobId id, long sizeBytes) {}
}
