package io.headgate.admin;

import static org.assertj.core.api.Assertions.assertThat;

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
import io.headgate.namespace.AccountMode;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.WriteIntents;
import io.headgate.namespace.sql.SqliteNamespace;
import io.headgate.namespace.sql.SqliteOptions;
import io.headgate.placement.Filter;
import io.headgate.placement.Placement;
import io.headgate.placement.Rejection;
import io.headgate.placement.Thresholds;
import io.headgate.work.AccountDrain;
import io.headgate.work.AccountRoster;
import io.headgate.work.Fsck;
import io.headgate.work.Leases;
import io.headgate.work.Pace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class AdminHandlerTest {
    private static final String TOKEN = "the-admin-token-of-this-test";

    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-11-30T06:00:00Z"));

    @TempDir
    private Path directory;

    private Namespace namespace;
    private Accounts accounts;
    private Metrics metrics;
    private AccountDrain drain;
    private AccountRoster roster;
    /** The body of the next request. */
    private String document = "";

    private AdminHandler handler;

    @BeforeEach
    void open() {
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
    void close() {
        accounts.close();
        namespace.close();
    }

    private AdminHandler handlerOver(Namespace engine) {
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
                TOKEN);
    }

    private Response get(String target, String... headers) {
        return ask("GET", target, headers);
    }

    private Response ask(String method, String target, String... headers) {
        List<RequestHead.Field> fields = new ArrayList<>();
        for (int i = 0; i < headers.length; i += 2) {
            fields.add(new RequestHead.Field(headers[i], headers[i + 1]));
        }
        return handler.handle(new HeadOnly(new RequestHead(method, target, fields, "127.0.0.1"), document));
    }

    private Response post(String target, String sent) {
        document = sent;
        return askAsAdmin("POST", target, "text/plain");
    }

    @Test
    void an_account_is_added_after_a_check_and_its_secret_is_shown_nowhere() {
        Response response = post("/admin/v1/accounts", "name disk-9 secret hush-hush");

        assertThat(response.status()).isEqualTo(200);
        assertThat(text(response)).isEqualTo("""
                account disk-9 is added
                  write: ok, 4096 bytes
                  read: ok, 4096 bytes
                  range: ok, 777 bytes
                  list: ok
                  delete: ok
                  clock: skipped, there is none but this machine's
                """);
        assertThat(namespace.addedAccounts()).hasSize(1);
        assertThat(accounts.byName("disk-9")).isPresent();
        for (String type : List.of("text/plain", "application/json")) {
            assertThat(text(getAsAdmin("/admin/v1/accounts", type)))
                    .contains("disk-9", "added")
                    .doesNotContain("hush");
        }
        assertThat(text(get("/metrics"))).contains("account=\"disk-9\"").doesNotContain("hush");
        assertThat(text(post("/admin/v1/accounts", "name disk-9 secret hush-hush")))
                .isEqualTo("account disk-9 was added before, just so\n");
        assertThat(post("/admin/v1/accounts", "name disk-9 secret other").status())
                .isEqualTo(409);
    }

    @Test
    void what_defines_no_account_is_refused() {
        assertThat(post("/admin/v1/accounts", "nothing").status()).isEqualTo(400);
        assertThat(text(post("/admin/v1/accounts", "nothing"))).isEqualTo("the account's file:1: a name is missing\n");
        assertThat(text(post("/admin/v1/accounts?file=a%20b.yaml&force=true", "nothing")))
                .isEqualTo("a b.yaml:1: a name is missing\n");
        assertThat(post("/admin/v1/accounts", "x".repeat(70_000)).status()).isEqualTo(400);
        assertThat(askAsAdmin("PUT", "/admin/v1/accounts", "text/plain").status())
                .isEqualTo(405);
        document = "name disk-9";
        assertThat(ask("POST", "/admin/v1/accounts").status()).isEqualTo(401);
        assertThat(accounts.byName("disk-9")).isEmpty();
    }

    @Test
    void an_account_that_does_not_work_is_added_only_by_force() throws Exception {
        Files.writeString(directory.resolve("disk-9"), "a file where the directory should be");

        Response response = post("/admin/v1/accounts", "name disk-9");
        assertThat(response.status()).isEqualTo(422);
        assertThat(text(response))
                .startsWith(
                        "account disk-9 is not added, as its check fails; --force adds it nevertheless\n  write: failed, ");
        assertThat(post("/admin/v1/accounts?force=true", "name disk-9").status())
                .isEqualTo(200);
        assertThat(post("/admin/v1/accounts/disk-9/probe", "").status()).isEqualTo(422);
        assertThat(text(post("/admin/v1/accounts/disk-1/probe", ""))).startsWith("account disk-1 works\n  write: ok");
        assertThat(post("/admin/v1/accounts/disk-7/probe", "").status()).isEqualTo(404);
    }

    @Test
    void an_account_is_removed_when_it_drains_and_is_empty() {
        post("/admin/v1/accounts", "name disk-9");
        assertThat(text(askAsAdmin("DELETE", "/admin/v1/accounts/disk-1", "text/plain")))
                .startsWith("account disk-1 is in the configuration: ");
        assertThat(text(askAsAdmin("DELETE", "/admin/v1/accounts/disk-9", "text/plain")))
                .isEqualTo("account disk-9 takes blobs: empty it first, with headgate admin accounts drain disk-9\n");
        askAsAdmin("PUT", "/admin/v1/accounts/disk-9/draining", "text/plain");
        namespace.discard(List.of(new Garbage(blob(), "disk-9", 2048, Instant.now())));
        assertThat(text(askAsAdmin("DELETE", "/admin/v1/accounts/disk-9", "text/plain")))
                .isEqualTo(
                        "account disk-9 is not empty: 0 blobs of 0 B live there, and 1 blob of 2.0 KiB wait to be deleted."
                                + " It answers. If it never comes back, --force removes it and leaves them behind\n");
        namespace
                .dueGarbage("disk-9", Instant.now().plusSeconds(9), 10)
                .forEach(garbage -> namespace.garbageDeleted("disk-9", List.of(garbage.blob())));

        assertThat(text(askAsAdmin("DELETE", "/admin/v1/accounts/disk-9", "text/plain")))
                .isEqualTo("account disk-9 goes when the writes have ended that are under way\n");
        assertThat(text(getAsAdmin("/admin/v1/accounts", "text/plain"))).contains("removing, draining");
        assertThat(askAsAdmin("DELETE", "/admin/v1/accounts/disk-7", "text/plain")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void an_account_that_does_not_answer_is_removed_by_force_and_its_garbage_is_told() {
        post("/admin/v1/accounts", "name disk-9");
        open(accounts.byName("disk-9").orElseThrow().breaker());
        askAsAdmin("PUT", "/admin/v1/accounts/disk-9/draining", "text/plain");
        namespace.discard(List.of(new Garbage(blob(), "disk-9", 2048, Instant.now())));

        assertThat(text(askAsAdmin("DELETE", "/admin/v1/accounts/disk-9", "text/plain")))
                .contains(
                        "1 blob of 2.0 KiB wait to be deleted. It has not answered this gateway for 0 s. If it never");
        assertThat(text(askAsAdmin("DELETE", "/admin/v1/accounts/disk-9?force=true", "text/plain")))
                .isEqualTo("account disk-9 goes when the writes have ended that are under way\n"
                        + "1 blob of 2.0 KiB that waited to be deleted there stay where they are, and are forgotten\n");
        assertThat(text(getAsAdmin("/admin/v1/accounts", "text/plain")))
                .containsPattern("disk-9 .*removing, draining, breaker open for 0 s .* 2.0 KiB +1 ");
        assertThat(text(askAsAdmin("DELETE", "/admin/v1/accounts/disk-9?force=true", "application/json")))
                .isEqualTo("{\"name\":\"disk-9\",\"state\":\"removing\",\"garbage_blobs_left\":1,"
                        + "\"garbage_bytes_left\":2048}\n");
    }

    @Test
    void garbage_of_an_account_that_nobody_knows_any_more_is_told_and_forgotten_by_force() {
        namespace.discard(List.of(new Garbage(blob(), "gone-1", 2048, Instant.now())));

        assertThat(text(getAsAdmin("/admin/v1/accounts", "text/plain")))
                .containsPattern("gone-1 +not configured +0 B +2.0 KiB +1\n");
        assertThat(text(getAsAdmin("/admin/v1/accounts", "application/json")))
                .contains("\"not_configured\":[{\"name\":\"gone-1\",\"blobs\":0,\"live_bytes\":0,"
                        + "\"garbage_blobs\":1,\"garbage_bytes\":2048}]");
        assertThat(text(askAsAdmin("DELETE", "/admin/v1/accounts/gone-1", "text/plain")))
                .isEqualTo("account gone-1 is not configured, and 1 blob of 2.0 KiB wait to be deleted there;"
                        + " --force forgets them\n");
        assertThat(text(askAsAdmin("DELETE", "/admin/v1/accounts/gone-1?force=true", "text/plain")))
                .startsWith("account gone-1");
        assertThat(namespace.accountUsage().get("gone-1").garbageBlobs()).isZero();
    }

    @Test
    void balancing_is_begun_and_ended() {
        accounts.all().get(0).meter().setUsage(3 << 20, 0, 0);
        assertThat(text(askAsAdmin("PUT", "/admin/v1/rebalance", "text/plain")))
                .isEqualTo("rebalancing: 0 B are to move\n");
        assertThat(namespace.rebalance().running()).isTrue();
        assertThat(text(getAsAdmin("/admin/v1/accounts", "text/plain"))).contains("REBALANCING");
        assertThat(text(getAsAdmin("/admin/v1/accounts", "application/json")))
                .contains("\"rebalance\":{\"running\":true,\"moved_blobs\":0,\"moved_bytes\":0,\"remaining_bytes\":0,");
        assertThat(text(askAsAdmin("DELETE", "/admin/v1/rebalance", "text/plain")))
                .isEqualTo("not rebalancing\n");
        assertThat(namespace.rebalance().running()).isFalse();

        accounts.all().get(0).setReadOnly(true);
        assertThat(askAsAdmin("PUT", "/admin/v1/rebalance", "text/plain").status())
                .isEqualTo(409);
    }

    private Response getAsAdmin(String target, String accept) {
        return get(target, "authorization", "Bearer " + TOKEN, "accept", accept);
    }

    private static String text(Response response) {
        return new String(((Response.Body.Bytes) response.body()).bytes(), StandardCharsets.UTF_8);
    }

    private static BlobId blob() {
        return BlobId.of(Instant.now().getEpochSecond(), 0, 1, 1);
    }

    private void open(CircuitBreaker breaker) {
        for (int i = 0; i < 3; i++) {
            breaker.tryAcquire().orElseThrow().failed();
        }
    }

    private void bucket(String name, String owner, String location) {
        namespace.createBucket(
                new Bucket(new BucketName(name), owner, location, Instant.parse("2026-11-30T06:00:00Z")));
    }

    @Test
    void health_asks_for_no_token_and_says_ok() {
        Response response = get("/healthz");

        assertThat(response.status()).isEqualTo(200);
        assertThat(text(response)).isEqualTo("ok\n");
    }

    @Test
    void a_gateway_whose_namespace_answers_and_with_one_account_left_is_ready() {
        open(accounts.all().getFirst().breaker());

        Response response = get("/readyz");

        assertThat(response.status()).isEqualTo(200);
        assertThat(text(response)).isEqualTo("{\"ready\":true,\"reasons\":[]}\n");
    }

    @Test
    void without_an_account_that_takes_writes_it_is_not_ready_and_says_why() {
        open(accounts.all().get(0).breaker());
        accounts.all().get(1).setDraining(true);

        Response response = get("/readyz");

        assertThat(response.status()).isEqualTo(503);
        assertThat(text(response))
                .isEqualTo("{\"ready\":false,\"reasons\":[\"no account takes writes\",\"account disk-1: breaker open\","
                        + "\"account disk-2: draining\"]}\n");
    }

    @Test
    void with_a_namespace_that_is_out_it_is_not_ready_and_says_why() {
        handler = handlerOver(failing(new NamespaceException("disk I/O error")));

        Response response = get("/readyz");

        assertThat(response.status()).isEqualTo(503);
        assertThat(text(response)).contains("the namespace does not answer: disk I/O error");
    }

    @Test
    void a_namespace_that_hangs_holds_up_no_check_for_ever_and_no_second_thread() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        List<Thread> pinging = new ArrayList<>();
        Namespace hung = (Namespace) Proxy.newProxyInstance(
                Namespace.class.getClassLoader(), new Class<?>[] {Namespace.class}, (proxy, method, args) -> {
                    pinging.add(Thread.currentThread());
                    release.await();
                    return null;
                });
        Readiness readiness =
                new Readiness(hung, accounts, new Placement(Thresholds.DEFAULT), java.time.Duration.ofMillis(20));

        assertThat(readiness.reasonsAgainst()).containsExactly("the namespace has not answered for 20 ms");
        assertThat(readiness.reasonsAgainst()).containsExactly("the namespace has not answered for 20 ms");
        assertThat(pinging).hasSize(1);

        release.countDown();
        pinging.getFirst().join();
        assertThat(readiness.reasonsAgainst()).isEmpty();
    }

    @Test
    void a_gateway_that_stops_is_not_ready() {
        handler.stopping();

        assertThat(get("/readyz").status()).isEqualTo(503);
        assertThat(text(get("/readyz"))).contains("the gateway is stopping");
        assertThat(get("/healthz").status()).isEqualTo(200);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Bearer",
                "Bearer ",
                "Bearer wrong",
                "Basic " + TOKEN,
                TOKEN,
                "Bearer " + TOKEN + "x",
                "Bearer the-admin-token-of-this-tes"
            })
    void the_api_refuses_whoever_has_not_the_token(String authorization) {
        for (String target :
                List.of("/admin/v1/accounts", "/admin/v1/buckets", "/admin/v1/explain?bucket=b&key=k", "/admin/x")) {
            Response response = authorization.isEmpty() ? get(target) : get(target, "authorization", authorization);
            assertThat(response.status()).isEqualTo(401);
            assertThat(text(response)).doesNotContain("disk-1");
        }
    }

    @Test
    void the_scheme_of_the_token_may_be_written_in_any_case() {
        assertThat(get("/admin/v1/accounts", "authorization", "bearer  " + TOKEN)
                        .status())
                .isEqualTo(200);
    }

    @Test
    void accounts_come_as_a_table_for_people() {
        open(accounts.all().get(1).breaker());
        accounts.all().get(0).meter().setUsage(3 << 20, 0, 0);

        assertThat(text(getAsAdmin("/admin/v1/accounts", "text/plain"))).isEqualTo("""
                NAME    FROM    KIND   REGION   STATE                 HELD     RESERVED  GARBAGE  GARBAGE BLOBS  REQUESTS/S  IN/S  OUT/S
                disk-1  config  local  eu-west  ok                    3.0 MiB  0 B       0 B      0              0           0 B   0 B
                disk-2  config  local  eu-west  breaker open for 0 s  0 B      0 B       0 B      0              0           0 B   0 B
                """);
    }

    @Test
    void accounts_come_as_json_for_programs() {
        Response response = getAsAdmin("/admin/v1/accounts", "application/json");

        assertThat(response.headers()).contains(new RequestHead.Field("content-type", "application/json"));
        assertThat(text(response))
                .startsWith(
                        "{\"accounts\":[{\"name\":\"disk-1\",\"from\":\"config\",\"kind\":\"local\",\"region\":\"eu-west\",\"breaker\":\"closed\",")
                .contains(
                        "\"limits\":{\"capacity_bytes\":1073741824,\"requests_per_second\":100,\"ingress_bytes_per_second\":null,")
                .endsWith("}],\"faulty\":[],\"not_configured\":[],\"drains\":[],\"rebalance\":"
                        + "{\"running\":false,\"moved_blobs\":0,\"moved_bytes\":0}}\n");
    }

    @Test
    void an_account_is_drained_and_undrained_and_tells_how_far_it_is() {
        assertThat(text(askAsAdmin("PUT", "/admin/v1/accounts/disk-1/draining", "text/plain")))
                .isEqualTo("""
                NAME    STATE
                disk-1  draining
                """);
        assertThat(accounts.all().getFirst().draining()).isTrue();
        assertThat(namespace.accountModes().get("disk-1").draining()).isTrue();
        namespace.discard(List.of(new Garbage(blob(), "disk-1", 10, Instant.EPOCH)));

        assertThat(text(getAsAdmin("/admin/v1/accounts", "text/plain"))).endsWith("""

                DRAINING  BLOBS LEFT  BYTES LEFT  MOVED  BYTES MOVED  BYTES/S  END
                disk-1    0           0 B         0      0 B          0 B      reached
                """);
        assertThat(text(getAsAdmin("/admin/v1/accounts", "application/json")))
                .contains("\"drains\":[{\"account\":\"disk-1\",\"remaining_blobs\":0,\"remaining_bytes\":0,"
                        + "\"moved_blobs\":0,\"moved_bytes\":0,\"bytes_per_second\":0,\"missing_blobs\":0,"
                        + "\"expected_end\":null}]");
        assertThat(text(get("/metrics")))
                .contains(
                        "headgate_account_draining{account=\"disk-1\"} 1.0",
                        "headgate_drain_bytes_moved_total{account=\"disk-1\"} 0.0",
                        "headgate_drain_remaining_seconds{account=\"disk-1\"} NaN",
                        "headgate_drain_remaining_seconds{account=\"disk-2\"} 0.0");

        assertThat(text(askAsAdmin("DELETE", "/admin/v1/accounts/disk-1/draining", "application/json")))
                .isEqualTo("{\"name\":\"disk-1\",\"draining\":false,\"read_only\":false}\n");
        assertThat(accounts.all().getFirst().draining()).isFalse();
    }

    @Test
    void the_last_account_that_takes_blobs_is_not_drained() {
        assertThat(askAsAdmin("PUT", "/admin/v1/accounts/disk-2/read-only", "text/plain")
                        .status())
                .isEqualTo(200);
        assertThat(text(get("/metrics"))).contains("headgate_account_read_only{account=\"disk-2\"} 1.0");

        Response refused = askAsAdmin("PUT", "/admin/v1/accounts/disk-1/draining", "text/plain");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(text(refused)).contains("no other account");
        assertThat(namespace.accountModes().getOrDefault("disk-1", AccountMode.NONE))
                .isEqualTo(AccountMode.NONE);

        askAsAdmin("DELETE", "/admin/v1/accounts/disk-2/read-only", "text/plain");
        assertThat(accounts.all().get(1).readOnly()).isFalse();
    }

    @Test
    void a_change_needs_the_token_and_an_account_that_is_there() {
        assertThat(ask("PUT", "/admin/v1/accounts/disk-1/draining").status()).isEqualTo(401);
        assertThat(accounts.all().getFirst().draining()).isFalse();
        for (String mode : List.of("draining", "read-only")) {
            assertThat(askAsAdmin("PUT", "/admin/v1/accounts/disk-9/" + mode, "text/plain")
                            .status())
                    .isEqualTo(404);
        }
        assertThat(askAsAdmin("PUT", "/admin/v1/accounts/disk-1", "text/plain").status())
                .isEqualTo(405);
        assertThat(askAsAdmin("DELETE", "/admin/v1/buckets/photos", "text/plain")
                        .status())
                .isEqualTo(405);
        assertThat(askAsAdmin("PUT", "/admin/v1/accounts/%zz/draining", "text/plain")
                        .status())
                .isEqualTo(400);
    }

    private Response askAsAdmin(String method, String target, String accept) {
        return ask(method, target, "authorization", "Bearer " + TOKEN, "accept", accept);
    }

    @Test
    void explain_says_of_a_new_write_which_filter_rejects_which_account() {
        bucket("photos", "alice", "eu-west");
        open(accounts.all().get(0).breaker());
        accounts.all().get(1).meter().setUsage(1_000_000_000, 0, 0);

        assertThat(text(getAsAdmin("/admin/v1/explain?bucket=photos&key=a%20b", "text/plain")))
                .isEqualTo("""
                The object does not exist.

                A new write of 0 bytes, preferred region eu-west:
                ACCOUNT  REGION   VERDICT
                disk-1   eu-west  rejected by breaker_open (breaker open)
                disk-2   eu-west  rejected by capacity (1000000000 of 1073741824 bytes used, 0 more wanted)
                """);
        assertThat(text(getAsAdmin("/admin/v1/explain?bucket=photos&key=a%20b", "application/json")))
                .startsWith(
                        "{\"object\":null,\"new_write\":{\"size_bytes\":0,\"preferred_region\":\"eu-west\",\"accounts\":[")
                .contains(
                        "{\"name\":\"disk-1\",\"region\":\"eu-west\",\"eligible\":false,\"rejected_by\":[{\"filter\":\"breaker_open\",");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/admin/v1/explain", "/admin/v1/explain?bucket=photos", "/admin/v1/explain?bucket=photos&key=",
                "/admin/v1/explain?bucket=P&key=k", "/admin/v1/explain?bucket=photos&key=%zz", "/admin/v1/buckets/%2F"
            })
    void a_malformed_question_is_refused(String target) {
        assertThat(getAsAdmin(target, "text/plain").status()).isEqualTo(400);
    }

    @Test
    void buckets_of_every_user_are_listed_and_one_is_shown_with_its_use() {
        bucket("photos", "alice", "eu-west");
        bucket("logs", "root", "");

        assertThat(text(getAsAdmin("/admin/v1/buckets", "text/plain"))).isEqualTo("""
                NAME    OWNER  REGION     CREATED
                logs    root   us-east-1  2026-11-30T06:00:00Z
                photos  alice  eu-west    2026-11-30T06:00:00Z
                """);
        assertThat(text(getAsAdmin("/admin/v1/buckets/photos", "application/json")))
                .isEqualTo(
                        "{\"name\":\"photos\",\"owner\":\"alice\",\"location\":\"eu-west\",\"region\":\"eu-west\",\"created\":\"2026-11-30T06:00:00.000Z\","
                                + "\"objects\":0,\"bytes\":0}\n");
        assertThat(getAsAdmin("/admin/v1/buckets/nothing", "text/plain").status())
                .isEqualTo(404);
        assertThat(getAsAdmin("/admin/v1/explain?bucket=nothing&key=k", "text/plain")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void metrics_tell_of_accounts_breakers_garbage_namespace_and_jvm() throws IOException {
        accounts.all().get(0).probe(blob());
        open(accounts.all().get(1).breaker());
        metrics.placementRefused(List.of(new Rejection("disk-2", Filter.BREAKER_OPEN, "")));
        metrics.counter("headgate.test.count", "A count", () -> 7);
        System.gc();

        String scrape = text(get("/metrics"));

        assertThat(scrape)
                .contains(
                        "headgate_account_calls_total{account=\"disk-1\",call=\"probe\",result=\"ok\"} 1.0",
                        "headgate_account_call_seconds_count{account=\"disk-1\",call=\"probe\"} 1",
                        "headgate_account_breaker{account=\"disk-1\",state=\"closed\"} 1.0",
                        "headgate_account_breaker{account=\"disk-2\",state=\"open\"} 1.0",
                        "headgate_account_breaker{account=\"disk-2\",state=\"closed\"} 0.0",
                        "headgate_account_breaker_changes_total{account=\"disk-2\",state=\"open\"} 1.0",
                        "headgate_account_capacity_bytes{account=\"disk-1\"} 1.073741824E9",
                        "headgate_account_ingress_limit_bytes{account=\"disk-1\"} +Inf",
                        "headgate_placement_refusals_total{filter=\"breaker_open\"} 1.0",
                        "headgate_placement_rejecting{account=\"disk-2\",filter=\"breaker_open\"} 1.0",
                        "headgate_garbage_blobs{account=\"disk-1\"} 0.0",
                        "headgate_namespace_call_seconds_count{call=\"account_usage\"} 1",
                        "headgate_test_count_total 7.0",
                        "jvm_memory_used_bytes");
    }

    @Test
    void metrics_come_also_while_the_namespace_is_out() {
        handler = handlerOver(failing(new NamespaceException("out")));

        Response response = get("/metrics");

        assertThat(response.status()).isEqualTo(200);
        assertThat(text(response)).contains("headgate_namespace_failures_total{call=\"account_usage\"} 1.0");
    }

    @Test
    void while_the_namespace_is_out_the_api_says_so_without_its_inner_words() {
        handler = handlerOver(failing(new NamespaceException("secret path /srv/x")));

        Response response = getAsAdmin("/admin/v1/buckets", "text/plain");

        assertThat(response.status()).isEqualTo(503);
        assertThat(text(response)).isEqualTo("the namespace does not answer\n");
    }

    @Test
    void other_methods_and_other_pages_are_refused() {
        assertThat(ask("PATCH", "/healthz").status()).isEqualTo(405);
        assertThat(ask("POST", "/healthz").status()).isEqualTo(401);
        assertThat(askAsAdmin("POST", "/healthz", "text/plain").status()).isEqualTo(405);
        assertThat(get("/").status()).isEqualTo(404);
        assertThat(getAsAdmin("/admin/v1/nothing", "text/plain").status()).isEqualTo(404);
    }

    @Test
    void a_head_request_is_answered_with_the_length_alone() {
        assertThat(ask("HEAD", "/healthz").body()).isEqualTo(new Response.Body.None(3));
    }

    private static Namespace failing(NamespaceException outage) {
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
