package io.headgate.blob.local;

import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.domain.BlobId;
import io.headgate.domain.BodyException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.channels.ReadableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An account in a directory of this machine.
 *
 * <p>A small blob is a record of the account's {@link Journal}, which is a pack later; a large one is a file of its own, and so is one
 * that is not fresh, moved from another account, say. A file has its final name from the start: nobody refers to a blob before its put has returned, so a half-written file is just a blob that nobody refers to,
 * which {@link #list} shows and {@link #delete} removes.
 *
 * <p>The directory belongs to one process and one account, as a marker file in it says. A directory that cannot be used makes every
 * method throw an {@code ACCOUNT_FAULT}; it is looked at again each second and by each call, and works as soon as it is back.
 */
public final class LocalBlobStore implements BlobStore {
    private static final Logger LOG = LoggerFactory.getLogger(LocalBlobStore.class);
    private static final int CHUNK_BYTES = 128 << 10;
    /** A large blob goes to the disk in pieces of this size, so that the last force is not one long silence. */
    private static final long FORCED_BYTES = 64 << 20;

    private static final Duration NO_LIMIT = Duration.ofNanos(Long.MAX_VALUE);
    private static final int PROBE_BYTES = 64;
    private static final long LOOK_MILLIS = 1000;

    private final AccountDirectory directory;
    private final Durability durability;
    private final BlobFiles files;
    private final Journal.Sizes sizes;
    private final InstantSource clock;
    /** Blobs whose deletion is under way, and how many calls do that. */
    private final Map<BlobId, Integer> beingDeleted = new ConcurrentHashMap<>();

    private final ReentrantLock opening = new ReentrantLock();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile @Nullable Opened opened;
    /** What a directory that cannot be written has; {@code null} if it is not read so. Guarded by {@link #opening}. */
    private @Nullable Packs readOnly;

    private volatile long usableBytes;
    /** What the latest look found wrong; empty for nothing. */
    private volatile String trouble = "";

    /** The account, taken by this process; {@code journal} is null if none is kept, and there are no packs. */
    private record Opened(
            AccountDirectory.Claim claim, @Nullable Journal journal) {
        boolean works() {
            return journal == null || journal.failure() == null;
        }

        @Nullable Packs packs() {
            return journal == null ? null : journal.packs();
        }
    }

    /**
     * Opens the account's directory. If that fails, the store exists nevertheless, and the account is at fault until it succeeds.
     *
     * @param account the account's name
     * @param namespace id of the namespace that owns the account; a directory that another owns is refused
     * @param root the account's directory
     * @param firstUse whether the account is known to hold no blob yet: only then a directory that is missing or empty is taken into
     *     use; later it means that a disk is not mounted
     * @param clock for the age of directories, and of ids
     */
    public LocalBlobStore(
            String account, String namespace, Path root, Durability durability, boolean firstUse, InstantSource clock) {
        this(account, namespace, root, durability, firstUse, clock, Journal.Sizes.DEFAULT);
    }

    LocalBlobStore(
            String account,
            String namespace,
            Path root,
            Durability durability,
            boolean firstUse,
            InstantSource clock,
            Journal.Sizes sizes) {
        this.directory = new AccountDirectory(account, namespace, root, firstUse);
        this.durability = durability;
        this.files = new BlobFiles(directory.blobs(), clock);
        this.sizes = sizes;
        this.clock = clock;
        look();
        Thread.ofPlatform().daemon().name("headgate-" + account + "-look").start(this::lookAgainAndAgain);
    }

    @Override
    public void put(BlobId id, long lengthBytes, InputStream body) throws IOException {
        Opened account = open();
        checkNotBeingDeleted(id);
        try {
            Journal journal = account.journal();
            if (journal != null && isForJournal(id, lengthBytes)) {
                putJournaled(journal, id, (int) lengthBytes, body, NO_LIMIT);
            } else {
                putFile(journal, id, lengthBytes, body);
            }
        } catch (BodyException | InterruptedIOException | ClosedChannelException notOurs) {
            throw notOurs;
        } catch (IOException failure) {
            throw fault("writing a blob", failure);
        }
    }

    private boolean isForJournal(BlobId id, long lengthBytes) {
        return lengthBytes <= sizes.maxBlobBytes()
                && Duration.between(id.createdAt(), clock.instant()).abs().compareTo(sizes.freshFor()) <= 0;
    }

    /** A small blob waits for the journal's thread, and for how long it chooses. */
    @Override
    public boolean putWithin(Duration limit, BlobId id, long lengthBytes, InputStream body) throws IOException {
        Opened account = opened;
        if (account == null || account.journal() == null || !account.works() || !isForJournal(id, lengthBytes)) {
            return false;
        }
        checkNotBeingDeleted(id);
        try {
            putJournaled(account.journal(), id, (int) lengthBytes, body, limit);
            return true;
        } catch (BodyException | InterruptedIOException | ClosedChannelException notOurs) {
            throw notOurs;
        } catch (IOException failure) {
            throw fault("writing a blob", failure);
        }
    }

    private static void putJournaled(Journal journal, BlobId id, int length, InputStream body, Duration limit)
            throws IOException {
        byte[] record = new byte[Segment.RECORD_HEADER_BYTES + length];
        for (int filled = Segment.RECORD_HEADER_BYTES; filled < record.length; ) {
            filled += readSome(body, record, filled, record.length - filled);
        }
        expectEnd(body);
        journal.put(id, record, limit);
    }

    private void putFile(@Nullable Journal journal, BlobId id, long length, InputStream body) throws IOException {
        byte[] chunk = new byte[(int) Math.min(length, CHUNK_BYTES)];
        FileChannel channel = files.create(id);
        try (channel) {
            for (long left = length; left > 0; ) {
                int count = fill(body, chunk, (int) Math.min(left, chunk.length));
                ByteBuffer bytes = ByteBuffer.wrap(chunk, 0, count);
                while (bytes.hasRemaining()) {
                    channel.write(bytes);
                }
                left -= count;
                if (durability == Durability.SYNC && left > 0 && (length - left) % FORCED_BYTES == 0) {
                    channel.force(false);
                }
            }
            expectEnd(body);
            if (durability == Durability.SYNC) {
                channel.force(false);
                files.forceEntry(id);
            }
            if (journal != null) {
                journal.keep(id);
            }
        } catch (Throwable failure) {
            removeBroken(id, failure);
            throw failure;
        }
    }

    private void removeBroken(BlobId id, Throwable failure) {
        try {
            files.delete(id);
        } catch (IOException left) {
            failure.addSuppressed(left); // the sweep finds it
        }
    }

    /** Fills the chunk, so that the disk gets few large writes, whatever pieces the network brings. */
    private static int fill(InputStream body, byte[] chunk, int length) throws IOException {
        for (int filled = 0; filled < length; ) {
            filled += readSome(body, chunk, filled, length - filled);
        }
        return length;
    }

    private static int readSome(InputStream body, byte[] target, int offset, int length) throws IOException {
        int count = body.read(target, offset, length);
        if (count < 0) {
            throw new BodyException("The body ended early");
        }
        return count;
    }

    private static void expectEnd(InputStream body) throws IOException {
        if (body.read() >= 0) {
            throw new BodyException("The body is longer than it was said to be");
        }
    }

    @Override
    public ReadableByteChannel get(BlobId id, long offsetBytes, long lengthBytes) throws BlobStoreException {
        if (offsetBytes < 0 || lengthBytes < 1) {
            throw new IllegalArgumentException("offset " + offsetBytes + ", length " + lengthBytes);
        }
        try {
            ReadableByteChannel run;
            try {
                run = find(id, packsToRead(), offsetBytes, lengthBytes);
            } catch (PackFile.RetiredException reopened) {
                run = null;
            }
            if (run == null) {
                // Missing for certain, or because the account is not what it should be? Look again when it surely is.
                Opened account = open();
                directory.check();
                run = find(id, account.packs(), offsetBytes, lengthBytes);
            }
            if (run == null) {
                throw new BlobStoreException(Kind.MISSING, "Blob " + id + " is not there");
            }
            return run;
        } catch (IOException failure) {
            throw fault("reading a blob", failure);
        }
    }

    private @Nullable ReadableByteChannel find(BlobId id, @Nullable Packs packs, long offsetBytes, long lengthBytes)
            throws IOException {
        ByteBuffer packed = packs == null ? null : packs.get(id, offsetBytes, lengthBytes);
        if (packed != null) {
            return new BlobBytes(packed);
        }
        Optional<FileChannel> file = files.open(id);
        return file.isEmpty() ? null : run(id, file.get(), offsetBytes, lengthBytes);
    }

    private BlobRun run(BlobId id, FileChannel file, long offsetBytes, long lengthBytes) throws IOException {
        try {
            if (file.size() - offsetBytes < lengthBytes) {
                throw new BlobStoreException(Kind.MISSING, "Blob " + id + " is shorter than it should be");
            }
            return new BlobRun(directory.root(), file, offsetBytes, lengthBytes);
        } catch (Throwable failure) {
            file.close();
            throw failure;
        }
    }

    @Override
    public void delete(BlobId id) throws BlobStoreException {
        Opened account = open();
        directory.check();
        beingDeleted.merge(id, 1, Integer::sum);
        try {
            if (account.journal() != null) {
                account.journal().delete(id);
            } else {
                files.delete(id);
            }
        } catch (IOException failure) {
            throw fault("deleting a blob", failure);
        } finally {
            beingDeleted.computeIfPresent(id, (same, callers) -> callers == 1 ? null : callers - 1);
        }
    }

    /**
     * Fails if a deletion of the blob is under way, perhaps one that hangs and that its caller has given up: it would take what is put
     * now. A blob that moved away and comes back has to wait for it.
     */
    private void checkNotBeingDeleted(BlobId id) throws BlobStoreException {
        if (beingDeleted.containsKey(id)) {
            throw DiskFaults.fault(directory.root(), "blob " + id + " is just being deleted");
        }
    }

    @Override
    public List<StoredBlob> list(int fanOut, Instant from, Instant to, @Nullable BlobId after, int limit)
            throws BlobStoreException {
        if (fanOut < 0 || fanOut >= BlobId.FAN_OUT || limit < 1 || limit > 5000) {
            throw new IllegalArgumentException("fan-out " + fanOut + ", limit " + limit);
        }
        Opened account = open();
        directory.check();
        try {
            List<StoredBlob> inFiles = files.list(fanOut, from, to, after, limit);
            Packs packs = account.packs();
            return packs == null ? inFiles : packs.merged(inFiles, fanOut, from, to, after, limit);
        } catch (DirectoryIteratorException failure) {
            throw fault("listing blobs", new IOException(failure));
        } catch (IOException failure) {
            throw fault("listing blobs", failure);
        }
    }

    @Override
    public void probe(BlobId id) throws BlobStoreException {
        byte[] written = new byte[PROBE_BYTES];
        ByteBuffer.wrap(written).putLong(id.uuid().getLeastSignificantBits());
        ByteBuffer read = ByteBuffer.allocate(PROBE_BYTES);
        try {
            put(id, PROBE_BYTES, new ByteArrayInputStream(written));
            try (ReadableByteChannel channel = get(id, 0, PROBE_BYTES)) {
                while (channel.read(read) >= 0 && read.hasRemaining()) {
                    // until all is read
                }
            }
            delete(id);
        } catch (IOException failure) {
            throw fault("a probe", failure);
        }
        if (!read.flip().equals(ByteBuffer.wrap(written))) {
            throw DiskFaults.fault(directory.root(), "what was written is not what was read");
        }
    }

    @Override
    public long usableBytes() {
        return usableBytes;
    }

    @Override
    public void close() {
        closed.countDown();
        opening.lock();
        try {
            release();
        } finally {
            opening.unlock();
        }
    }

    // Opening

    /** The account, for writing: opened now if it is not, or if its journal has failed. */
    private Opened open() throws BlobStoreException {
        Opened account = opened;
        return account != null && account.works() ? account : reopen();
    }

    /** The packs, even if the account cannot be written; {@code null} for none. */
    private @Nullable Packs packsToRead() throws IOException {
        Opened account = opened;
        if (account != null) {
            return account.packs();
        }
        try {
            return reopen().packs();
        } catch (BlobStoreException cannotBeWritten) {
            try {
                directory.check();
                if (EarlierJournal.in(directory.journal()).isClean()) {
                    return openReadOnly();
                }
            } catch (IOException cannotBeRead) {
                cannotBeWritten.addSuppressed(cannotBeRead);
            }
            throw cannotBeWritten;
        }
    }

    private @Nullable Packs openReadOnly() throws IOException {
        opening.lock();
        try {
            if (readOnly == null && !Packs.isEmpty(directory.packs())) {
                readOnly = PackRecovery.open(directory.packs(), files, false, sizes.maxOpenFiles())
                        .packs();
            }
            return readOnly;
        } finally {
            opening.unlock();
        }
    }

    private Opened reopen() throws BlobStoreException {
        opening.lock();
        try {
            Opened account = opened;
            if (account != null && account.works()) {
                return account;
            }
            if (closed.getCount() == 0) {
                throw DiskFaults.fault(directory.root(), "the account is closed");
            }
            release();
            account = claim();
            opened = account;
            return account;
        } catch (IOException failure) {
            throw fault("opening the account", failure);
        } finally {
            opening.unlock();
        }
    }

    private Opened claim() throws IOException {
        AccountDirectory.Claim claim = directory.claim();
        try {
            EarlierJournal.in(directory.journal()).convert(files);
            if (durability == Durability.NONE && Packs.isEmpty(directory.packs())) {
                return new Opened(claim, null);
            }
            directory.allowPacks();
            return new Opened(claim, new Journal("headgate-" + directory.account(), directory.packs(), files, sizes));
        } catch (Throwable failure) {
            claim.close();
            throw failure;
        }
    }

    private void release() {
        Opened account = opened;
        opened = null;
        if (readOnly != null) {
            readOnly.close();
            readOnly = null;
        }
        if (account == null) {
            return;
        }
        // The journal first, the claim whatever happens
        try (AccountDirectory.Claim _ = account.claim();
                Journal _ = account.journal()) {
            LOG.debug("Directory {}: closing", directory.root());
        } catch (IOException failure) {
            // What the journal could not finish it repeats when it is opened again.
            LOG.warn("Directory {}: closing failed", directory.root(), failure);
        }
    }

    private void lookAgainAndAgain() {
        try {
            while (!closed.await(LOOK_MILLIS, TimeUnit.MILLISECONDS)) {
                look();
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
        }
    }

    /** Opens the account if need be and sees how much room it has: none if it cannot be written. */
    private void look() {
        try {
            open();
            directory.check();
            usableBytes = Math.max(0, directory.usableBytes() - sizes.heldBackBytes());
            trouble = "";
        } catch (IOException unusable) {
            usableBytes = 0;
            String said = String.valueOf(unusable.getMessage());
            if (!said.equals(trouble)) {
                LOG.warn("account {} cannot be used: {}", directory.account(), said);
            }
            trouble = said;
        }
    }

    private BlobStoreException fault(String doing, IOException cause) {
        return DiskFaults.fault(directory.root(), doing, cause);
    }
}
