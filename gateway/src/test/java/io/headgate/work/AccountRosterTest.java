package io.headgate.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.account.Account;
import io.headgate.account.AccountListener;
import io.headgate.account.Accounts;
import io.headgate.account.CircuitBreaker;
import io.headgate.account.Limits;
import io.headgate.blob.s3.S3BlobStore;
import io.headgate.blob.s3.S3Settings;
import io.headgate.blob.s3.TestService;
import io.headgate.namespace.AccountRemoval;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.Intent;
import io.headgate.work.AccountRoster.Addition;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Two gateways over one namespace, with buckets that both can open. What defines an account is its name. */
@Timeout(60)
final class AccountRosterTest {
    @TempDir
    Path directory;

    private Site site;
    private Gateway here;
    private Gateway there;
    private final Map<String, S3Settings> places = new HashMap<>();

    private final class Gateway {
        final Accounts accounts;
        final AccountRoster roster;
        final List<String> heard = new ArrayList<>();
        final Set<String> unable = new HashSet<>();

        Gateway(String name, Accounts configured) {
            accounts = configured;
            roster = new AccountRoster(
                    site.namespace,
                    accounts,
                    new AccountRoster.Definitions((file, text) -> new AccountRoster.Draft(text, text), this::open),
                    site.newIntents(name),
                    site.clock,
                    account -> heard.add("+" + account.name()),
                    account -> heard.add("-" + account.name()));
            accounts.refreshBy(roster::refresh);
        }

        private Account open(String name) {
            if (unable.contains(name)) {
                throw new IllegalArgumentException("a variable is not set");
            }
            S3Settings place = places.computeIfAbsent(name, _ -> TestService.settings(TestService.endpoint(), 1 << 20));
            return new Account(
                    new Account.Description(name, "s3", "", Limits.NONE),
                    CircuitBreaker.Settings.DEFAULT,
                    // The test's clock is not that of the service, which the store therefore does not tell.
                    new FaultyStore(new S3BlobStore(name, place, TestService.memory())),
                    site.clock::nanoTime,
                    AccountListener.NONE);
        }
    }

    @BeforeEach
    void open() {
        site = new Site(directory);
        here = new Gateway("here", site.accounts);
        there = new Gateway("there", new Accounts(List.of()));
    }

    @AfterEach
    void close() {
        site.close();
        there.accounts.close();
    }

    private static List<String> names(Gateway gateway) {
        return gateway.accounts.all().stream().map(Account::name).toList();
    }

    @Test
    void what_one_gateway_adds_the_others_open_with_their_next_look() {
        assertThat(here.roster.add("file", "s3-9", false)).isInstanceOf(Addition.Added.class);
        assertThat(names(here)).containsExactly("disk-1", "disk-2", "disk-3", "s3-9");
        assertThat(names(there)).isEmpty();

        there.roster.work();

        assertThat(names(there)).containsExactly("s3-9");
        assertThat(there.heard).containsExactly("+s3-9");
        there.roster.work();
        assertThat(there.heard).containsExactly("+s3-9");
    }

    @Test
    void an_account_that_a_read_asks_for_is_looked_for_at_once() {
        there.roster.work();
        here.roster.add("file", "s3-9", false);
        site.clock.move(Duration.ofMillis(1));

        assertThat(there.accounts.byName("s3-9")).isEmpty();
        assertThat(there.accounts.find("s3-9")).isPresent();
        assertThat(there.accounts.find("s3-8")).isEmpty();
    }

    @Test
    void an_account_comes_with_the_use_and_the_modes_that_the_namespace_knows() throws Exception {
        here.roster.add("file", "s3-9", false);
        site.put("a", "s3-9", 100);
        site.namespace.setReadOnly("s3-9", true);

        there.roster.work();

        Account account = there.accounts.byName("s3-9").orElseThrow();
        assertThat(account.meter().heldBytes()).isEqualTo(100);
        assertThat(account.readOnly()).isTrue();
        assertThat(account.draining()).isFalse();
    }

    @Test
    void a_name_is_taken_once() {
        here.roster.add("file", "s3-9", false);

        assertThat(here.roster.add("file", "disk-1", false)).isInstanceOf(Addition.Taken.class);
        assertThat(here.roster.add("file", "s3-9", false)).isEqualTo(new Addition.Known("s3-9"));
        assertThat(there.roster.add("file", "s3-9", false)).isEqualTo(new Addition.Known("s3-9"));
        assertThat(there.roster.add("file", "disk-1", true))
                .as("there it is free")
                .isInstanceOf(Addition.Added.class);
        here.roster.work();
        assertThat(here.accounts.byName("disk-1").orElseThrow().kind())
                .as("the configuration wins")
                .isEqualTo("local");
    }

