package io.headgate.namespace.cache;

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
import io.headgate.namespace.BucketRange;
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
import io.headgate.namespace.Namespace;
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
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongFunction;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * A namespace whose look-ups are answered from Redis where that is right, and which tells Redis of each change. Reads see every write that
 * was acknowledged through any gateway, whatever Redis does; what it does only decides how long they take.
 */
public final class CachedNamespace implements Namespace {
    private final Namespace namespace;
    private final CacheRegister register;
    private final CacheSettings settings;
    private final CacheStatistics statistics = new CacheStatistics();
    private final CacheKeys keys;
    private final RedisLink link;
    private final CacheLease lease;
    private final CachedReads reads;
    private final CachedWrites writes;

    private CachedNamespace(
            Namespace namespace,
            CacheRegister register,
            @Nullable RedisAddress redis,
            CacheSettings settings,
            RandomGenerator random,
            InstantSource clock) {
        this.namespace = namespace;
        this.register = register;
        this.settings = settings;
        this.keys = new CacheKeys(namespace.id());
        this.link = new RedisLink(redis, settings, statistics, System::nanoTime);
        this.lease = new CacheLease(register, link, settings, statistics, System::nanoTime, clock);
        this.writes = new CachedWrites(lease, link, settings, statistics, random);
        this.reads = new CachedReads(namespace, keys, lease, link, statistics, random);
    }

    /**
     * Puts the cache before a namespace; both are closed with it. Redis need not be there: as soon as it is, it is used.
     *
     * @param redis null if this gateway is to have no cache. It takes part nevertheless: while it runs no other has one, as its writes
     *     would not be told
     * @param random for tokens that no two writes share
     * @param clock of this machine, as it must not seem to stand while the machine does
     * @throws io.headgate.namespace.NamespaceException if the register does not answer
     */
    public static CachedNamespace open(
            Namespace namespace,
            CacheRegister register,
            @Nullable RedisAddress redis,
            CacheSettings settings,
            RandomGenerator random,
            InstantSource clock) {
        CachedNamespace cached = new CachedNamespace(namespace, register, redis, settings, random, clock);
        try {
            cached.lease.start();
            cached.link.start();
            return cached;
        } catch (RuntimeException failed) {
            cached.close();
            throw failed;
        }
    }

    public CacheStatistics statistics() {
        return statistics;
    }

    @Override
    public String id() {
        return namespace.id();
    }

    @Override
    public BucketClaim createBucket(Bucket bucket) {
        return writes.run(bucketEntry(bucket.name()), () -> namespace.createBucket(bucket));
    }

    @Override
    public BucketClaim createHashedBucket(Bucket bucket, int hashedRanges) {
        return writes.run(bucketEntry(bucket.name()), () -> namespace.createHashedBucket(bucket, hashedRanges));
    }

    @Override
    public Outcome<Bucket> changeBucket(BucketName name, BucketSetting setting, Optional<String> document) {
        return writes.run(bucketEntry(name), () -> namespace.changeBucket(name, setting, document));
    }

    @Override
    public Optional<Bucket> bucket(BucketName name) {
        return reads.bucket(name);
    }

    @Override
    public Outcome<Bucket> deleteBucket(BucketName name, Instant now) {
        return writes.run(bucketEntry(name), () -> namespace.deleteBucket(name, now));
    }

    @Override
    public List<Bucket> listBuckets(BucketQuery query) {
        return namespace.listBuckets(query);
    }

    @Override
    public Outcome<BucketUsage> bucketUsage(BucketName name) {
        return namespace.bucketUsage(name);
    }

    @Override
    public Outcome<ObjectVersion> putObject(PutObject command) {
        return writes.run(objectEntry(command.bucket(), command.key()), () -> namespace.putObject(command));
    }

    @Override
    public Outcome<ObjectVersion> currentVersion(BucketName bucket, ObjectKey key) {
        return reads.currentVersion(bucket, key);
    }

    @Override
    public List<Outcome<Boolean>> deleteObjects(BucketName bucket, List<DeleteObject> commands, Instant now) {
        return writes.run(
                generation -> commands.stream()
                        .map(command -> keys.object(generation, bucket, command.key()))
                        .toList(),
                () -> namespace.deleteObjects(bucket, commands, now));
    }

