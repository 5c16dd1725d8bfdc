package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.AccountListener;
import io.headgate.account.Accounts;
import io.headgate.account.CircuitBreaker;
import io.headgate.account.Limits;
import io.headgate.account.Reservation;
import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.blob.local.Durability;
import io.headgate.blob.local.LocalBlobStore;
import io.headgate.domain.BlobId;
import io.headgate.domain.BlobIds;
import io.headgate.domain.BucketName;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.DeleteObject;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.ReadsInFlight;
import io.headgate.namespace.WriteCondition;
import io.headgate.namespace.WriteIntents;
import io.headgate.namespace.sql.SqliteNamespace;
import io.headgate.namespace.sql.SqliteOptions;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A gateway without its front: a namespace, three accounts whose stores can be broken, and a clock that is moved. */
public final class Site implements AutoCloseable {
    public static final BucketName BUCKET = new BucketName("photos");
    public static final Duration WINDOW = Duration.ofSeconds(10);
    public static final Duration LEASE = Duration.ofMinutes(5);

    public final MovedClock clock = new MovedClock();
    public final Namespace namespace;
    public final Map<String, FaultyStore> stores = new TreeMap<>();
    public final Accounts accounts;
    public final ReadsInFlight reads = new ReadsInFlight(clock);
    public final BlobIds blobIds = new BlobIds(new Random(7)::nextLong);
    public final WriteIntents intents;

    public Site(Path directory) {
        this(directory, store -> store);
    }

    /** @param guarding what stands between each account and its store */
    public Site(Path directory, UnaryOperator<BlobStore> guarding) {
        this(directory, guarding, Limits.NONE);
    }

    /** @param limits of each account */
    public Site(Path directory, UnaryOperator<BlobStore> guarding, Limits limits) {
        this(
                directory,
                guarding,
                limits,
                clock -> SqliteNamespace.open(
                        directory.resolve("namespace.db"),
                        clock,
                        SqliteOptions.defaults().withFlush(false)));
    }

    /** @param engine opens the namespace */
    public Site(
            Path directory,
            UnaryOperator<BlobStore> guarding,
            Limits limits,
            Function<InstantSource, Namespace> engine) {
        namespace = engine.apply(clock);
        namespace.createBucket(new Bucket(BUCKET, "alice", "", clock.instant()));
        List<Account> all = new ArrayList<>();
        for (String name : List.of("disk-1", "disk-2", "disk-3")) {
            FaultyStore store = new FaultyStore(
                    new LocalBlobStore(name, namespace.id(), directory.resolve(name), Durability.NONE, true, clock));
            stores.put(name, store);
            all.add(new Account(
                    new Account.Description(name, "local", "", limits),
                    CircuitBreaker.Settings.DEFAULT,
                    guarding.apply(store),
                    clock::nanoTime,
                    AccountListener.NONE));
        }
        accounts = new Accounts(all);
        intents = newIntents("gateway-1");
    }

    /** Those of another gateway, or of this one's next run. */
    public WriteIntents newIntents(String gateway) {
        return new WriteIntents(namespace, blobIds, clock, gateway, WINDOW, LEASE);
    }

    /** A lease of the first gateway, or of that one. */
    public Lease lease(String name) {
        return lease(name, "gateway-1");
    }

    public Lease lease(String name, String gateway) {
        return new Lease(namespace, name, gateway, clock, () -> true);
    }

    public Account account(String name) {
        return accounts.byName(name).orElseThrow();
    }

    public FaultyStore store(String account) {
        return stores.get(account);
    }

    /** A blob written and not committed. */
    public BlobId write(WriteIntents.Write write, String account, long sizeBytes) throws IOException {
        BlobId blob = write.newBlobId();
        writeBlob(blob, account, sizeBytes);
        return blob;
    }

    public void writeBlob(BlobId blob, String account, long sizeBytes) throws IOException {
        try (Reservation reservation =
                account(account).tryReserve(sizeBytes, Long.MAX_VALUE).orElseThrow()) {
            account(account).put(reservation, blob, sizeBytes, new ByteArrayInputStream(new byte[(int) sizeBytes]));
            reservation.commit();
        }
    }

    public Outcome<ObjectVersion> commit(
            WriteIntents.Write write, String key, String account, BlobId blob, long sizeBytes) {
        return namespace.putObject(new PutObject(
                BUCKET,
                new ObjectKey(key),
                UUID.randomUUID().toString(),
                new ObjectAttributes(Map.of(), Map.of(), Map.of(), ObjectAttributes.STANDARD),
                sizeBytes,
                new ETag("0123456789abcdef0123456789abcdef"),
                List.of(),
                Optional.of(new Slice(blob, account, 0, sizeBytes)),
                WriteCondition.NONE,
                write.intentId(),
                Optional.empty(),
                clock.instant()));
    }

    /** An object of {@code sizeBytes} bytes, whole. */
    public BlobId put(String key, String account, long sizeBytes) throws IOException {
        WriteIntents.Write write = intents.begin();
        BlobId blob = write(write, account, sizeBytes);
        if (!(commit(write, key, account, blob, sizeBytes) instanceof Outcome.Done)) {
            throw new AssertionError("the put was refused");
        }
        write.settle();
        return blob;
    }

    public void delete(String key) {
        namespace.deleteObjects(
                BUCKET, List.of(new DeleteObject(new ObjectKey(key), WriteCondition.NONE)), clock.instant());
    }

    /** Puts and deletes an object, so that its blob is garbage. */
    public BlobId garbage(String account, long sizeBytes) throws IOException {
        String key = UUID.randomUUID().toString();
        BlobId blob = put(key, account, sizeBytes);
        delete(key);
        return blob;
    }

    /** All blobs in an account, in the order of their ids. */
    public List<BlobId> blobs(String account) throws IOException {
        List<BlobId> all = new ArrayList<>();
        for (int fanOut = 0; fanOut < BlobId.FAN_OUT; fanOut++) {
            stores
                    .get(account)
                    .list(fanOut, Instant.EPOCH, Instant.ofEpochSecond(BlobId.MAX_SECOND), null, 5000)
                    .stream()
                    .map(StoredBlob::id)
                    .forEach(all::add);
        }
        return all;
    }

    /** Turns a worker until it has nothing more to do, moving the clock by the waits that it asks for to keep to its rate. */
    public Turn turnUntilIdle(Worker worker) throws Exception {
        for (int turns = 0; turns < 1000; turns++) {
            Turn turn = worker.work();
            switch (turn) {
                case Turn.Busy _ -> {}
                case Turn.Throttled(Duration pause)
                when pause.compareTo(Duration.ofSeconds(1)) < 0 -> clock.move(pause);
                case Turn.Throttled _, Turn.Idle _ -> {
                    return turn;
                }
            }
        }
        throw new AssertionError(worker.name() + " never comes to rest");
    }

    @Override
    public void close() {
        namespace.close();
        accounts.close();
    }
}
