package io.headgate.namespace.postgres;

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
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The namespace in a PostgreSQL database, of version 14 or later, which any number of gateways share. Puts and deletes go through one
 * lane, which runs many in a transaction; everything else runs on its caller's thread over a bounded pool.
 */
public final class PostgresNamespace implements Namespace {
    private static final String ID = "SELECT value FROM settings WHERE name = 'namespace_id'";
    private static final String PING =
            "INSERT INTO pings (id, number) VALUES (?, 1) ON CONFLICT (id) DO UPDATE SET number = pings.number + 1";

    /** How many slices of an orphan one step releases. */
    private static final int SLICES_A_STEP = 1_000;

    /** Deletes of more keys run beside the lane, which they would hold up. */
    private static final int MOST_DELETES_IN_LANE = 32;

    /** The sums have so many parts at most, two for each gateway; more gateways share. */
    private static final int SLOTS = 64;

    private static final String BUCKET_NAMES = "SELECT name FROM buckets WHERE name > ? ORDER BY name LIMIT ?";

    private final Database database;
    private final PutLane lane;
    private final MultipartRules rules;
    private final String id;
    private final int slot;

    private PostgresNamespace(Database database, String id, int gateway) {
        this.database = database;
        this.id = id;
        this.slot = 2 * gateway;
        this.lane = new PutLane(database, 2 * gateway + 1, slot);
        this.rules = new MultipartRules(database.options().minPartBytes());
    }

    /**
     * Opens the namespace, whose schema is made or brought up to date first; gateways that start at once wait for each other.
     *
     * @param clock the gateway's, which also stamps the commands
     * @throws NamespaceException if the database cannot be reached or used, or its schema is one of a newer Headgate
     */
    public static PostgresNamespace open(PostgresOptions options, InstantSource clock) {
        Database database = new Database(options, clock);
        try {
            database.checkServer();
            database.pool().migrate();
            String id = database.read(
                    session -> session.all(ID, row -> row.getString(1)).getFirst());
            long number = database.read(session -> session.all("SELECT nextval('gateways')", row -> row.getLong(1))
                    .getFirst());
            PostgresNamespace namespace = new PostgresNamespace(database, id, (int) (number % (SLOTS / 2)));
            namespace.lane.start();
            return namespace;
        } catch (RuntimeException failed) {
            database.close();
            throw failed;
        }
    }

