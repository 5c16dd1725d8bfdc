package io.headgate.namespace.redis;

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
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The namespace in a Redis Cluster: every operation on an object is one Lua script in the one slot that owns the object's key, and what
 * it takes from elsewhere is told to other slots by messages that are queued in the same script.
 *
 */
public final class RedisNamespace implements Namespace {
    /** Later than any time that is kept, which has six bytes. */
    private static final Instant END = Instant.ofEpochMilli((1L << 48) - 1);

    /** The name of gateways' connections. */
    private static final String CLIENT = "headgate";

    /** The name of connections, and of a document that says what is being restored. */
    private static final String RESTORING = "headgate-restore";

    private final Cluster cluster;
    private final String id;
    private final Buckets buckets;
    private final Blobs blobs;
    private final GarbageQueue garbage;
    private final Moves moves;
    private final Intents intents;
    private final Objects objects;
    private final Listings listings;
    private final Manifests manifests;
    private final Messages messages;
    private final Uploads uploads;
    private final Parts parts;
    private final Completions completions;
    private final Orphans orphans;
    private final AddedAccounts addedAccounts;
    private final Fleet fleet;
    private final AccountNumbers accounts;
    private final SlotsInUse slots;
    private final RandomGenerator random;
    private final UploadReads uploadReads;
    private final Walk walk;
    private final Audit audit;
    private final Corrections corrections;
    private final RangeMoves rangeMoves;
    private final RangeBalancer balancer;

    private RedisNamespace(
            Cluster cluster,
            RedisOptions options,
            InstantSource clock,
            RandomGenerator random,
            Consumer<RangeMoves.Step> steps) {
        this.cluster = cluster;
        this.random = random;
        slots = new SlotsInUse(cluster);
        accounts = new AccountNumbers(cluster);
        rangeMoves = new RangeMoves(cluster, slots, clock, steps);
        RangeHeat heat = new RangeHeat();
        buckets = new Buckets(
                cluster, slots, random, new BucketClosing(cluster), rangeMoves, heat, options.timeout(), clock);
        blobs = new Blobs(cluster, accounts, slots, clock);
        garbage = new GarbageQueue(cluster, blobs, accounts, slots);
        moves = new Moves(cluster, blobs, accounts, slots, random);
        intents = new Intents(cluster, random);
        manifests = new Manifests(cluster, blobs, slots);
        messages = new Messages(cluster, blobs, manifests, slots);
        objects = new Objects(cluster, buckets, blobs, manifests, messages, intents, accounts, random);
        UploadReads reads = new UploadReads(cluster, buckets);
        uploadReads = reads;
        completions = new Completions(
                cluster,
                buckets,
                blobs,
                objects,
                manifests,
                messages,
                slots,
                reads,
                new MultipartRules(options.minPartBytes()),
                random);
        parts = new Parts(
                cluster, buckets, blobs, objects, manifests, messages, intents, slots, reads, completions, random);
        uploads = new Uploads(cluster, buckets, blobs, messages, slots, reads, completions, random);
        orphans = new Orphans(cluster, manifests, uploads, slots);
        listings = new Listings(cluster, buckets);
        Documents documents = new Documents(cluster, random);
        addedAccounts = new AddedAccounts(documents, blobs, garbage, intents);
        fleet = new Fleet(documents, addedAccounts);
        balancer = new RangeBalancer(
                cluster, buckets, uploads, rangeMoves, heat, slots, fleet, options.ranges(), random, clock);
        walk = new Walk(cluster, buckets);
        audit = new Audit(cluster, walk, slots, accounts, manifests, reads, objects, buckets, documents);
        corrections = new Corrections(cluster, audit, buckets, blobs, accounts, manifests, uploads, slots, random);
        id = fleet.id(random);
    }

    /**
     * Opens the namespace, and makes it if there is none.
     *
     * @param clock for the times at which garbage is queued, and the age of what others left behind
     * @param random for ids that must not meet; thread-safe
     * @throws NamespaceException if the cluster does not answer
     */
    public static RedisNamespace open(RedisOptions options, InstantSource clock, RandomGenerator random) {
        return open(options, clock, random, step -> {});
    }