    @Override
    public Outcome<ObjectVersion> copyObject(CopyObject command) {
        return writes.run(objectEntry(command.bucket(), command.key()), () -> namespace.copyObject(command));
    }

    @Override
    public Outcome<ObjectPage> listObjects(ObjectQuery query) {
        return namespace.listObjects(query);
    }

    @Override
    public List<ManifestSlice> slices(Manifest.Stored manifest, long fromOffsetBytes, int limit) {
        return namespace.slices(manifest, fromOffsetBytes, limit);
    }

    @Override
    public List<ManifestPart> parts(Manifest.Stored manifest, int afterNumber, int limit) {
        return namespace.parts(manifest, afterNumber, limit);
    }

    @Override
    public Outcome<Upload> createUpload(Upload upload) {
        return namespace.createUpload(upload);
    }

    @Override
    public Outcome<Upload> upload(BucketName bucket, ObjectKey key, String uploadId) {
        return namespace.upload(bucket, key, uploadId);
    }

    @Override
    public Outcome<Part> putPart(PutPart command) {
        return namespace.putPart(command);
    }

    @Override
    public Outcome<Part> copyPart(CopyPart command) {
        return namespace.copyPart(command);
    }

    @Override
    public Outcome<ObjectVersion> completeUpload(CompleteUpload command) {
        return writes.run(objectEntry(command.bucket(), command.key()), () -> namespace.completeUpload(command));
    }

    @Override
    public Outcome<Upload> abortUpload(BucketName bucket, ObjectKey key, String uploadId, Instant now) {
        return namespace.abortUpload(bucket, key, uploadId, now);
    }

    @Override
    public Outcome<PartsPage> listParts(BucketName bucket, ObjectKey key, String uploadId, int afterNumber, int limit) {
        return namespace.listParts(bucket, key, uploadId, afterNumber, limit);
    }

    @Override
    public Outcome<UploadPage> listUploads(UploadQuery query) {
        return namespace.listUploads(query);
    }

    @Override
    public Intent openIntent(String gateway, Instant openedAt, Instant lastStampAt, Instant expiresAt) {
        return namespace.openIntent(gateway, openedAt, lastStampAt, expiresAt);
    }

    @Override
    public List<Long> renewIntents(Collection<Long> ids, Instant expiresAt) {
        return namespace.renewIntents(ids, expiresAt);
    }

    @Override
    public void closeIntents(Collection<Long> ids) {
        namespace.closeIntents(ids);
    }

    @Override
    public List<Intent> takeExpiredIntents(Instant now, int limit) {
        return namespace.takeExpiredIntents(now, limit);
    }

    @Override
    public List<Intent> standingIntents() {
        return namespace.standingIntents();
    }

    @Override
    public List<BlobId> unknownBlobs(String account, List<BlobId> blobs) {
        return namespace.unknownBlobs(account, blobs);
    }

    @Override
    public void discard(List<Garbage> blobs) {
        namespace.discard(blobs);
    }

    @Override
    public List<Garbage> dueGarbage(String account, Instant queuedBefore, int limit) {
        return namespace.dueGarbage(account, queuedBefore, limit);
    }

    @Override
    public void garbageDeleted(String account, List<BlobId> blobs) {
        namespace.garbageDeleted(account, blobs);
    }

    @Override
    public Map<String, AccountUsage> accountUsage() {
        return namespace.accountUsage();
    }

    @Override
    public LiveBlobs liveBlobs(String account, @Nullable BlobId after, int limit) {
        return namespace.liveBlobs(account, after, limit);
    }

    @Override
    public List<BlobMove> beginMoves(List<BlobMove> moves, Instant now) {
        return namespace.beginMoves(moves, now);
    }

    @Override
    public List<BlobMove> finishMoves(List<BlobMove> moves, Instant now) {
        return writes.run(
                generation -> moved(generation, moves),
                () -> namespace.finishMoves(moves, now),
                finished -> locations(moves, finished));
    }

    @Override
    public void abandonMoves(List<BlobMove> moves, Instant now) {
        namespace.abandonMoves(moves, now);
    }

    @Override
    public List<BlobMove> movesUnderWay(int limit) {
        return namespace.movesUnderWay(limit);
    }

