package io.headgate.namespace;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The metadata of a region: it alone says what exists. One method is one atomic S3 operation: it reads, decides by the rules of S3
 * and changes everything or nothing; when it returns, the change is durable and every later call, by anyone, sees it.
 *
 * <p>Blobs are counted: the step that removes the last reference to a blob queues it as garbage. A blob that is named by a refused
 * write is queued in the same step as well, so after a normal return the namespace owns the blob; after an exception the write's
 * intent is left to expire, and the sweep finds what was abandoned.
 *
 * <p>All methods block, are thread-safe, and throw {@link NamespaceException} when the engine cannot answer. Every command may be
 * sent again after that and takes effect once.
 */
public interface Namespace extends AutoCloseable {

    /**
     * Which namespace this is: made at random with it and kept by it, the same for all its gateways. Accounts are marked with it, as only
     * the namespace that owns an account may say which of its blobs are orphans. Up to 64 printable ASCII characters, no spaces.
     */
    String id();

    // Buckets

    /**
     * Makes a bucket. Bucket names are unique over all owners: if the name is taken, nothing changes and the bucket that has it is
     * returned, else the new one.
     */
    BucketClaim createBucket(Bucket bucket);

    Optional<Bucket> bucket(BucketName name);

    /** Removes an empty bucket: BUCKET_NOT_EMPTY if it holds an object. Uploads in progress are aborted with it. */
    Outcome<Bucket> deleteBucket(BucketName name, Instant now);

    /** At most {@code query.limit()} buckets; one more page follows if so many came. */
    List<Bucket> listBuckets(BucketQuery query);

    /** Of each bucket, or NO_SUCH_BUCKET. */
    Outcome<BucketUsage> bucketUsage(BucketName name);

    // Objects

    /**
     * Refusals: NO_SUCH_BUCKET, PRECONDITION_FAILED, NO_SUCH_KEY (If-Match, no current version), INTENT_EXPIRED (only if there is a
     * blob), SUPERSEDED.
     */
    Outcome<ObjectVersion> putObject(PutObject command);

    /** The current version; NO_SUCH_BUCKET or NO_SUCH_KEY. One indexed look-up. */
    Outcome<ObjectVersion> currentVersion(BucketName bucket, ObjectKey key);

    /**
     * Deletes each, independently, in one step; the outcomes stand in the order of the commands and say whether the key had a
     * current version. Refusals: NO_SUCH_BUCKET (all), PRECONDITION_FAILED, NO_SUCH_KEY (If-Match, no current version).
     *
     * @param commands 1 to 1,000
     */
    List<Outcome<Boolean>> deleteObjects(BucketName bucket, List<DeleteObject> commands, Instant now);

    /** Refusals: NO_SUCH_BUCKET, NO_SUCH_KEY (the detail names which), PRECONDITION_FAILED. */
    Outcome<ObjectVersion> copyObject(CopyObject command);

    /** A page of current objects, or NO_SUCH_BUCKET. Costs what the page holds, whatever the bucket holds. */
    Outcome<ObjectPage> listObjects(ObjectQuery query);

    /**
     * The slices of a stored manifest from the one that holds {@code fromOffsetBytes} on, at most {@code limit} (1 to 1,000). Empty
     * past the end, or when the manifest is gone.
     */
    List<ManifestSlice> slices(Manifest.Stored manifest, long fromOffsetBytes, int limit);

    /** The parts of a stored manifest with numbers greater than {@code afterNumber}, ascending, at most {@code limit}. */
    List<ManifestPart> parts(Manifest.Stored manifest, int afterNumber, int limit);

    // Multipart uploads

    /** NO_SUCH_BUCKET. */
    Outcome<Upload> createUpload(Upload upload);

    /** The upload in progress; NO_SUCH_BUCKET, NO_SUCH_UPLOAD. */
    Outcome<Upload> upload(BucketName bucket, ObjectKey key, String uploadId);