    @Test
    void an_account_that_cannot_be_opened_is_told_and_tried_again() {
        there.unable.add("s3-8");
        here.roster.add("file", "s3-8", false);
        here.roster.add("file", "s3-9", false);
        there.roster.work();
        assertThat(names(there)).containsExactly("s3-9");
        assertThat(there.roster.faulty())
                .containsExactly(new AccountRoster.Faulty("s3-8", "a variable is not set", site.clock.instant()));
        assertThat(there.accounts.isComplete()).isFalse();
        assertThat(here.accounts.isComplete()).isTrue();

        there.unable.clear();
        there.roster.work();
        assertThat(names(there)).as("not at each look").containsExactly("s3-9");
        site.clock.move(Duration.ofSeconds(15));
        there.roster.work();
        assertThat(names(there)).containsExactly("s3-9", "s3-8");
        assertThat(there.roster.faulty()).isEmpty();
        assertThat(there.accounts.isComplete()).isTrue();
    }

    @Test
    void an_account_whose_check_fails_is_added_only_by_force() {
        places.put("s3-9", missingBucket());

        assertThat(here.roster.add("file", "s3-9", false)).isInstanceOf(Addition.Failed.class);
        assertThat(site.namespace.addedAccounts()).isEmpty();
        assertThat(here.heard).isEmpty();
        assertThat(here.roster.add("file", "s3-9", true)).isInstanceOf(Addition.Added.class);
        assertThat(names(here)).contains("s3-9");
        assertThat(here.roster.check("s3-9").orElseThrow().passed()).isFalse();
    }

    private static S3Settings missingBucket() {
        S3Settings place = TestService.settings(TestService.endpoint(), 1 << 20);
        return new S3Settings(
                place.endpoint(),
                place.region(),
                "no-such-bucket",
                place.prefix(),
                place.pathStyle(),
                place.credentials(),
                place.checksum(),
                place.maxConnections(),
                place.stallTimeout(),
                place.partBytes());
    }

    @Test
    void a_check_of_an_account_that_works_leaves_nothing() throws Exception {
        assertThat(here.roster.check("disk-2").orElseThrow().passed()).isTrue();
        assertThat(here.roster.check("disk-7")).isEmpty();
        assertThat(site.blobs("disk-2")).isEmpty();
        assertThat(site.namespace.accountUsage()).doesNotContainKey("disk-2");
    }

    @Test
    void an_account_goes_from_all_gateways_when_it_is_empty_and_its_writes_have_ended() throws Exception {
        here.roster.add("file", "s3-9", false);
        there.roster.work();
        assertThat(here.roster.remove("s3-9", false)).isEqualTo(AccountRemoval.NOT_DRAINING);
        site.namespace.setDraining("s3-9", true);
        site.put("a", "s3-9", 10);
        assertThat(here.roster.remove("s3-9", false)).isEqualTo(AccountRemoval.NOT_EMPTY);
        site.namespace.closeIntents(
                site.namespace.standingIntents().stream().map(Intent::id).toList());
        site.delete("a");
        site.namespace.garbageDeleted(
                "s3-9",
                site.namespace.dueGarbage("s3-9", site.clock.instant().plusSeconds(1), 10).stream()
                        .map(Garbage::blob)
                        .toList());
        site.clock.move(Duration.ofSeconds(1));

        assertThat(here.roster.remove("s3-9", false)).isEqualTo(AccountRemoval.PENDING);
        assertThat(here.roster.removing()).containsExactly("s3-9");
        assertThat(names(here)).contains("s3-9");
        site.clock.move(AccountRemoval.SETTLE);
        there.roster.work();
        assertThat(names(there)).isEmpty();
        assertThat(there.heard).containsExactly("+s3-9", "-s3-9");
        site.clock.move(Duration.ofSeconds(1));
        here.roster.work();
        assertThat(names(here)).containsExactly("disk-1", "disk-2", "disk-3");
        assertThat(here.roster.removing()).isEmpty();
    }

    @Test
    void an_account_goes_with_its_garbage_when_its_service_is_gone_for_good() throws Exception {
        here.roster.add("file", "s3-9", false);
        there.roster.work();
        site.put("a", "s3-9", 10);
        site.delete("a");
        site.namespace.setDraining("s3-9", true);
        here.unable.add("s3-9");
        there.unable.add("s3-9");
        assertThat(here.roster.remove("s3-9", true)).isEqualTo(AccountRemoval.PENDING);
        site.namespace.takeExpiredIntents(
                Instant.ofEpochMilli(Long.MAX_VALUE), 10); // and never swept, as that needs an answer

        site.clock.move(AccountRemoval.SETTLE);
        there.roster.work();

        assertThat(names(there)).isEmpty();
        assertThat(site.namespace.addedAccounts()).isEmpty();
        assertThat(site.namespace.accountUsage().getOrDefault("s3-9", AccountUsage.NONE))
                .isEqualTo(AccountUsage.NONE);
    }
}