    /** @param steps is told of each step of a move of a range after it is done */
    static RedisNamespace open(
            RedisOptions options, InstantSource clock, RandomGenerator random, Consumer<RangeMoves.Step> steps) {
        Cluster cluster = new Cluster(options, CLIENT);
        try {
            checkWhole(new Documents(cluster, random));
            return new RedisNamespace(cluster, options, clock, random, steps);
        } catch (RuntimeException failed) {
            cluster.close();
            throw failed;
        }
    }

    Buckets buckets() {
        return buckets;
    }

    RangeMoves rangeMoves() {
        return rangeMoves;
    }

    @Override
    public String id() {
        return id;
    }

    @Override
    public BucketClaim createBucket(Bucket bucket) {
        return buckets.create(bucket, 0);
    }

    @Override
    public BucketClaim createHashedBucket(Bucket bucket, int hashedRanges) {
        return buckets.create(bucket, hashedRanges);
    }

    @Override
    public Outcome<Bucket> changeBucket(BucketName name, BucketSetting setting, Optional<String> document) {
        return buckets.change(name, setting, document);
    }

    @Override
    public Optional<Bucket> bucket(BucketName name) {
        return buckets.find(name);
    }

    @Override
    public Outcome<Bucket> deleteBucket(BucketName name, Instant now) {
        return buckets.delete(name, range -> uploads.dropAll(range, now));
    }

    @Override
    public List<Bucket> listBuckets(BucketQuery query) {
        return buckets.list(query);
    }

    @Override
    public Outcome<BucketUsage> bucketUsage(BucketName name) {
        return buckets.usage(name);
    }

    @Override
    public Outcome<ObjectVersion> putObject(PutObject command) {
        return objects.put(command);
    }

    @Override
    public OptionalInt blobSlot(BucketName bucket, ObjectKey key) {
        return buckets.slotOf(bucket, KeyCodec.encode(key.bytes()));
    }

    @Override
    public OptionalInt blobSlot(String uploadId) {
        return OptionalInt.of(StoredUpload.slot(uploadId));
    }

    @Override
    public Outcome<ObjectVersion> currentVersion(BucketName bucket, ObjectKey key) {
        return objects.current(bucket, key);
    }

    @Override
    public List<Outcome<Boolean>> deleteObjects(BucketName bucket, List<DeleteObject> commands, Instant now) {
        return objects.delete(bucket, commands, now);
    }

    @Override
    public Outcome<ObjectVersion> copyObject(CopyObject command) {
        return objects.copy(command);
    }

    @Override
    public Outcome<ObjectPage> listObjects(ObjectQuery query) {
        return listings.list(query);
    }

    @Override
    public List<ManifestSlice> slices(Manifest.Stored manifest, long fromOffsetBytes, int limit) {
        return manifests.slices(manifest.id(), fromOffsetBytes, limit);
    }

    @Override
    public List<ManifestPart> parts(Manifest.Stored manifest, int afterNumber, int limit) {
        return manifests.parts(manifest.id(), afterNumber, limit);
    }

    @Override
    public Outcome<Upload> createUpload(Upload upload) {
        return uploads.create(upload);
    }

    @Override
    public Outcome<Upload> upload(BucketName bucket, ObjectKey key, String uploadId) {
        return uploads.find(bucket, key, uploadId);
    }

    @Override
    public Outcome<Part> putPart(PutPart command) {
        return parts.put(command);
    }

    @Override
    public Outcome<Part> copyPart(CopyPart command) {
        return parts.copy(command);
    }

    @Override
    public Outcome<ObjectVersion> completeUpload(CompleteUpload command) {
        return completions.complete(command);
    }

    @Override
    public Outcome<Upload> abortUpload(BucketName bucket, ObjectKey key, String uploadId, Instant now) {
        return uploads.abort(bucket, key, uploadId, now);
    }

    @Override
    public Outcome<PartsPage> listParts(BucketName bucket, ObjectKey key, String uploadId, int afterNumber, int limit) {
        return uploads.parts(bucket, key, uploadId, afterNumber, limit);
    }

    @Override
    public Outcome<UploadPage> listUploads(UploadQuery query) {
        return new UploadListings(cluster, buckets, query).page();
    }

    @Override
    public Intent openIntent(String gateway, Instant openedAt, Instant lastStampAt, Instant expiresAt) {
        return intents.open(gateway, openedAt, lastStampAt, expiresAt);
    }

