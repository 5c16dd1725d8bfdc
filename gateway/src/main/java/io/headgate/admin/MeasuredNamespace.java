package io.headgate.admin;

import io.headgate.admin.NamespaceMetrics.Call;
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
import java.io.IOException;
import java.io.OutputStream;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A namespace that measures how long another one takes. */
final class MeasuredNamespace implements Namespace {
    private final Namespace namespace;
    private final NamespaceMetrics metrics;

    MeasuredNamespace(Namespace namespace, NamespaceMetrics metrics) {
        this.namespace = namespace;
        this.metrics = metrics;
    }

    @Override
    public String id() {
        return namespace.id();
    }

    @Override
    public BucketClaim createBucket(Bucket bucket) {
        return measured(Call.CREATE_BUCKET, () -> namespace.createBucket(bucket));
    }

    @Override
    public BucketClaim createHashedBucket(Bucket bucket, int hashedRanges) {
        return measured(Call.CREATE_BUCKET, () -> namespace.createHashedBucket(bucket, hashedRanges));
    }

    @Override
    public Outcome<Bucket> changeBucket(BucketName name, BucketSetting setting, Optional<String> document) {
        return measured(Call.CHANGE_BUCKET, () -> namespace.changeBucket(name, setting, document));
    }

    @Override
    public Optional<Bucket> bucket(BucketName name) {
        return measured(Call.BUCKET, () -> namespace.bucket(name));
    }

    @Override
    public Outcome<Bucket> deleteBucket(BucketName name, Instant now) {
        return measured(Call.DELETE_BUCKET, () -> namespace.deleteBucket(name, now));
    }

    @Override
    public List<Bucket> listBuckets(BucketQuery query) {
        return measured(Call.LIST_BUCKETS, () -> namespace.listBuckets(query));
    }

    @Override
    public Outcome<BucketUsage> bucketUsage(BucketName name) {
        return measured(Call.BUCKET_USAGE, () -> namespace.bucketUsage(name));
    }

    @Override
    public Outcome<ObjectVersion> putObject(PutObject command) {
        return measured(Call.PUT_OBJECT, () -> namespace.putObject(command));
    }

    /** Not measured: the engine knows without a call. */
    @Override
    public OptionalInt blobSlot(BucketName bucket, ObjectKey key) {
        return namespace.blobSlot(bucket, key);
    }

    @Override
    public OptionalInt blobSlot(String uploadId) {
        return namespace.blobSlot(uploadId);
    }

    @Override
    public Outcome<ObjectVersion> currentVersion(BucketName bucket, ObjectKey key) {
        return measured(Call.CURRENT_VERSION, () -> namespace.currentVersion(bucket, key));
    }

    @Override
    public List<Outcome<Boolean>> deleteObjects(BucketName bucket, List<DeleteObject> commands, Instant now) {
        return measured(Call.DELETE_OBJECTS, () -> namespace.deleteObjects(bucket, commands, now));
    }

    @Override
    public Outcome<ObjectVersion> copyObject(CopyObject command) {
        return measured(Call.COPY_OBJECT, () -> namespace.copyObject(command));
    }

    @Override
    public Outcome<ObjectPage> listObjects(ObjectQuery query) {
        return measured(Call.LIST_OBJECTS, () -> namespace.listObjects(query));
    }

    @Override
    public List<ManifestSlice> slices(Manifest.Stored manifest, long fromOffsetBytes, int limit) {
        return measured(Call.SLICES, () -> namespace.slices(manifest, fromOffsetBytes, limit));
    }

    @Override
    public List<ManifestPart> parts(Manifest.Stored manifest, int afterNumber, int limit) {
        return measured(Call.PARTS, () -> namespace.parts(manifest, afterNumber, limit));
    }

    @Override
    public Outcome<Upload> createUpload(Upload upload) {
        return measured(Call.CREATE_UPLOAD, () -> namespace.createUpload(upload));
    }

    @Override
    public Outcome<Upload> upload(BucketName bucket, ObjectKey key, String uploadId) {
        return measured(Call.UPLOAD, () -> namespace.upload(bucket, key, uploadId));
    }

    @Override
    public Outcome<Part> putPart(PutPart command) {
        return measured(Call.PUT_PART, () -> namespace.putPart(command));
    }

