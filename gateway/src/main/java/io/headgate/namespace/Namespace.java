package io.headgate.namespace;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
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
import org.jspecify.annotations.Nullable;

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

    /**
     * Makes a bucket for keys that come in order, such as dates: where an engine cuts a bucket into ranges of keys, its ranges are of the
     * keys' hashes, so that writes do not all go to the last. A client sees no difference; engines without ranges see none either.
     *
     * @param hashedRanges how many ranges, 1 to 1,024
     */
    default BucketClaim createHashedBucket(Bucket bucket, int hashedRanges) {
        return createBucket(bucket);
    }

    Optional<Bucket> bucket(BucketName name);

    /** Removes an empty bucket: BUCKET_NOT_EMPTY if it holds an object. Uploads in progress are aborted with it. */
    Outcome<Bucket> deleteBucket(BucketName name, Instant now);

    /**
     * Sets what the bucket's owner may set, or forgets it, and answers what the bucket is then. The other settings stay as they are.
     * NO_SUCH_BUCKET.
     *
     * @param document empty to forget it
     */
    Outcome<Bucket> changeBucket(BucketName name, BucketSetting setting, Optional<String> document);

    /** At most {@code query.limit()} buckets, without their settings; one more page follows if so many came. */
    List<Bucket> listBuckets(BucketQuery query);

    /** Of each bucket, or NO_SUCH_BUCKET. */
    Outcome<BucketUsage> bucketUsage(BucketName name);

    // Objects

    /**
     * Refusals: NO_SUCH_BUCKET, PRECONDITION_FAILED, NO_SUCH_KEY (If-Match, no current version), INTENT_EXPIRED (only if there is a
     * blob), SUPERSEDED.
     */
    Outcome<ObjectVersion> putObject(PutObject command);

    /**
     * The slot that the id of a blob for this key had best name, if it matters to the engine: then the blob's record lies beside the
     * version's. By what the engine has in memory, without a call of the store; any other slot is right too, and costs more.
     */
    default OptionalInt blobSlot(BucketName bucket, ObjectKey key) {
        return OptionalInt.empty();
    }

    /** The same for the parts of an upload. */
    default OptionalInt blobSlot(String uploadId) {
        return OptionalInt.empty();
    }

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
     * PRECONDITION_FAILED, NO_SUCH_KEY (If-Match, no current version). A refused upload stays as it was. A
     * command that was refused is sent again under a new write id: by the old one it may be refused as before, whatever has changed.
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

    /**
     * Of {@code blobs}, those that do not belong in {@code account}: it is neither where the blob lives, nor has it a copy for a move that
     * is under way, nor is it garbage there. At most 1,000.
     */
    List<BlobId> unknownBlobs(String account, List<BlobId> blobs);

    /**
     * Queues blobs that do not belong in their account (failed or abandoned writes, left-overs). Those that {@link #unknownBlobs} would
     * not name are left alone.
     */
    void discard(List<Garbage> blobs);

    /**
     * Up to {@code limit} blobs of {@code account} queued before {@code queuedBefore}, oldest first. Orphaned manifests due by then
     * are first broken up, in steps of bounded size.
     */
    List<Garbage> dueGarbage(String account, Instant queuedBefore, int limit);

    /** Forgets garbage of {@code account} whose bytes are gone. The same blob may be alive in another account. */
    void garbageDeleted(String account, List<BlobId> blobs);

    /**
     * By account name; accounts without blobs may be missing. Exact; blobs of a manifest that nothing refers to any more count as live
     * until {@link #dueGarbage} breaks it up. Copies that moves are making, and those that they left behind, count as garbage.
     */
    Map<String, AccountUsage> accountUsage();

    // Moving blobs between accounts: for one mover at a time

    /**
     * For so long after a copy was deleted, its blob does not move to that account again: a request to delete it that timed out, or
     * another gateway's list of what to delete, must not meet the new copy, which has the same name.
     */
    Duration MOVE_BACK_AFTER = Duration.ofHours(1);

    /**
     * Some of the live blobs in {@code account}, in an order of the engine's own in which new ones mostly come last. The work of a call
     * is bounded, whatever the namespace holds, so a page may be empty though more follow.
     *
     * @param after from {@link LiveBlobs#next}; {@code null} to begin
     * @param limit 1 to 10,000
     */
    LiveBlobs liveBlobs(String account, @Nullable BlobId after, int limit);

    /**
     * Records that copies are about to be made, before their first byte, so that none is lost sight of. Returns the moves that are
     * recorded now, in the order given; the others are not to be made, because the blob does not live in {@code from} any more, or the
     * other account has a copy of it that is garbage or was so within {@link #MOVE_BACK_AFTER}. The size is taken from the namespace.
     *
     * @param moves at most 1,000
     */
    List<BlobMove> beginMoves(List<BlobMove> moves, Instant now);

    /**
     * Lets the blobs whose copies are whole live there: whoever looks up a version from now on is led to the new copy, and the old one is
     * garbage as of now. Where the blob has lost its last reference meanwhile, or lives elsewhere, the new copy is garbage instead. Moves
     * that are not under way change nothing.
     *
     * @return those whose blob lives in {@code to} now
     */
    List<BlobMove> finishMoves(List<BlobMove> moves, Instant now);

    /** Gives up moves that are under way: whatever there is of their copies is garbage as of now. */
    void abandonMoves(List<BlobMove> moves, Instant now);

    /** Moves that are recorded and neither finished nor abandoned, at most {@code limit}. */
    List<BlobMove> movesUnderWay(int limit);

    /**
     * Takes a lease, or goes on holding it: whether {@code holder} has it until {@code until}. It is to be had if nobody holds it, the
     * holder does, or it ended by {@code now}. To give it back, take it until {@code now}.
     *
     * @param name such as {@code account-drain}
     * @param holder the id of this run of a gateway
     */
    boolean lease(String name, String holder, Instant now, Instant until);

    /**
     * Does a bounded piece of what the engine needs done to stay fast, while it is used: each gateway calls this again and again.
     *
     * @param holder the id of this run of the gateway
     * @return after which time again; empty if this engine needs nothing
     */
    default Optional<Duration> upkeep(String holder, Instant now) {
        return Optional.empty();
    }

    /** The parts that the bucket is spread in, in their order; empty if this engine does not spread buckets, or has no such bucket. */
    default Optional<List<BucketRange>> bucketRanges(BucketName bucket) {
        return Optional.empty();
    }

    /**
     * Tells the other gateways of the oldest read through this one, and learns the same of them.
     *
     * @param gateway the id of this run of a gateway
     * @param oldest no read that is under way, or to come, looked up its version before
     * @param silentSince gateways that have told nothing since then are not waited for any more
     * @return the like for all gateways: garbage queued before is not being read; with an engine that has one gateway, {@code oldest}
     */
    Instant oldestRead(String gateway, Instant oldest, Instant now, Instant silentSince);

    /**
     * Shares the accounts' rates among the gateways: tells what {@code gateway} does with each account and asks what it may do, by
     * {@link ShareRules}. What all gateways hold of a rate together never exceeds what the account bears, as long as each stops in time.
     *
     * @param gateway the id of this run of a gateway
     * @param lasting until then from now the gateway uses its share, and not longer
     * @return in the order of {@code uses}
     */
    List<AccountShare> shareAccounts(String gateway, List<AccountUse> uses, Duration lasting);

    // What administrators want of the accounts

    /** By account name; accounts of which nothing is wanted may be missing. */
    Map<String, AccountMode> accountModes();

    /**
     * Begins or ends the draining of an account. Beginning sets what has moved to 0, unless it is draining already; ending it also ends
     * the wish to remove the account.
     */
    void setDraining(String account, boolean draining);

    void setReadOnly(String account, boolean readOnly);

    Rebalance rebalance();

    /** Begins or ends the balancing of accounts. Beginning sets what has moved to 0, unless it is running already. */
    void setRebalancing(boolean running);

    // Accounts that were added at run time

    /** In the order of their names. */
    List<AddedAccount> addedAccounts();

    /**
     * Adds an account.
     *
     * @return false if there is one of that name with another definition, or there are {@link AddedAccount#MAX} others
     */
    boolean addAccount(String name, String definition, Instant now);

    /**
     * Removes an account that was added, or begins to: to be called again while it is {@code PENDING} or {@code FORGETTING}. An account
     * that goes is draining and empty, and no intent stands that was opened until {@link AccountRemoval#SETTLE} after the first call. Its
     * mode goes with it. {@link #setDraining} with {@code false} takes the wish back.
     *
     * @param forgetGarbage remove it though garbage waits there, which is forgotten, in steps of bounded size, when nothing else is left to
     *     wait for: its bytes stay where they are. Once asked for it holds for later calls. Intents that are taken are not waited for
     *     then. Of an account that was not added, garbage is forgotten all the same, but for what is as young as an intent that stands
     */
    AccountRemoval removeAccount(String name, boolean forgetGarbage, Instant now);

    // For who checks all of it

    /** The most blobs that {@link #holders} takes at once. */
    int MOST_HELD = 10_000;

    /** Names of buckets, whoever owns them, greater than {@code after}, in their order, at most {@code limit}. */
    List<BucketName> bucketNames(String after, int limit);

    /**
     * The garbage of an account in the order in which it was queued; nothing is changed.
     *
     * @param after the last of the page before; {@code null} to begin
     */
    List<Garbage> garbage(String account, @Nullable Garbage after, int limit);

    /**
     * Compares all that is recorded of one instant, or of what stands still meanwhile, while others read and write: counts with what they
     * count, references with what they refer to. It reads everything, so it takes as long as that takes.
     *
     * @param found is told of each discrepancy, on the caller's thread
     * @return by which {@link #correct} knows what was found
     */
    long audit(Consumer<Discrepancy> found);

    /**
     * Sets right what an audit found, by the difference between what was recorded and what was counted, which what others write
     * meanwhile does not change. A blob or manifest that turns out to have no reference is garbage as of now.
     *
     * @param audit what {@link #audit} returned
     * @return whether it did: not if something was corrected since the audit
     */
    boolean correct(long audit, List<Discrepancy.Correctable> wrong, Instant now);

    /**
     * Who needs the bytes of these blobs, as of one instant, or at least all who need them all the time. There is no index for this: it
     * reads everything.
     *
     * @param blobs at most {@link #MOST_HELD}
     * @param found is told of each slice of each version and each part, on the caller's thread
     */
    void holders(Collection<BlobId> blobs, Consumer<Holder> found);

    /**
     * Writes everything that the namespace keeps, as of one instant, while others read and write; an engine that has no such instant writes
     * each key as it was at some time meanwhile, and all so that it fits together. Any engine's {@code restore} makes a namespace of it again,
     * which has the same id.
     *
     * @param out not closed
     * @throws IOException if {@code out} fails
     */
    void backup(Instant now, OutputStream out) throws IOException;

    /** Forgets completed uploads older than {@code completedBefore}; returns how many, at most {@code limit}. */
    int forgetCompletedUploads(Instant completedBefore, int limit);

    /** Cheap check that the engine answers reads and writes; throws {@link NamespaceException} otherwise. */
    void ping();

    @Override
    void close();
}
