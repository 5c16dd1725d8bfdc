package io.headgate.benchmarks;

import io.headgate.account.Account;
import io.headgate.account.AccountListener;
import io.headgate.account.Accounts;
import io.headgate.account.CircuitBreaker;
import io.headgate.account.Limits;
import io.headgate.blob.CarrierWatch;
import io.headgate.blob.StallGuard;
import io.headgate.blob.local.Durability;
import io.headgate.blob.local.LocalBlobStore;
import io.headgate.domain.BlobIds;
import io.headgate.domain.BucketName;
import io.headgate.http.HttpServer;
import io.headgate.http.HttpServerConfig;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ReadsInFlight;
import io.headgate.namespace.WriteIntents;
import io.headgate.namespace.sql.SqliteNamespace;
import io.headgate.namespace.sql.SqliteOptions;
import io.headgate.placement.Placement;
import io.headgate.placement.Thresholds;
import io.headgate.s3.Router;
import io.headgate.s3.auth.Credential;
import io.headgate.s3.auth.SigV4;
import io.headgate.s3.op.S3Handler;
import io.headgate.s3.op.SliceReader;
import io.headgate.s3.op.Storage;
import io.headgate.work.BackgroundWork;
import io.headgate.work.WorkSettings;
import io.headgate.work.Workers;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/**
 * A gateway in this process, of the same parts as one that is served: three local accounts, one of which can be made to fail. Nothing is
 * flushed to disk, so that the figures are those of the gateway and not of the machine's disk.
 */
final class LocalGateway implements AutoCloseable {
    /** The account that can be made to fail is the second. */
    static final List<String> ACCOUNTS = List.of("one", "two", "three");

    static final String BUCKET = "bench";

    private static final String DEGRADING = "two";
    private static final Duration STALL_LIMIT = Duration.ofSeconds(30);
    private static final int MAX_HANGING_CALLS = 32;

    private final Namespace namespace;
    private final Accounts accounts;
    private final WriteIntents intents;
    private final Workers workers;
    private final HttpServer server;
    private final FaultyAccount faulty;

    /**
     * Starts it on a free port of the loopback interface, with an empty bucket.
     *
     * @param directory empty
     */
    LocalGateway(Path directory, CircuitBreaker.Settings breaker, AccountListener listener) throws IOException {
        InstantSource clock = InstantSource.system();
        RandomGenerator random = () -> ThreadLocalRandom.current().nextLong();
        namespace = SqliteNamespace.open(
                directory.resolve("namespace.db"),
                clock,
                SqliteOptions.defaults().withFlush(false));
        List<FaultyAccount> stores = new ArrayList<>();
        accounts = accounts(directory, namespace.id(), breaker, listener, clock, stores);
        faulty = stores.get(ACCOUNTS.indexOf(DEGRADING));
        namespace.createBucket(new Bucket(new BucketName(BUCKET), "root", "", clock.instant()));
        intents = new WriteIntents(
                namespace,
                new BlobIds(random::nextLong),
                clock,
                UUID.randomUUID().toString(),
                Duration.ofSeconds(10),
                WorkSettings.DEFAULT.intentLease());
        ReadsInFlight reads = new ReadsInFlight(clock);
        Storage storage = new Storage(
                namespace,
                intents,
                reads,
                accounts,
                new Placement(Thresholds.DEFAULT),
                clock,
                () -> new UUID(random.nextLong(), random.nextLong()).toString(),
                random,
                rejections -> {});
        workers = Workers.start(
                BackgroundWork.of(namespace, accounts, intents, reads, clock, WorkSettings.DEFAULT), clock);
        server = HttpServer.start(HttpServerConfig.listeningOn("127.0.0.1", 0), s3(storage), _ -> {}, clock, random);
    }

    private static Accounts accounts(
            Path directory,
            String namespaceId,
            CircuitBreaker.Settings breaker,
            AccountListener listener,
            InstantSource clock,
            List<FaultyAccount> stores) {
        List<Account> accounts = new ArrayList<>();
        for (String name : ACCOUNTS) {
            FaultyAccount store =
                    new FaultyAccount(new LocalBlobStore(
                            name, namespaceId, directory.resolve(name), Durability.NONE, true, clock));
            stores.add(store);
            accounts.add(new Account(
                    new Account.Description(name, "local", "", Limits.NONE),
                    breaker,
                    new StallGuard(store, name, STALL_LIMIT, MAX_HANGING_CALLS, new CarrierWatch()),
                    System::nanoTime,
                    listener));
        }
        return new Accounts(accounts);
    }

    private static S3Handler s3(Storage storage) {
        Router router = new Router("");
        Credential root = new Credential(ClientSignature.ACCESS_KEY, ClientSignature.SECRET, "root", "root");
        SigV4 signatures = new SigV4(
                ClientSignature.REGION, key -> key.equals(root.accessKey()) ? root : null, router::hostBucket);
        return new S3Handler(
                router,
                signatures,
                storage,
                new SliceReader(storage),
                new S3Handler.Settings(ClientSignature.REGION, "root", false, id -> id));
    }

    InetSocketAddress address() {
        return server.address();
    }

    /** The account that can be made to fail. */
    FaultyAccount faulty() {
        return faulty;
    }

    /** To be called when every request has been answered. */
    @Override
    public void close() {
        server.stop(Duration.ZERO);
        workers.close();
        intents.close();
        accounts.close();
        namespace.close();
    }
}
