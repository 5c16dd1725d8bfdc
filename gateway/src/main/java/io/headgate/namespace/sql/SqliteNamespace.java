package io.headgate.namespace.sql;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.AccountMode;
import io.headgate.namespace.AccountRemoval;
import io.headgate.namespace.AccountShare;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.AccountUse;
import io.headgate.namespace.AddedAccount;
import io.headgate.namespace.BlobMove;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketClaim;
import io.headgate.namespace.BucketQuery;
import io.headgate.namespace.BucketSetting;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.CompleteUpload;
import io.headgate.namespace.CopyObject;
import io.headgate.namespace.CopyPart;
import io.headgate.namespace.DeleteObject;
import io.headgate.namespace.Discrepancy;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.Holder;
import io.headgate.namespace.Intent;
import io.headgate.namespace.LiveBlobs;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ManifestPart;
import io.headgate.namespace.ManifestSlice;
import io.headgate.namespace.MultipartRules;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectQuery;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Part;
import io.headgate.namespace.PartsPage;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.PutPart;
import io.headgate.namespace.Rebalance;
import io.headgate.namespace.Upload;
import io.headgate.namespace.UploadPage;
import io.headgate.namespace.UploadQuery;
import io.headgate.namespace.codec.Backup;
import io.headgate.namespace.codec.BackupReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The namespace in an SQLite file of its own: the embedded engine, for one gateway. */
public final class SqliteNamespace implements Namespace {
    private static final String PING =
            "INSERT INTO pings (id, number) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET number = pings.number + 1";

    /** How many slices of an orphan one step releases. */
    private static final int SLICES_A_STEP = 1_000;

    private static final String BUCKET_NAMES = "SELECT name FROM buckets WHERE name > ? ORDER BY name LIMIT ?";

    private final String id;
    private final SqliteFile file;
    private final SqliteLane lane;
    private final SqliteReaders readers;
    private final RecentVersions recent;
    private final SqliteCheckpointer checkpointer;
    private final MultipartRules rules;

    private SqliteNamespace(SqliteFile file, InstantSource clock, SqliteOptions options) {
        this.id = file.namespaceId();
        this.file = file;
        this.rules = new MultipartRules(options.minPartBytes());
        this.readers = new SqliteReaders(file, options);
        this.recent = new RecentVersions(options.recentVersionsBytes());
        this.checkpointer = new SqliteCheckpointer(file, options);
        this.lane = new SqliteLane(file, clock, options, recent, checkpointer::committed);
    }

