package io.headgate.blob.s3;

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
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.NoSuchUploadException;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * An account in a bucket of an S3-compatible service. A blob is one object, put whole or, above the size of a part, by a multipart
 * upload. Bytes are sent from a buffer of at most one part, so that a request can be repeated and a slow client holds no connection.
 *
 * <p>Its requests bound their own time and number: no other guard is needed.
 */
public final class S3BlobStore implements BlobStore {
    /** S3's bound. */
    private static final int MAX_PARTS = 10_000;
    /** No object is so long: S3's bound is 48.8 TiB, and some services choke on greater offsets. */
    private static final long BEYOND_ALL_BYTES = 1L << 50;

    private final String account;
    private final S3Settings settings;
    private final Allowance uploadMemory;
    private final BlobNames names;
    private final S3Requests requests;
    private final S3Upload upload;
    private final S3Listing listing;

    /**
     * Prepares the account without speaking to it.
     *
     * @param account its name, for messages
     * @param uploadMemory what puts may hold of their bodies, shared with other accounts
     */
    public S3BlobStore(String account, S3Settings settings, Allowance uploadMemory) {
        this.account = account;
        this.settings = settings;
        this.uploadMemory = uploadMemory;
        this.names = new BlobNames(settings.prefix());
        this.requests = new S3Requests(account, settings);
        this.upload = new S3Upload(requests, settings.bucket(), settings.checksum());
        this.listing = new S3Listing(requests, settings.bucket(), names);
    }

    @Override
    public void put(BlobId id, long lengthBytes, InputStream body) throws IOException {
        int partBytes = partBytes(lengthBytes);
        try (Allowance.Grant _ = uploadMemory.takeBytes(Math.min(lengthBytes, partBytes))) {
            BodyParts parts = new BodyParts(body, lengthBytes, partBytes);
            if (lengthBytes <= partBytes) {
                upload.whole(names.of(id), parts);
            } else {
                upload.inParts(names.of(id), parts);
            }
        }
    }

    @Override
    public long putRequests(long lengthBytes) {
        int partBytes = partBytes(lengthBytes);
        return lengthBytes <= partBytes ? 1 : 2 + Math.ceilDiv(lengthBytes, partBytes);
    }

    /** Larger for a blob that would have too many parts. */
    private int partBytes(long lengthBytes) {
        return (int) Math.max(settings.partBytes(), Math.ceilDiv(lengthBytes, MAX_PARTS));
    }

    @Override
    public ReadableByteChannel get(BlobId id, long offsetBytes, long lengthBytes) throws BlobStoreException {
        String name = "blob " + id + " in account " + account;
        if (offsetBytes > BEYOND_ALL_BYTES || lengthBytes > BEYOND_ALL_BYTES) {
            throw new BlobStoreException(Kind.MISSING, name + " has no byte " + offsetBytes);
        }
        return ResumingChannel.open(
                name, (offset, length) -> opened(name, names.of(id), offset, length), offsetBytes, lengthBytes);
    }

    private ResumingChannel.Source opened(String name, String key, long offset, long length) throws BlobStoreException {
        Allowance.Grant connection = requests.connection();
        boolean handedOver = false;
        try {
            ResponseInputStream<GetObjectResponse> bytes = requests.client()
                    .getObject(get -> get.bucket(settings.bucket())
                            .key(key)
                            .range("bytes=" + offset + "-" + (offset + length - 1)));
            S3Source source = new S3Source(bytes, connection);
            handedOver = true;
            checkRange(source, bytes.response(), name, offset, length);
            return source;
        } catch (SdkException failure) {
            throw requests.fault("read a blob", failure);
        } finally {
            if (!handedOver) {
                connection.close();
            }
        }
    }

    /** A range beyond the end is cut short by the service, and one that reads to the end may lack its beginning. */
    private static void checkRange(S3Source source, GetObjectResponse response, String name, long offset, long length)
            throws BlobStoreException {
        long got = response.contentLength() == null ? -1 : response.contentLength();
        boolean whole = response.contentRange() == null;
        if (got == length && (!whole || offset == 0)) {
            return;
        }
        source.abort();
        if (whole) {
            throw new BlobStoreException(Kind.ACCOUNT_FAULT, name + ": the service does not do ranges");
        }
        throw new BlobStoreException(
                Kind.MISSING, name + " ends after " + got + " of " + length + " bytes from byte " + offset);
    }

    /** First asks whether the blob is there, which few are that were put in parts and broke: only for those are uploads looked for. */
    @Override
    public void delete(BlobId id) throws BlobStoreException {
        String key = names.of(id);
        boolean there = requests.send("look at a blob", () -> {
            try {
                requests.client()
                        .headObject(head -> head.bucket(settings.bucket()).key(key));
                return true;
            } catch (S3Exception failure) {
                if (S3Faults.isNotFound(failure)) {
                    return false;
                }
                throw failure;
            }
        });
        if (!there) {
            for (MultipartUpload left : listing.uploadsOf(key)) {
                abort(left);
            }
        }
        // Also where nothing was: an upload may have ended between the two looks.
        requests.send(
                "delete a blob",
                () -> requests.client()
                        .deleteObject(delete -> delete.bucket(settings.bucket()).key(key)));
    }

    private void abort(MultipartUpload left) throws BlobStoreException {
        requests.send("abort an upload", () -> {
            try {
                return requests.client()
                        .abortMultipartUpload(abort ->
                                abort.bucket(settings.bucket()).key(left.key()).uploadId(left.uploadId()));
            } catch (NoSuchUploadException ended) {
                return null;
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
        return requests.send(
                "look at the bucket",
                () -> requests.client()
                        .headBucket(head -> head.bucket(settings.bucket()))
                        .sdkHttpResponse()
                        .firstMatchingHeader("Date")
                        .flatMap(S3BlobStore::time));
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

    /** The bytes of one answer. */
    private static final class S3Source implements ResumingChannel.Source {
        private final ResponseInputStream<GetObjectResponse> bytes;
        private final Allowance.Grant connection;

        S3Source(ResponseInputStream<GetObjectResponse> bytes, Allowance.Grant connection) {
            this.bytes = bytes;
            this.connection = connection;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            try {
                return bytes.read(into, offset, length);
            } catch (SdkException broken) {
                throw new IOException(broken.getMessage(), broken);
            }
        }

        @Override
        public void finish() {
            try (connection) {
                // Its end read, the connection goes back to the pool.
                if (bytes.read() < 0) {
                    bytes.close();
                } else {
                    bytes.abort();
                }
            } catch (IOException | SdkException broken) {
                bytes.abort();
            }
        }

        @Override
        public void abort() {
            try (connection) {
                bytes.abort();
            }
        }
    }
}