    @Override
    public Outcome<Part> copyPart(CopyPart command) {
        return measured(Call.COPY_PART, () -> namespace.copyPart(command));
    }

    @Override
    public Outcome<ObjectVersion> completeUpload(CompleteUpload command) {
        return measured(Call.COMPLETE_UPLOAD, () -> namespace.completeUpload(command));
    }

    @Override
    public Outcome<Upload> abortUpload(BucketName bucket, ObjectKey key, String uploadId, Instant now) {
        return measured(Call.ABORT_UPLOAD, () -> namespace.abortUpload(bucket, key, uploadId, now));
    }

    @Override
    public Outcome<PartsPage> listParts(BucketName bucket, ObjectKey key, String uploadId, int afterNumber, int limit) {
        return measured(Call.LIST_PARTS, () -> namespace.listParts(bucket, key, uploadId, afterNumber, limit));
    }

    @Override
    public Outcome<UploadPage> listUploads(UploadQuery query) {
        return measured(Call.LIST_UPLOADS, () -> namespace.listUploads(query));
    }

    @Override
    public Intent openIntent(String gateway, Instant openedAt, Instant lastStampAt, Instant expiresAt) {
        return measured(Call.OPEN_INTENT, () -> namespace.openIntent(gateway, openedAt, lastStampAt, expiresAt));
    }

    @Override
    public List<Long> renewIntents(Collection<Long> ids, Instant expiresAt) {
        return measured(Call.RENEW_INTENTS, () -> namespace.renewIntents(ids, expiresAt));
    }

    @Override
    public void closeIntents(Collection<Long> ids) {
        measuredRun(Call.CLOSE_INTENTS, () -> namespace.closeIntents(ids));
    }

    @Override
    public List<Intent> takeExpiredIntents(Instant now, int limit) {
        return measured(Call.TAKE_EXPIRED_INTENTS, () -> namespace.takeExpiredIntents(now, limit));
    }

    @Override
    public List<Intent> standingIntents() {
        return measured(Call.STANDING_INTENTS, () -> namespace.standingIntents());
    }

    @Override
    public List<BlobId> unknownBlobs(String account, List<BlobId> blobs) {
        return measured(Call.UNKNOWN_BLOBS, () -> namespace.unknownBlobs(account, blobs));
    }

    @Override
    public void discard(List<Garbage> blobs) {
        measuredRun(Call.DISCARD, () -> namespace.discard(blobs));
    }

    @Override
    public List<Garbage> dueGarbage(String account, Instant queuedBefore, int limit) {
        return measured(Call.DUE_GARBAGE, () -> namespace.dueGarbage(account, queuedBefore, limit));
    }

    @Override
    public void garbageDeleted(String account, List<BlobId> blobs) {
        measuredRun(Call.GARBAGE_DELETED, () -> namespace.garbageDeleted(account, blobs));
    }

    @Override
    public Map<String, AccountUsage> accountUsage() {
        return measured(Call.ACCOUNT_USAGE, () -> namespace.accountUsage());
    }

    @Override
    public LiveBlobs liveBlobs(String account, @Nullable BlobId after, int limit) {
        return measured(Call.LIVE_BLOBS, () -> namespace.liveBlobs(account, after, limit));
    }

    @Override
    public List<BlobMove> beginMoves(List<BlobMove> moves, Instant now) {
        return measured(Call.BEGIN_MOVES, () -> namespace.beginMoves(moves, now));
    }

    @Override
    public List<BlobMove> finishMoves(List<BlobMove> moves, Instant now) {
        return measured(Call.FINISH_MOVES, () -> namespace.finishMoves(moves, now));
    }

    @Override
    public void abandonMoves(List<BlobMove> moves, Instant now) {
        measuredRun(Call.ABANDON_MOVES, () -> namespace.abandonMoves(moves, now));
    }

    @Override
    public List<BlobMove> movesUnderWay(int limit) {
        return measured(Call.MOVES_UNDER_WAY, () -> namespace.movesUnderWay(limit));
    }

    @Override
    public boolean lease(String name, String holder, Instant now, Instant until) {
        return measured(Call.LEASE, () -> namespace.lease(name, holder, now, until));
    }

    @Override
    public Optional<Duration> upkeep(String holder, Instant now) {
        return measured(Call.UPKEEP, () -> namespace.upkeep(holder, now));
    }