    /**
     * Opens the namespace in {@code file}, which is made if it does not exist; its directory must.
     *
     * @param clock the gateway's, which also stamps the commands
     * @throws NamespaceException if the file cannot be opened, is not a namespace, or is one of a newer Headgate
     */
    public static SqliteNamespace open(Path file, InstantSource clock, SqliteOptions options) {
        SqliteNamespace namespace = new SqliteNamespace(SqliteFile.open(file, options), clock, options);
        namespace.lane.start();
        namespace.checkpointer.start(namespace.lane);
        namespace.lane.write(batch -> Leases.forgetAll(batch.session()));
        return namespace;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public BucketClaim createBucket(Bucket bucket) {
        return lane.write(batch -> Buckets.create(batch, bucket));
    }

    @Override
    public Optional<Bucket> bucket(BucketName name) {
        return readers.read(session -> Optional.ofNullable(Buckets.find(session, name)));
    }

    @Override
    public Outcome<Bucket> changeBucket(BucketName name, BucketSetting setting, Optional<String> document) {
        return lane.write(batch -> Buckets.change(batch.session(), name, setting, document));
    }

    @Override
    public Outcome<Bucket> deleteBucket(BucketName name, Instant now) {
        return lane.write(batch -> Buckets.delete(batch, name, now));
    }

    @Override
    public List<Bucket> listBuckets(BucketQuery query) {
        return readers.read(session -> Buckets.list(session, query));
    }

    @Override
    public Outcome<BucketUsage> bucketUsage(BucketName name) {
        return readers.read(session -> Buckets.usage(session, name));
    }

    @Override
    public Outcome<ObjectVersion> putObject(PutObject command) {
        return lane.write(batch -> ObjectWrites.put(batch, command));
    }

    @Override
    public Outcome<ObjectVersion> currentVersion(BucketName bucket, ObjectKey key) {
        RecentVersions.Name name = new RecentVersions.Name(bucket, key);
        ObjectVersion known = recent.find(name);
        if (known != null) {
            return new Outcome.Done<>(known);
        }
        long stamp = recent.stamp(name);
        Outcome<ObjectVersion> found = readers.read(session -> Versions.current(session, bucket, key));
        if (found instanceof Outcome.Done<ObjectVersion>(ObjectVersion version)) {
            recent.offer(name, version, stamp);
        }
        return found;
    }

    @Override
    public List<Outcome<Boolean>> deleteObjects(BucketName bucket, List<DeleteObject> commands, Instant now) {
        return lane.write(batch -> ObjectWrites.delete(batch, bucket, commands, now));
    }

    @Override
    public Outcome<ObjectVersion> copyObject(CopyObject command) {
        return lane.write(batch -> ObjectWrites.copy(batch, command));
    }

    @Override
    public Outcome<ObjectPage> listObjects(ObjectQuery query) {
        return readers.readConsistently(session -> Listings.objects(session, query));
    }

    @Override
    public List<ManifestSlice> slices(Manifest.Stored manifest, long fromOffsetBytes, int limit) {
        long number = Manifests.number(manifest);
        return readers.readConsistently(session -> Manifests.slices(session, number, fromOffsetBytes, limit));
    }

    @Override
    public List<ManifestPart> parts(Manifest.Stored manifest, int afterNumber, int limit) {
        long number = Manifests.number(manifest);
        return readers.read(session -> Manifests.parts(session, number, afterNumber, limit));
    }

    @Override
    public Outcome<Upload> createUpload(Upload upload) {
        return lane.write(batch -> Uploads.create(batch, upload));
    }

    @Override
    public Outcome<Upload> upload(BucketName bucket, ObjectKey key, String uploadId) {
        return readers.readConsistently(session -> {
            Optional<Long> id = Buckets.id(session, bucket);
            return Uploads.find(session, bucket, id.orElse(null), key, uploadId);
        });
    }

    @Override
    public Outcome<Part> putPart(PutPart command) {
        return lane.write(batch -> UploadWrites.putPart(batch, command));
    }

    @Override
    public Outcome<Part> copyPart(CopyPart command) {
        return lane.write(batch -> UploadWrites.copyPart(batch, command));
    }

    @Override
    public Outcome<ObjectVersion> completeUpload(CompleteUpload command) {
        return lane.write(batch -> UploadWrites.complete(batch, rules, command));
    }

    @Override
    public Outcome<Upload> abortUpload(BucketName bucket, ObjectKey key, String uploadId, Instant now) {
        return lane.write(batch -> UploadWrites.abort(batch, bucket, key, uploadId, now));
    }

    @Override
    public Outcome<PartsPage> listParts(BucketName bucket, ObjectKey key, String uploadId, int afterNumber, int limit) {
        return readers.readConsistently(session -> Uploads.page(session, bucket, key, uploadId, afterNumber, limit));
    }

    @Override
    public Outcome<UploadPage> listUploads(UploadQuery query) {
        return readers.readConsistently(session -> UploadListings.page(session, query));
    }

    @Override
    public Intent openIntent(String gateway, Instant openedAt, Instant lastStampAt, Instant expiresAt) {
        return lane.write(batch -> Intents.open(batch, gateway, openedAt, lastStampAt, expiresAt));
    }

    @Override
    public List<Long> renewIntents(Collection<Long> ids, Instant expiresAt) {
        return lane.write(batch -> Intents.renew(batch, ids, expiresAt));
    }

    @Override
    public void closeIntents(Collection<Long> ids) {
        lane.write(batch -> {
            Intents.close(batch, ids);
            return true;
        });
    }

    @Override
    public List<Intent> takeExpiredIntents(Instant now, int limit) {
        return lane.write(batch -> Intents.takeExpired(batch, now, limit));
    }

    @Override
    public List<Intent> standingIntents() {
        return readers.read(Intents::standing);
    }

    @Override
    public List<BlobId> unknownBlobs(String account, List<BlobId> blobs) {
        return readers.readConsistently(session -> Blobs.unknown(session, account, blobs));
    }

    @Override
    public void discard(List<Garbage> blobs) {
        lane.write(batch -> {
            Blobs.discard(batch, blobs);
            return true;
        });
    }

    @Override
    public List<Garbage> dueGarbage(String account, Instant queuedBefore, int limit) {
        long before = queuedBefore.toEpochMilli();
        while (true) {
            List<Garbage> due = readers.read(session -> Blobs.due(session, account, before, limit));
            boolean more = due.size() < limit && readers.read(session -> Manifests.orphanDue(session, before));
            if (!more || !lane.write(batch -> Manifests.breakUpOne(batch, before, SLICES_A_STEP))) {
                return due;
            }
        }
    }

    @Override
    public void garbageDeleted(String account, List<BlobId> blobs) {
        lane.write(batch -> {
            Blobs.forget(batch, account, blobs);
            return true;
        });
    }

    @Override
    public Map<String, AccountUsage> accountUsage() {
        return readers.read(Blobs::usage);
    }

    @Override
    public LiveBlobs liveBlobs(String account, @Nullable BlobId after, int limit) {
        return readers.read(session -> Blobs.live(session, account, after, limit));
    }

    @Override
    public List<BlobMove> beginMoves(List<BlobMove> moves, Instant now) {
        return lane.write(batch -> Copies.begin(batch, moves, now));
    }

    @Override
    public List<BlobMove> finishMoves(List<BlobMove> moves, Instant now) {
        return lane.write(batch -> Copies.finish(batch, moves, now));
    }

    @Override
    public void abandonMoves(List<BlobMove> moves, Instant now) {
        lane.write(batch -> {
            Copies.abandon(batch, moves, now);
            return true;
        });
    }

    @Override
    public List<BlobMove> movesUnderWay(int limit) {
        return readers.read(session -> Copies.underWay(session, limit));
    }

    @Override
    public boolean lease(String name, String holder, Instant now, Instant until) {
        return lane.write(batch -> Leases.take(batch.session(), name, holder, now, until));
    }

    /** A gateway over this engine is alone. */
    @Override
    public List<AccountShare> shareAccounts(String gateway, List<AccountUse> uses, Duration lasting) {
        return uses.stream().map(AccountShare::alone).toList();
    }

    @Override
    public Instant oldestRead(String gateway, Instant oldest, Instant now, Instant silentSince) {
        return oldest;
    }

    @Override
    public Map<String, AccountMode> accountModes() {
        return readers.read(AccountModes::all);
    }

    @Override
    public void setDraining(String account, boolean draining) {
        lane.write(batch -> {
            AccountModes.setDraining(batch.session(), account, draining);
            return true;
        });
    }

    @Override
    public void setReadOnly(String account, boolean readOnly) {
        lane.write(batch -> {
            AccountModes.setReadOnly(batch.session(), account, readOnly);
            return true;
        });
    }

    @Override
    public Rebalance rebalance() {
        return readers.read(AccountModes::rebalance);
    }

    @Override
    public void setRebalancing(boolean running) {
        lane.write(batch -> {
            AccountModes.setRebalancing(batch.session(), running);
            return true;
        });
    }

    @Override
    public List<AddedAccount> addedAccounts() {
        return readers.read(AddedAccounts::all);
    }

    @Override
    public boolean addAccount(String name, String definition, Instant now) {
        return lane.write(batch -> AddedAccounts.add(batch.session(), name, definition, now));
    }

    @Override
    public AccountRemoval removeAccount(String name, boolean forgetGarbage, Instant now) {
        return lane.write(batch -> AddedAccounts.remove(batch, name, forgetGarbage, now));
    }

    @Override
    public List<BucketName> bucketNames(String after, int limit) {
        return readers.read(
                session -> session.all(BUCKET_NAMES, row -> new BucketName(row.getString(1)), after, limit));
    }

    @Override
    public List<Garbage> garbage(String account, @Nullable Garbage after, int limit) {
        return readers.read(session -> Blobs.garbage(session, account, after, limit));
    }

    @Override
    public long audit(Consumer<Discrepancy> found) {
        return readAll(session -> Audit.run(session, found));
    }

    @Override
    public boolean correct(long audit, List<Discrepancy.Correctable> wrong, Instant now) {
        return lane.write(batch -> Audit.correct(batch, audit, wrong, now));
    }

    @Override
    public void holders(Collection<BlobId> blobs, Consumer<Holder> found) {
        readAll(session -> {
            Holders.find(session, blobs, found);
            return true;
        });
    }

    /** Runs a read that takes long, over a connection of its own, which sees one state. */
    private <T> T readAll(SqliteReaders.Work<T> work) {
        checkpointer.beginLongRead();
        try (Session session = file.bulkReader()) {
            session.update("BEGIN");
            T value = work.run(session);
            session.update("COMMIT");
            return value;
        } catch (SQLException failed) {
            throw new NamespaceException("the namespace could not read: " + failed.getMessage(), failed);
        } finally {
            checkpointer.endLongRead();
        }
    }

    @Override
    public void backup(Instant now, OutputStream out) throws IOException {
        try {
            readAll(session -> {
                try {
                    Backups.write(session, id, now, out);
                } catch (IOException failed) {
                    throw new UncheckedIOException(failed);
                }
                return true;
            });
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    /**
     * Makes an empty namespace, or a file that does not exist yet, the one of a backup. If this fails, nothing has changed.
     *
     * @throws NamespaceException if the backup is not whole, or the namespace not empty
     */
    public static Backup.Header restore(Path file, SqliteOptions options, InputStream backup) throws IOException {
        BackupReader reader = new BackupReader(backup);
        try (Session session = SqliteFile.open(file, options).writer()) {
            session.update("BEGIN IMMEDIATE");
            Backup.Header header = Backups.read(session, reader);
            session.update("COMMIT");
            return header;
        } catch (SQLException failed) {
            throw new NamespaceException("the namespace could not be restored: " + failed.getMessage(), failed);
        }
    }

    @Override
    public int forgetCompletedUploads(Instant completedBefore, int limit) {
        return lane.write(batch -> Uploads.forgetCompleted(batch.session(), completedBefore, limit));
    }

    @Override
    public void ping() {
        lane.write(batch -> batch.session().update(PING));
        readers.read(session -> session.all("SELECT number FROM pings", row -> row.getLong(1)));
    }

    /** Commits what is under way, then closes the file. Later calls fail. */
    @Override
    public void close() {
        lane.close();
        readers.close();
        checkpointer.close();
    }
}