    @Override
    public List<Long> renewIntents(Collection<Long> ids, Instant expiresAt) {
        return intents.renew(ids, expiresAt);
    }

    @Override
    public void closeIntents(Collection<Long> ids) {
        intents.close(ids);
    }

    @Override
    public List<Intent> takeExpiredIntents(Instant now, int limit) {
        return intents.takeExpired(now, limit);
    }

    @Override
    public List<Intent> standingIntents() {
        return intents.standing();
    }

    @Override
    public List<BlobId> unknownBlobs(String account, List<BlobId> unsure) {
        return blobs.unknown(account, unsure);
    }

    @Override
    public void discard(List<Garbage> unneeded) {
        blobs.discard(unneeded);
    }

    @Override
    public List<Garbage> dueGarbage(String account, Instant queuedBefore, int limit) {
        messages.deliverLeft(this::holds);
        orphans.breakUp(queuedBefore);
        return garbage.page(account, Optional.empty(), queuedBefore, limit);
    }

    private boolean holds(byte[] place, String holder) {
        String upload = new String(place, 1, place.length - 1, StandardCharsets.UTF_8);
        return switch (place[0]) {
            case Parts.PLACE -> parts.holds(upload, holder);
            case Completions.PLACE -> completions.holds(upload, holder);
            default -> objects.holds(place, holder);
        };
    }

    @Override
    public void garbageDeleted(String account, List<BlobId> deleted) {
        blobs.forget(account, deleted);
    }

    @Override
    public Map<String, AccountUsage> accountUsage() {
        return blobs.usage();
    }

    @Override
    public LiveBlobs liveBlobs(String account, @Nullable BlobId after, int limit) {
        return moves.live(account, after, limit);
    }

    @Override
    public List<BlobMove> beginMoves(List<BlobMove> begun, Instant now) {
        return moves.begin(begun, now);
    }

    @Override
    public List<BlobMove> finishMoves(List<BlobMove> finished, Instant now) {
        Map<BlobMove, Long> moved = moves.end(finished, true, now);
        Map<String, long[]> sums = new HashMap<>();
        moved.forEach((move, bytes) -> {
            if (bytes > 0) { // 0 if it was sent before
                long[] sum = sums.computeIfAbsent(move.from(), _ -> new long[2]);
                sum[0]++;
                sum[1] += bytes;
            }
        });
        sums.forEach((from, sum) -> fleet.addMoved(from, sum[0], sum[1]));
        return List.copyOf(moved.keySet());
    }

    @Override
    public void abandonMoves(List<BlobMove> abandoned, Instant now) {
        moves.end(abandoned, false, now);
    }

    @Override
    public List<BlobMove> movesUnderWay(int limit) {
        return moves.underWay(limit);
    }

    @Override
    public boolean lease(String name, String holder, Instant now, Instant until) {
        return fleet.lease(name, holder, now, until);
    }

    /** The ranges of a bucket in the order of their keys; empty if there is no such bucket. */
    public List<BucketRange> ranges(BucketName name) {
        return buckets.ranges(name, balancer.requestsPerSecond());
    }

    @Override
    public Optional<List<BucketRange>> bucketRanges(BucketName name) {
        return Optional.of(ranges(name));
    }

    @Override
    public Optional<Duration> upkeep(String holder, Instant now) {
        balancer.turn(holder, now);
        return Optional.of(RangeBalancer.TURN);
    }

    @Override
    public Instant oldestRead(String gateway, Instant oldest, Instant now, Instant silentSince) {
        return fleet.oldestRead(gateway, oldest, now, silentSince);
    }

    @Override
    public List<AccountShare> shareAccounts(String gateway, List<AccountUse> uses, Duration lasting) {
        return fleet.share(gateway, uses, lasting);
    }

    @Override
    public Map<String, AccountMode> accountModes() {
        return fleet.modes();
    }

    @Override
    public void setDraining(String account, boolean draining) {
        fleet.setDraining(account, draining);
    }

    @Override
    public void setReadOnly(String account, boolean readOnly) {
        fleet.setReadOnly(account, readOnly);
    }

    @Override
    public Rebalance rebalance() {
        return fleet.rebalance();
    }