    private <T> T write(Database.Work<T> work) {
        return database.write(slot, work);
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public BucketClaim createBucket(Bucket bucket) {
        return write(tx -> Buckets.create(tx, bucket));
    }

    @Override
    public Optional<Bucket> bucket(BucketName name) {
        return database.read(session -> Optional.ofNullable(Buckets.find(session, name)));
    }

    @Override
    public Outcome<Bucket> changeBucket(BucketName name, BucketSetting setting, Optional<String> document) {
        return write(tx -> Buckets.change(tx.session(), name, setting, document));
    }

    @Override
    public Outcome<Bucket> deleteBucket(BucketName name, Instant now) {
        return write(tx -> Buckets.delete(tx, name, now));
    }

    @Override
    public List<Bucket> listBuckets(BucketQuery query) {
        return database.read(session -> Buckets.list(session, query));
    }

    @Override
    public Outcome<BucketUsage> bucketUsage(BucketName name) {
        return database.read(session -> Buckets.usage(session, name));
    }

    @Override
    public Outcome<ObjectVersion> putObject(PutObject command) {
        return lane.run(batch -> ObjectWrites.name(batch, command), batch -> ObjectWrites.put(batch, command));
    }

    @Override
    public Outcome<ObjectVersion> currentVersion(BucketName bucket, ObjectKey key) {
        return database.read(session -> Versions.current(session, bucket, key));
    }

    @Override
    public List<Outcome<Boolean>> deleteObjects(BucketName bucket, List<DeleteObject> commands, Instant now) {
        if (commands.size() <= MOST_DELETES_IN_LANE) {
            return lane.run(
                    batch -> ObjectWrites.name(batch, bucket, commands),
                    batch -> ObjectWrites.delete(batch, bucket, commands, now));
        }
        return write(tx -> {
            KeyBatch batch = new KeyBatch(tx);
            ObjectWrites.name(batch, bucket, commands);
            batch.load();
            List<Outcome<Boolean>> outcomes = ObjectWrites.delete(batch, bucket, commands, now);
            batch.write();
            return outcomes;
        });
    }

    @Override
    public Outcome<ObjectVersion> copyObject(CopyObject command) {
        return write(tx -> ObjectWrites.copy(tx, command));
    }

    @Override
    public Outcome<ObjectPage> listObjects(ObjectQuery query) {
        return database.read(session -> Listings.objects(session, query));
    }

    @Override
    public List<ManifestSlice> slices(Manifest.Stored manifest, long fromOffsetBytes, int limit) {
        long number = Manifests.number(manifest);
        return database.read(session -> Manifests.slices(session, number, fromOffsetBytes, limit));
    }

    @Override
    public List<ManifestPart> parts(Manifest.Stored manifest, int afterNumber, int limit) {
        long number = Manifests.number(manifest);
        return database.read(session -> Manifests.parts(session, number, afterNumber, limit));
    }

    @Override
    public Outcome<Upload> createUpload(Upload upload) {
        return write(tx -> Uploads.create(tx, upload));
    }

    @Override
    public Outcome<Upload> upload(BucketName bucket, ObjectKey key, String uploadId) {
        return database.read(session -> Uploads.find(session, bucket, key, uploadId));
    }

    @Override
    public Outcome<Part> putPart(PutPart command) {
        return write(tx -> UploadWrites.putPart(tx, command));
    }

    @Override
    public Outcome<Part> copyPart(CopyPart command) {
        return write(tx -> UploadWrites.copyPart(tx, command));
    }

    @Override
    public Outcome<ObjectVersion> completeUpload(CompleteUpload command) {
        return write(tx -> UploadWrites.complete(tx, rules, command));
    }

    @Override
    public Outcome<Upload> abortUpload(BucketName bucket, ObjectKey key, String uploadId, Instant now) {
        return write(tx -> UploadWrites.abort(tx, bucket, key, uploadId, now));
    }

    @Override
    public Outcome<PartsPage> listParts(BucketName bucket, ObjectKey key, String uploadId, int afterNumber, int limit) {
        return database.read(session -> Uploads.page(session, bucket, key, uploadId, afterNumber, limit));
    }

    @Override
    public Outcome<UploadPage> listUploads(UploadQuery query) {
        return database.read(session -> Listings.uploads(session, query));
    }

    @Override
    public Intent openIntent(String gateway, Instant openedAt, Instant lastStampAt, Instant expiresAt) {
        return write(tx -> Intents.open(tx, gateway, openedAt, lastStampAt, expiresAt));
    }

    @Override
    public List<Long> renewIntents(Collection<Long> ids, Instant expiresAt) {
        return write(tx -> Intents.renew(tx, ids, expiresAt));
    }

    @Override
    public void closeIntents(Collection<Long> ids) {
        write(tx -> {
            Intents.close(tx, ids);
            return true;
        });
    }

    @Override
    public List<Intent> takeExpiredIntents(Instant now, int limit) {
        return write(tx -> Intents.takeExpired(tx, now, limit));
    }

    @Override
    public List<Intent> standingIntents() {
        return database.read(Intents::standing);
    }

    @Override
    public List<BlobId> unknownBlobs(String account, List<BlobId> blobs) {
        return database.read(session -> Blobs.unknown(session, account, blobs));
    }

    @Override
    public void discard(List<Garbage> blobs) {
        write(tx -> {
            Blobs.discard(tx, blobs);
            return true;
        });
    }

    @Override
    public List<Garbage> dueGarbage(String account, Instant queuedBefore, int limit) {
        long before = queuedBefore.toEpochMilli();
        while (true) {
            List<Garbage> due = database.read(session -> Blobs.due(session, account, before, limit));
            boolean more = due.size() < limit && database.read(session -> Manifests.orphanDue(session, before));
            if (!more || !write(tx -> Manifests.breakUpOne(tx, before, SLICES_A_STEP))) {
                return due;
            }
        }
    }

    @Override
    public void garbageDeleted(String account, List<BlobId> blobs) {
        write(tx -> {
            Blobs.forget(tx, account, blobs);
            return true;
        });
    }

    @Override
    public Map<String, AccountUsage> accountUsage() {
        return database.read(Blobs::usage);
    }

    @Override
    public LiveBlobs liveBlobs(String account, @Nullable BlobId after, int limit) {
        return database.read(session -> Blobs.live(session, account, after, limit));
    }

    @Override
    public List<BlobMove> beginMoves(List<BlobMove> moves, Instant now) {
        return write(tx -> Copies.begin(tx, moves, now));
    }

    @Override
    public List<BlobMove> finishMoves(List<BlobMove> moves, Instant now) {
        return write(tx -> Copies.finish(tx, moves, now));
    }

    @Override
    public void abandonMoves(List<BlobMove> moves, Instant now) {
        write(tx -> {
            Copies.abandon(tx, moves, now);
            return true;
        });
    }

    @Override
    public List<BlobMove> movesUnderWay(int limit) {
        return database.read(session -> Copies.underWay(session, limit));
    }

    @Override
    public boolean lease(String name, String holder, Instant now, Instant until) {
        return write(tx -> Leases.take(tx.session(), name, holder, now, until));
    }

    @Override
    public Instant oldestRead(String gateway, Instant oldest, Instant now, Instant silentSince) {
        return write(tx -> OldestReads.exchange(tx.session(), gateway, oldest, now, silentSince));
    }

    @Override
    public List<AccountShare> shareAccounts(String gateway, List<AccountUse> uses, Duration lasting) {
        return write(tx -> AccountShares.share(tx, gateway, uses, lasting));
    }

    @Override
    public Map<String, AccountMode> accountModes() {
        return database.read(AccountModes::all);
    }

    @Override
    public void setDraining(String account, boolean draining) {
        write(tx -> {
            AccountModes.setDraining(tx.session(), account, draining);
            return true;
        });
    }

    @Override
    public void setReadOnly(String account, boolean readOnly) {
        write(tx -> {
            AccountModes.setReadOnly(tx.session(), account, readOnly);
            return true;
        });
    }

    @Override
    public Rebalance rebalance() {
        return database.read(AccountModes::rebalance);
    }

    @Override
    public void setRebalancing(boolean running) {
        write(tx -> {
            AccountModes.setRebalancing(tx.session(), running);
            return true;
        });
    }

    @Override
    public List<AddedAccount> addedAccounts() {
        return database.read(AddedAccounts::all);
    }

    @Override
    public boolean addAccount(String name, String definition, Instant now) {
        return write(tx -> AddedAccounts.add(tx.session(), name, definition, now));
    }

    @Override
    public AccountRemoval removeAccount(String name, boolean forgetGarbage, Instant now) {
        return write(tx -> AddedAccounts.remove(tx, name, forgetGarbage, now));
    }

    @Override
    public List<BucketName> bucketNames(String after, int limit) {
        return database.read(
                session -> session.all(BUCKET_NAMES, row -> new BucketName(row.getString(1)), after, limit));
    }

    @Override
    public List<Garbage> garbage(String account, @Nullable Garbage after, int limit) {
        return database.read(session -> Blobs.garbage(session, account, after, limit));
    }

    @Override
    public long audit(Consumer<Discrepancy> found) {
        return database.readAll(session -> Audit.run(session, found));
    }

    @Override
    public boolean correct(long audit, List<Discrepancy.Correctable> wrong, Instant now) {
        return write(tx -> Audit.correct(tx, audit, wrong, now));
    }

    @Override
    public void holders(Collection<BlobId> blobs, Consumer<Holder> found) {
        database.readAll(session -> {
            Holders.find(session, blobs, found);
            return true;
        });
    }

    @Override
    public void backup(Instant now, OutputStream out) throws IOException {
        try {
            database.readAll(session -> {
                Backups.write(session, id, now, out);
                return true;
            });
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    /**
     * Makes the empty namespace in a database the one of a backup; its tables are made first if there are none. If this fails, nothing else
     * has changed.
     *
     * @throws NamespaceException if the backup is not whole, the namespace not empty, or gateways are connected to it
     */
    public static Backup.Header restore(PostgresOptions options, InstantSource clock, InputStream backup)
            throws IOException {
        BackupReader reader = new BackupReader(backup);
        try (Database database = new Database(named(options, "headgate-restore"), clock)) {
            database.checkServer();
            database.pool().migrate();
            return database.writeAll(session -> {
                try {
                    return Backups.read(session, reader);
                } catch (IOException failed) {
                    throw new UncheckedIOException(failed);
                }
            });
        } catch (UncheckedIOException failed) {
            throw failed.getCause();
        }
    }

    private static PostgresOptions named(PostgresOptions options, String application) {
        Map<String, String> parameters = new HashMap<>(options.parameters());
        parameters.put("ApplicationName", application);
        return options.withParameters(parameters);
    }

    /**
     * How many connections gateways have to the database.
     *
     * @throws NamespaceException if it cannot be reached
     */
    public static long gateways(PostgresOptions options, InstantSource clock) {
        try (Database database = new Database(named(options, "headgate-copy"), clock)) {
            return database.read(Backups::others);
        }
    }

    @Override
    public int forgetCompletedUploads(Instant completedBefore, int limit) {
        return write(tx -> Uploads.forgetCompleted(tx.session(), completedBefore, limit));
    }

    @Override
    public void ping() {
        write(tx -> tx.session().update(PING, slot));
    }

    /** Commits what is under way, then closes the connections. Later calls fail. */
    @Override
    public void close() {
        lane.close();
        database.close();
    }
}
