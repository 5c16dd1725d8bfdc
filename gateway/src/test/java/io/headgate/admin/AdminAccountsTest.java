package io.headgate.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.RequestHead;
import io.headgate.http.Response;
import io.headgate.namespace.AccountMode;
import io.headgate.namespace.Garbage;
import java.nio.file.Files;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the admin API tells of accounts, and does with them. */
final class AdminAccountsTest extends AdminFixture {
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
}
