package io.headgate.admin;

import io.headgate.account.Account;
import io.headgate.account.Accounts;
import io.headgate.account.CircuitBreaker;
import io.headgate.account.Limits;
import io.headgate.blob.local.Durability;
import io.headgate.blob.local.LocalBlobStore;
import io.headgate.domain.BlobId;
import io.headgate.domain.BlobIds;
import io.headgate.domain.BucketName;
import io.headgate.http.Exchange;
import io.headgate.http.RequestHead;
import io.headgate.http.Response;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.WriteIntents;
import io.headgate.namespace.sql.SqliteNamespace;
import io.headgate.namespace.sql.SqliteOptions;
import io.headgate.placement.Placement;
import io.headgate.placement.Thresholds;
import io.headgate.work.AccountDrain;
import io.headgate.work.AccountRoster;
import io.headgate.work.Fsck;
import io.headgate.work.Leases;
import io.headgate.work.Pace;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** An admin endpoint over a real namespace and two accounts of the configuration, asked without a server in front. */
abstract class AdminFixture {
    static final String TOKEN = "the-admin-token-of-this-test";

    static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-11-30T06:00:00Z"));

    @TempDir
    Path directory;

    Namespace namespace;
    Accounts accounts;
    Metrics metrics;
    AccountDrain drain;
    AccountRoster roster;
    /** The body of the next request. */
    String document = "";

    AdminHandler handler;

    @BeforeEach
    final void open() {
        namespace = SqliteNamespace.open(
                directory.resolve("namespace.db"),
                InstantSource.system(),
                SqliteOptions.defaults().withFlush(false));
        metrics = new Metrics();
        List<Account> all = new ArrayList<>();
        for (String name : List.of("disk-1", "disk-2")) {
            all.add(account(name, directory.resolve(name)));
        }
        accounts = new Accounts(all);
        Placement placement = new Placement(Thresholds.DEFAULT);
        Pace pace = new Pace(1 << 30, System::nanoTime, Thread::sleep);
        AccountDrain.Settings settings = new AccountDrain.Settings(1, Duration.ofSeconds(1), 0.02);
        drain = new AccountDrain(
                namespace,
                accounts,
                placement,
                new Random(7),
                CLOCK,
                pace,
                new Leases(namespace, "a", CLOCK).of("drain"),
                settings);
        accounts.all().forEach(account -> metrics.addAccount(account, drain));
        WriteIntents intents = new WriteIntents(
                namespace,
                new BlobIds(new Random(7)::nextLong),
                InstantSource.system(),
                "a",
                Duration.ofSeconds(10),
                Duration.ofMinutes(5));
        roster = new AccountRoster(
                namespace,
                accounts,
                new AccountRoster.Definitions(this::read, this::account),
                intents,
                InstantSource.system(),
                account -> metrics.addAccount(account, drain),
                metrics::removeAccount);
        handler = handlerOver(namespace);
    }

    /** What defines an account in these tests is its name and a secret. */
    private AccountRoster.Draft read(String file, String document) {
        if (!document.startsWith("name ")) {
            throw new IllegalArgumentException(file + ":1: a name is missing");
        }
        return new AccountRoster.Draft(document.split(" ")[1], document);
    }

    private Account account(String definition) {
        return account(definition.split(" ")[1], directory.resolve(definition.split(" ")[1]));
    }

    private Account account(String name, Path place) {
        return new Account(
                new Account.Description(
                        name, "local", "eu-west", new Limits(1 << 30, 100, Limits.UNLIMITED, Limits.UNLIMITED)),
                CircuitBreaker.Settings.DEFAULT,
                new LocalBlobStore(name, "namespace-1", place, Durability.NONE, true, InstantSource.system()),
                System::nanoTime,
                metrics.accounts());
    }

    @AfterEach
    final void close() {
        accounts.close();
        namespace.close();
    }

    AdminHandler handlerOver(Namespace engine) {
        return new AdminHandler(
                metrics.measured(engine),
                accounts,
                new Placement(Thresholds.DEFAULT),
                drain,
                roster,
                CLOCK,
                () -> List.of("root", "alice"),
                "us-east-1",
                metrics,
                new Fsck.Settings(false, false, Duration.ofDays(1), Duration.ofHours(2), 0.05, 1_000),
                Optional.empty(),
                Optional.empty(),
                TOKEN);
    }

    Response get(String target, String... headers) {
        return ask("GET", target, headers);
    }

    Response ask(String method, String target, String... headers) {
        List<RequestHead.Field> fields = new ArrayList<>();
        for (int i = 0; i < headers.length; i += 2) {
            fields.add(new RequestHead.Field(headers[i], headers[i + 1]));
        }
        return handler.handle(new HeadOnly(new RequestHead(method, target, fields, "127.0.0.1"), document));
    }

    Response post(String target, String sent) {
        document = sent;
        return askAsAdmin("POST", target, "text/plain");
    }

    Response getAsAdmin(String target, String accept) {
        return get(target, "authorization", "Bearer " + TOKEN, "accept", accept);
    }

    static String text(Response response) {
        return new String(((Response.Body.Bytes) response.body()).bytes(), StandardCharsets.UTF_8);
    }

    static BlobId blob() {
        return BlobId.of(Instant.now().getEpochSecond(), 0, 1, 1);
    }

    void open(CircuitBreaker breaker) {
        for (int i = 0; i < 3; i++) {
            breaker.tryAcquire().orElseThrow().failed();
        }
    }

    void bucket(String name, String owner, String location) {
        namespace.createBucket(
                new Bucket(new BucketName(name), owner, location, Instant.parse("2026-11-30T06:00:00Z")));
    }

    Response askAsAdmin(String method, String target, String accept) {
        return ask(method, target, "authorization", "Bearer " + TOKEN, "accept", accept);
    }

    static Namespace failing(NamespaceException outage) {
        return (Namespace) Proxy.newProxyInstance(
                Namespace.class.getClassLoader(), new Class<?>[] {Namespace.class}, (proxy, method, args) -> {
                    throw outage;
                });
    }

    private record HeadOnly(RequestHead head, String document) implements Exchange {
        @Override
        public Instant receivedAt() {
            return Instant.EPOCH;
        }

        @Override
        public String requestId() {
            return "0";
        }

        @Override
        public OptionalLong contentLength() {
            return OptionalLong.empty();
        }

        @Override
        public InputStream body() {
            return new ByteArrayInputStream(document.getBytes(StandardCharsets.UTF_8));
        }

        @Override
        public void label(Label label, String value) {}
    }
}