    @Override
    public boolean lease(String name, String holder, Instant now, Instant until) {
        return namespace.lease(name, holder, now, until);
    }

    @Override
    public Optional<List<BucketRange>> bucketRanges(BucketName bucket) {
        return namespace.bucketRanges(bucket);
    }

    @Override
    public Optional<Duration> upkeep(String holder, Instant now) {
        return namespace.upkeep(holder, now);
    }

    @Override
    public Instant oldestRead(String gateway, Instant oldest, Instant now, Instant silentSince) {
        return namespace.oldestRead(gateway, oldest, now, silentSince);
    }

    @Override
    public Map<String, AccountMode> accountModes() {
        return namespace.accountModes();
    }

    @Override
    public void setDraining(String account, boolean draining) {
        namespace.setDraining(account, draining);
    }

    @Override
    public void setReadOnly(String account, boolean readOnly) {
        namespace.setReadOnly(account, readOnly);
    }

    @Override
    public List<AccountShare> shareAccounts(String gateway, List<AccountUse> uses, Duration lasting) {
        return namespace.shareAccounts(gateway, uses, lasting);
    }

    @Override
    public Rebalance rebalance() {
        return namespace.rebalance();
    }

    @Override
    public void setRebalancing(boolean running) {
        namespace.setRebalancing(running);
    }

    @Override
    public List<AddedAccount> addedAccounts() {
        return namespace.addedAccounts();
    }

    @Override
    public boolean addAccount(String name, String definition, Instant now) {
        return namespace.addAccount(name, definition, now);
    }

    @Override
    public AccountRemoval removeAccount(String name, boolean forgetGarbage, Instant now) {
        return namespace.removeAccount(name, forgetGarbage, now);
    }

    @Override
    public List<BucketName> bucketNames(String after, int limit) {
        return namespace.bucketNames(after, limit);
    }

    @Override
    public List<Garbage> garbage(String account, @Nullable Garbage after, int limit) {
        return namespace.garbage(account, after, limit);
    }

    @Override
    public long audit(Consumer<Discrepancy> found) {
        return namespace.audit(found);
    }

    /** Counts and references only: no look-up shows them. */
    @Override
    public boolean correct(long audit, List<Discrepancy.Correctable> wrong, Instant now) {
        return namespace.correct(audit, wrong, now);
    }

    @Override
    public void holders(Collection<BlobId> blobs, Consumer<Holder> found) {
        namespace.holders(blobs, found);
    }

    @Override
    public void backup(Instant now, OutputStream out) throws IOException {
        namespace.backup(now, out);
    }

    @Override
    public int forgetCompletedUploads(Instant completedBefore, int limit) {
        return namespace.forgetCompletedUploads(completedBefore, limit);
    }

    @Override
    public void ping() {
        namespace.ping();
    }

    @Override
    public void close() {
        lease.close();
        link.close();
        register.close();
        namespace.close();
    }

    private LongFunction<List<byte[]>> bucketEntry(BucketName name) {
        return generation -> List.of(keys.bucket(generation, name));
    }

    private LongFunction<List<byte[]>> objectEntry(BucketName bucket, ObjectKey key) {
        return generation -> List.of(keys.object(generation, bucket, key));
    }

    private List<byte[]> moved(long generation, List<BlobMove> moves) {
        List<byte[]> named = new ArrayList<>(moves.size() + 1);
        named.add(keys.moves(generation));
        moves.forEach(move -> named.add(keys.blob(generation, move.blob())));
        return named;
    }

    /**
     * Entries of versions name the account where the blob was then, and cannot be found by the blob. So what has moved is left beside
     * them for as long as they may live.
     */
    private CachedWrites.Left locations(List<BlobMove> moves, List<BlobMove> finished) {
        Map<BlobId, String> accounts = new HashMap<>();
        finished.forEach(move -> accounts.put(move.blob(), move.to()));
        List<byte[]> entries = new ArrayList<>(moves.size() + 1);
        entries.add(Entry.account("any"));
        for (BlobMove move : moves) {
            String account = accounts.get(move.blob());
            entries.add(account == null ? Entry.unknown() : Entry.account(account));
        }
        return new CachedWrites.Left(
                entries, settings.lifetime().multipliedBy(2).plus(settings.longestWrite()));
    }
}
