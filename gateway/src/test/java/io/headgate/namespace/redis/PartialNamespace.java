package io.headgate.namespace.redis;

import io.headgate.domain.*;
import io.headgate.namespace.*;
import java.io.*;
import java.time.*;
import java.util.*;
import java.util.function.Consumer;

/** What is built of the engine so far. */
final class PartialNamespace implements Namespace {
    private final Cluster cluster;
    private final Buckets buckets;
    private final Blobs blobs;
    private final Intents intents;
    private final Objects objects;
    private final Listings listings;

    PartialNamespace(RedisOptions options, InstantSource clock) {
        cluster = new Cluster(options);
        SlotsInUse slots = new SlotsInUse(cluster);
        AccountNumbers accounts = new AccountNumbers(cluster);
        Random random = new Random();
        buckets = new Buckets(cluster, slots, random, clock);
        blobs = new Blobs(cluster, accounts, slots, clock);
        intents = new Intents(cluster);
        objects = new Objects(cluster, buckets, blobs, intents, accounts, random);
        listings = new Listings(cluster, buckets);
    }
    private static UnsupportedOperationException not() { return new UnsupportedOperationException("not built"); }
    @Override public String id() { return "x"; }
    @Override public BucketClaim createBucket(Bucket bucket) { return buckets.create(bucket); }
    @Override public Optional<Bucket> bucket(BucketName name) { return buckets.find(name); }
    @Override public Outcome<Bucket> deleteBucket(BucketName name, Instant now) { return buckets.delete(name); }
    @Override public List<Bucket> listBuckets(BucketQuery query) { return buckets.list(query); }
    @Override public Outcome<BucketUsage> bucketUsage(BucketName name) { return buckets.usage(name); }
    @Override public Outcome<ObjectVersion> putObject(PutObject command) { return objects.put(command); }
    @Override public Outcome<ObjectVersion> currentVersion(BucketName bucket, ObjectKey key) { return objects.current(bucket, key); }
    @Override public List<Outcome<Boolean>> deleteObjects(BucketName bucket, List<DeleteObject> commands, Instant now) { return objects.delete(bucket, commands, now); }
    @Override public Outcome<ObjectVersion> copyObject(CopyObject command) { return objects.copy(command); }
    @Override public Outcome<ObjectPage> listObjects(ObjectQuery query) { return listings.list(query); }
    @Override public List<ManifestSlice> slices(Manifest.Stored manifest, long fromOffsetBytes, int limit) { throw not(); }
    @Override public List<ManifestPart> parts(Manifest.Stored manifest, int afterNumber, int limit) { throw not(); }
    @Override public Outcome<Upload> createUpload(Upload upload) { throw not(); }
    @Override public Outcome<Upload> upload(BucketName bucket, ObjectKey key, String uploadId) { throw not(); }
    @Override public Outcome<Part> putPart(PutPart command) { throw not(); }
    @Override public Outcome<Part> copyPart(CopyPart command) { throw not(); }
    @Override public Outcome<ObjectVersion> completeUpload(CompleteUpload command) { throw not(); }
    @Override public Outcome<Upload> abortUpload(BucketName bucket, ObjectKey key, String uploadId, Instant now) { throw not(); }
    @Override public Outcome<PartsPage> listParts(BucketName bucket, ObjectKey key, String uploadId, int afterNumber, int limit) { throw not(); }
    @Override public Outcome<UploadPage> listUploads(UploadQuery query) { throw not(); }
    @Override public Intent openIntent(String gateway, Instant openedAt, Instant lastStampAt, Instant expiresAt) { return intents.open(gateway, openedAt, lastStampAt, expiresAt); }
    @Override public List<Long> renewIntents(Collection<Long> ids, Instant expiresAt) { return intents.renew(ids, expiresAt); }
    @Override public void closeIntents(Collection<Long> ids) { intents.close(ids); }
    @Override public List<Intent> takeExpiredIntents(Instant now, int limit) { return intents.takeExpired(now, limit); }
    @Override public List<Intent> standingIntents() { return intents.standing(); }
    @Override public List<BlobId> unknownBlobs(String account, List<BlobId> blobs) { return this.blobs.unknown(account, blobs); }
    @Override public void discard(List<Garbage> blobs) { this.blobs.discard(blobs); }
    @Override public List<Garbage> dueGarbage(String account, Instant queuedBefore, int limit) { return blobs.garbage(account, Optional.empty(), queuedBefore, limit); }
    @Override public void garbageDeleted(String account, List<BlobId> blobs) { this.blobs.forget(account, blobs); }
    @Override public Map<String, AccountUsage> accountUsage() { return blobs.usage(); }
    @Override public LiveBlobs liveBlobs(String account, BlobId after, int limit) { throw not(); }
    @Override public List<BlobMove> beginMoves(List<BlobMove> moves, Instant now) { throw not(); }
    @Override public List<BlobMove> finishMoves(List<BlobMove> moves, Instant now) { throw not(); }
    @Override public void abandonMoves(List<BlobMove> moves, Instant now) { throw not(); }
    @Override public List<BlobMove> movesUnderWay(int limit) { throw not(); }
    @Override public boolean lease(String name, String holder, Instant now, Instant until) { throw not(); }
    @Override public Instant oldestRead(String gateway, Instant oldest, Instant now, Instant silentSince) { throw not(); }
    @Override public List<AccountShare> shareAccounts(String gateway, List<AccountUse> uses, Duration lasting) { throw not(); }
    @Override public Map<String, AccountMode> accountModes() { throw not(); }
    @Override public void setDraining(String account, boolean draining) { throw not(); }
    @Override public void setReadOnly(String account, boolean readOnly) { throw not(); }
    @Override public Rebalance rebalance() { throw not(); }
    @Override public void setRebalancing(boolean running) { throw not(); }
    @Override public List<AddedAccount> addedAccounts() { throw not(); }
    @Override public boolean addAccount(String name, String definition, Instant now) { throw not(); }
    @Override public AccountRemoval removeAccount(String name, Instant now) { throw not(); }
    @Override public List<BucketName> bucketNames(String after, int limit) { return buckets.names(after, limit); }
    @Override public List<Garbage> garbage(String account, Garbage after, int limit) { throw not(); }
    @Override public long audit(Consumer<Discrepancy> found) { throw not(); }
    @Override public boolean correct(long audit, List<Discrepancy.Correctable> wrong, Instant now) { throw not(); }
    @Override public void holders(Collection<BlobId> blobs, Consumer<Holder> found) { throw not(); }
    @Override public void backup(Instant now, OutputStream out) { throw not(); }
    @Override public int forgetCompletedUploads(Instant completedBefore, int limit) { throw not(); }
    @Override public void ping() { }
    @Override public void close() { cluster.close(); }
}