    @Override
    public Optional<List<BucketRange>> bucketRanges(BucketName bucket) {
        return measured(Call.BUCKET_RANGES, () -> namespace.bucketRanges(bucket));
    }

    @Override
    public Instant oldestRead(String gateway, Instant oldest, Instant now, Instant silentSince) {
        return measured(Call.OLDEST_READ, () -> namespace.oldestRead(gateway, oldest, now, silentSince));
    }

    @Override
    public List<AccountShare> shareAccounts(String gateway, List<AccountUse> uses, Duration lasting) {
        return measured(Call.SHARE_ACCOUNTS, () -> namespace.shareAccounts(gateway, uses, lasting));
    }

    @Override
    public Map<String, AccountMode> accountModes() {
        return measured(Call.ACCOUNT_MODES, () -> namespace.accountModes());
    }

    @Override
    public void setDraining(String account, boolean draining) {
        measuredRun(Call.SET_DRAINING, () -> namespace.setDraining(account, draining));
    }

    @Override
    public void setReadOnly(String account, boolean readOnly) {
        measuredRun(Call.SET_READ_ONLY, () -> namespace.setReadOnly(account, readOnly));
    }

    @Override
    public Rebalance rebalance() {
        return measured(Call.REBALANCE, () -> namespace.rebalance());
    }

    @Override
    public void setRebalancing(boolean running) {
        measuredRun(Call.SET_REBALANCING, () -> namespace.setRebalancing(running));
    }

    @Override
    public List<AddedAccount> addedAccounts() {
        return measured(Call.ADDED_ACCOUNTS, () -> namespace.addedAccounts());
    }

    @Override
    public boolean addAccount(String name, String definition, Instant now) {
        return measured(Call.ADD_ACCOUNT, () -> namespace.addAccount(name, definition, now));
    }

    @Override
    public AccountRemoval removeAccount(String name, boolean forgetGarbage, Instant now) {
        return measured(Call.REMOVE_ACCOUNT, () -> namespace.removeAccount(name, forgetGarbage, now));
    }

    @Override
    public List<BucketName> bucketNames(String after, int limit) {
        return measured(Call.BUCKET_NAMES, () -> namespace.bucketNames(after, limit));
    }

    @Override
    public List<Garbage> garbage(String account, @Nullable Garbage after, int limit) {
        return measured(Call.GARBAGE, () -> namespace.garbage(account, after, limit));
    }

    @Override
    public long audit(Consumer<Discrepancy> found) {
        return measured(Call.AUDIT, () -> namespace.audit(found));
    }

    @Override
    public boolean correct(long audit, List<Discrepancy.Correctable> wrong, Instant now) {
        return measured(Call.CORRECT, () -> namespace.correct(audit, wrong, now));
    }

    @Override
    public void holders(Collection<BlobId> blobs, Consumer<Holder> found) {
        measuredRun(Call.HOLDERS, () -> namespace.holders(blobs, found));
    }

    @Override
    public void backup(Instant now, OutputStream out) throws IOException {
        long started = System.nanoTime();
        try {
            namespace.backup(now, out);
            metrics.answered(Call.BACKUP, started);
        } catch (NamespaceException unanswered) {
            metrics.failed(Call.BACKUP);
            throw unanswered;
        }
    }

    @Override
    public int forgetCompletedUploads(Instant completedBefore, int limit) {
        return measured(Call.FORGET_COMPLETED_UPLOADS, () -> namespace.forgetCompletedUploads(completedBefore, limit));
    }

    @Override
    public void ping() {
        measuredRun(Call.PING, () -> namespace.ping());
    }

    @Override
    public void close() {
        namespace.close();
    }

    private <T> T measured(Call call, Supplier<T> question) {
        long started = System.nanoTime();
        try {
            T answer = question.get();
            metrics.answered(call, started);
            return answer;
        } catch (NamespaceException unanswered) {
            metrics.failed(call);
            throw unanswered;
        }
    }

    private void measuredRun(Call call, Runnable command) {
        long started = System.nanoTime();
        try {
            command.run();
            metrics.answered(call, started);
        } catch (NamespaceException unanswered) {
            metrics.failed(call);
            throw unanswered;
        }
    }
}