    @Override
    public void setRebalancing(boolean running) {
        fleet.setRebalancing(running);
    }

    @Override
    public List<AddedAccount> addedAccounts() {
        return addedAccounts.all();
    }

    @Override
    public boolean addAccount(String name, String definition, Instant now) {
        return addedAccounts.add(name, definition, now);
    }

    @Override
    public AccountRemoval removeAccount(String name, boolean forgetGarbage, Instant now) {
        return addedAccounts.remove(name, forgetGarbage, now);
    }

    @Override
    public List<BucketName> bucketNames(String after, int limit) {
        return buckets.names(after, limit);
    }

    @Override
    public List<Garbage> garbage(String account, @Nullable Garbage after, int limit) {
        return garbage.page(account, Optional.ofNullable(after), END, limit);
    }

    @Override
    public long audit(Consumer<Discrepancy> found) {
        return audit.run(found);
    }

    @Override
    public boolean correct(long number, List<Discrepancy.Correctable> wrong, Instant now) {
        return corrections.run(number, wrong, now);
    }

    @Override
    public void holders(Collection<BlobId> wanted, Consumer<Holder> found) {
        new Holders(walk, uploadReads, manifests, blobs, wanted, found).find();
    }

    @Override
    public void backup(Instant now, OutputStream out) throws IOException {
        new Backups(
                        cluster,
                        walk,
                        slots,
                        accounts,
                        manifests,
                        uploadReads,
                        buckets,
                        intents,
                        fleet,
                        addedAccounts,
                        random)
                .write(id, now, out);
    }

    /**
     * Makes the namespace that was backed up, in a cluster where there is none and to which no gateway is connected. If that fails when it
     * has begun, what there is then cannot be opened: empty the cluster and restore again.
     *
     * @throws NamespaceException if there is a namespace, or a gateway, or that is no backup or a damaged one
     * @throws IOException if {@code backup} fails
     */
    public static Backup.Header restore(
            RedisOptions options, InstantSource clock, RandomGenerator random, InputStream backup) throws IOException {
        BackupReader reader = new BackupReader(backup);
        try (Cluster cluster = new Cluster(options, RESTORING)) {
            Documents documents = new Documents(cluster, random);
            checkWhole(documents);
            RedisNamespace namespace = new RedisNamespace(cluster, options, clock, random, _ -> {});
            namespace.checkUnused();
            if (!documents.swap(RESTORING, "", reader.header().namespaceId())) {
                throw new NamespaceException("another restore has begun");
            }
            if (cluster.clients(CLIENT) > 0) { // from now on none starts
                documents.swap(RESTORING, reader.header().namespaceId(), "");
                throw new NamespaceException("gateways are connected to the cluster: stop them all first");
            }
            Backup.Header header = namespace.restore(reader);
            documents.swap(RESTORING, header.namespaceId(), "");
            return header;
        }
    }

    /**
     * How many connections gateways have to the cluster's masters.
     *
     * @throws NamespaceException if it cannot be reached
     */
    public static long gateways(RedisOptions options) {
        try (Cluster cluster = new Cluster(options, "headgate-copy")) {
            return cluster.clients(CLIENT);
        }
    }

    private static void checkWhole(Documents documents) {
        if (!documents.get(RESTORING).isEmpty()) {
            throw new NamespaceException(
                    "a restore into this namespace did not come to its end: empty the cluster, then restore again");
        }
    }

    private void checkUnused() {
        if (!slots.all().isEmpty()
                || !buckets.names("", 1).isEmpty()
                || !addedAccounts.all().isEmpty()) {
            throw new NamespaceException("the namespace is in use: a backup is restored into an empty one only");
        }
    }

    private Backup.Header restore(BackupReader reader) throws IOException {
        try {
            return new Restore(
                            cluster, slots, accounts, blobs, buckets, manifests, intents, fleet, addedAccounts, random)
                    .run(reader);
        } catch (NamespaceException failed) {
            reader.verifyRest();
            throw failed;
        }
    }

    @Override
    public int forgetCompletedUploads(Instant completedBefore, int limit) {
        return completions.forgetCompleted(completedBefore, limit);
    }

    @Override
    public void ping() {
        cluster.ping();
    }

    @Override
    public void close() {
        cluster.close();
    }
}