    /** Refusals: NO_SUCH_BUCKET, NO_SUCH_UPLOAD, INTENT_EXPIRED. */
    Outcome<Part> putPart(PutPart command);

    /**
     * Refusals: NO_SUCH_BUCKET, NO_SUCH_KEY, NO_SUCH_UPLOAD, PRECONDITION_FAILED, INVALID_RANGE, ENTITY_TOO_LARGE (the upload would
     * have more slices than the engine takes, at least 100,000).
     */
    Outcome<Part> copyPart(CopyPart command);

    /**
     * Refusals: NO_SUCH_BUCKET, NO_SUCH_UPLOAD, INVALID_PART, INVALID_PART_ORDER, ENTITY_TOO_SMALL, ENTITY_TOO_LARGE, SIZE_MISMATCH, BAD_DIGEST,
     * PRECONDITION_FAILED, NO_SUCH_KEY (If-Match, no current version). A refused upload stays as it was.
     */
    Outcome<ObjectVersion> completeUpload(CompleteUpload command);

    /** The aborted upload; its parts become garbage. NO_SUCH_BUCKET, NO_SUCH_UPLOAD (also once it is complete or aborted). */
    Outcome<Upload> abortUpload(BucketName bucket, ObjectKey key, String uploadId, Instant now);

    /** Parts of an upload in progress with numbers greater than {@code afterNumber}; NO_SUCH_BUCKET, NO_SUCH_UPLOAD. */
    Outcome<PartsPage> listParts(BucketName bucket, ObjectKey key, String uploadId, int afterNumber, int limit);

    /** NO_SUCH_BUCKET. */
    Outcome<UploadPage> listUploads(UploadQuery query);

    // Intents, garbage and usage: for the data path and the background workers

    /** Records that {@code gateway} is about to write blobs whose ids are stamped from {@code openedAt} to {@code lastStampAt}. */
    Intent openIntent(String gateway, Instant openedAt, Instant lastStampAt, Instant expiresAt);

    /** Moves the expiry of those that have not been taken by {@link #takeExpiredIntents}; returns the ids that still stand. */
    List<Long> renewIntents(Collection<Long> ids, Instant expiresAt);

    /** Forgets intents all of whose writes have a known outcome. */
    void closeIntents(Collection<Long> ids);

    /**
     * Marks intents that expired before {@code now} as taken, so that no write under them commits any more, and returns the taken
     * ones, also those taken earlier, oldest first, at most {@code limit}. The sweep closes them when it has swept.
     */
    List<Intent> takeExpiredIntents(Instant now, int limit);

    /** Intents that are recorded and not taken, expired or not: a blob stamped in the window of one may be being written. */
    List<Intent> standingIntents();

    /** Of {@code blobs}, those that neither a version, nor an upload, nor the garbage queue knows. At most 1,000. */
    List<BlobId> unknownBlobs(List<BlobId> blobs);

    /** Queues blobs that no version ever referred to (failed or abandoned writes). Those that are known already are left alone. */
    void discard(List<Garbage> blobs);

    /**
     * Up to {@code limit} blobs of {@code account} queued before {@code queuedBefore}, oldest first. Orphaned manifests due by then
     * are first broken up, in steps of bounded size.
     */
    List<Garbage> dueGarbage(String account, Instant queuedBefore, int limit);

    /** Forgets garbage whose bytes are gone. */
    void garbageDeleted(List<BlobId> blobs);

    /**
     * By account name; accounts without blobs may be missing. Exact; blobs of a manifest that nothing refers to any more count as live
     * until {@link #dueGarbage} breaks it up.
     */
    Map<String, AccountUsage> accountUsage();

    /** Forgets completed uploads older than {@code completedBefore}; returns how many, at most {@code limit}. */
    int forgetCompletedUploads(Instant completedBefore, int limit);

    /** Cheap check that the engine answers reads and writes; throws {@link NamespaceException} otherwise. */
    void ping();

    @Override
    void close();
}
