package io.headgate.blob.azure;

import com.azure.core.http.HttpHeaderName;
import com.azure.core.util.Context;
import com.azure.storage.blob.models.BlobDownloadAsyncResponse;
import com.azure.storage.blob.models.BlobDownloadHeaders;
import com.azure.storage.blob.models.BlobRange;
import com.azure.storage.blob.models.BlockListType;
import com.azure.storage.blob.models.DownloadRetryOptions;
import com.azure.storage.blob.specialized.BlockBlobClient;
import io.headgate.blob.Allowance;
import io.headgate.blob.BlobNames;
import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.blob.BodyParts;
import io.headgate.blob.Probe;
import io.headgate.blob.ResumingChannel;
import io.headgate.domain.BlobId;
import java.io.IOException;
import java.io.InputStream;
import java.nio.channels.ReadableByteChannel;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An account in a container of Azure Blob Storage. A blob is one block blob, put whole or, above the size of a block, in blocks that are
 * committed together. Bytes are sent from a buffer of at most one block, so that a request can be repeated and a slow client holds no
 * connection.
 *
 * <p>Its requests bound their own time and number: no other guard is needed.
 */
public final class AzureBlobStore implements BlobStore {
    /** Azure's bound. */
    private static final int MAX_BLOCKS = 50_000;
    /** No blob is so long: Azure's bound is about 190 TiB. */
    private static final long BEYOND_ALL_BYTES = 1L << 50;

    private final String account;
    private final AzureSettings settings;
    private final Allowance uploadMemory;
    private final BlobNames names;
    private final AzureRequests requests;
    private final AzureUpload upload;
    private final AzureListing listing;

    /**
     * Prepares the account without speaking to it.
     *
     * @param account its name, for messages
     * @param uploadMemory what puts may hold of their bodies, shared with other accounts
     */
    public AzureBlobStore(String account, AzureSettings settings, Allowance uploadMemory) {
        this.account = account;
        this.settings = settings;
        this.uploadMemory = uploadMemory;
        this.names = new BlobNames(settings.prefix());
        this.requests = new AzureRequests(account, settings);
        this.upload = new AzureUpload(requests);
        this.listing = new AzureListing(requests, names);
    }

    private BlockBlobClient blob(BlobId id) {
        return requests.container().getBlobClient(names.of(id)).getBlockBlobClient();
    }

    @Override
    public void put(BlobId id, long lengthBytes, InputStream body) throws IOException {
        int blockBytes = blockBytes(lengthBytes);
        try (Allowance.Grant _ = uploadMemory.takeBytes(Math.min(lengthBytes, blockBytes))) {
            BodyParts parts = new BodyParts(body, lengthBytes, blockBytes);
            if (lengthBytes <= blockBytes) {
                upload.whole(blob(id), parts);
            } else {
                upload.inBlocks(blob(id), parts);
            }
        }
    }

    @Override
    public long putRequests(long lengthBytes) {
        int blockBytes = blockBytes(lengthBytes);
        return lengthBytes <= blockBytes ? 1 : 1 + Math.ceilDiv(lengthBytes, blockBytes);
    }

    /** Larger for a blob that would have too many blocks. */
    private int blockBytes(long lengthBytes) {
        return (int) Math.max(settings.blockBytes(), Math.ceilDiv(lengthBytes, MAX_BLOCKS));
    }

    @Override
    public ReadableByteChannel get(BlobId id, long offsetBytes, long lengthBytes) throws BlobStoreException {
        String name = "blob " + id + " in account " + account;
        if (offsetBytes > BEYOND_ALL_BYTES || lengthBytes > BEYOND_ALL_BYTES) {
            throw new BlobStoreException(Kind.MISSING, name + " has no byte " + offsetBytes);
        }
        return ResumingChannel.open(
                name, (offset, length) -> opened(name, id, offset, length), offsetBytes, lengthBytes);
    }

    private ResumingChannel.Source opened(String name, BlobId id, long offset, long length) throws BlobStoreException {
        Allowance.Grant connection = requests.connection();
        boolean handedOver = false;
        try {
            BlobDownloadAsyncResponse answer = requests.attempt(
                    "read a blob",
                    () -> Objects.requireNonNull(requests.streams()
                            .getBlobAsyncClient(names.of(id))
                            .downloadStreamWithResponse(
                                    new BlobRange(offset, length),
                                    new DownloadRetryOptions().setMaxRetryRequests(0),
                                    null,
                                    false)
                            .block()));
            AzureSource source = new AzureSource(answer.getValue(), connection);
            handedOver = true;
            BlobDownloadHeaders headers = answer.getDeserializedHeaders();
            long got = headers.getContentLength() == null ? -1 : headers.getContentLength();
            if (got != length) {
                source.abort();
                throw new BlobStoreException(
                        Kind.MISSING, name + " ends after " + got + " of " + length + " bytes from byte " + offset);
            }
            return source;
        } finally {
            if (!handedOver) {
                connection.close();
            }
        }
    }

    /** Looks for uncommitted blocks only where no blob was. */
    @Override
    public void delete(BlobId id) throws BlobStoreException {
        BlockBlobClient blob = blob(id);
        boolean deleted = requests.send(
                "delete a blob",
                () -> blob.deleteIfExistsWithResponse(null, null, null, Context.NONE)
                        .getValue());
        if (!deleted && hasUncommittedBlocks(blob)) {
            upload.dropBlocks(blob);
        }
    }

    private boolean hasUncommittedBlocks(BlockBlobClient blob) throws BlobStoreException {
        return requests.send("list blocks", () -> {
            try {
                return !blob.listBlocks(BlockListType.UNCOMMITTED)
                        .getUncommittedBlocks()
                        .isEmpty();
            } catch (RuntimeException failure) {
                if (AzureFaults.isBlobMissing(failure)) {
                    return false;
                }
                throw failure;
            }
        });
    }

    @Override
    public List<StoredBlob> list(int fanOut, Instant from, Instant to, @Nullable BlobId after, int limit)
            throws BlobStoreException {
        BlobNames.Run run = names.run(fanOut, from, to, after);
        return run.isEmpty() ? List.of() : listing.blobs(run, limit);
    }

    @Override
    public void probe(BlobId id) throws BlobStoreException {
        Probe.run(this, id);
    }

    @Override
    public Optional<Instant> serviceTime() throws BlobStoreException {
        return requests.send("look at the container", () -> {
            String date = requests.container()
                    .getPropertiesWithResponse(null, null, Context.NONE)
                    .getHeaders()
                    .getValue(HttpHeaderName.DATE);
            return date == null ? Optional.empty() : time(date);
        });
    }

    private static Optional<Instant> time(String date) {
        try {
            return Optional.of(DateTimeFormatter.RFC_1123_DATE_TIME.parse(date, Instant::from));
        } catch (DateTimeException malformed) {
            return Optional.empty();
        }
    }

    @Override
    public void close() {
        requests.close();
    }
}
