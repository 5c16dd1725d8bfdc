package io.headgate.admin;

import io.headgate.account.Account;
import io.headgate.account.Accounts;
import io.headgate.admin.AdminApi.Answer;
import io.headgate.namespace.AccountMode;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.Rebalance;
import io.headgate.work.AccountDrain;
import io.headgate.work.AccountRoster;
import io.headgate.work.DrainProgress;
import java.time.Duration;
import java.time.InstantSource;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** What administrators want of the accounts, and how far their draining is. Thread-safe. */
final class AccountModesApi {
    private final Namespace namespace;
    private final Accounts accounts;
    private final AccountDrain drain;
    private final AccountRoster roster;
    private final InstantSource clock;

    AccountModesApi(
            Namespace namespace, Accounts accounts, AccountDrain drain, AccountRoster roster, InstantSource clock) {
        this.namespace = namespace;
        this.accounts = accounts;
        this.drain = drain;
        this.roster = roster;
        this.clock = clock;
    }

    /** How far the draining of an account is. */
    private record State(Account account, AccountUsage left, AccountMode mode, DrainProgress progress) {
        Optional<Duration> expected() {
            return progress.expected(left.blobs(), left.liveBytes());
        }
    }

    /** Refused if no other account is left that could take the blobs. */
    Answer setDraining(String name, boolean on, boolean json) {
        Optional<Account> account = accounts.byName(name);
        if (account.isEmpty() && !isFaulty(name)) {
            return noSuchAccount(name);
        }
        boolean othersLeft = accounts.all().stream()
                .anyMatch(other -> !other.name().equals(name) && !other.draining() && !other.readOnly());
        if (on && !othersLeft) {
            return new Answer.Conflict("no other account is left that could take the blobs of " + name);
        }
        namespace.setDraining(name, on);
        account.ifPresent(here -> here.setDraining(on)); // the other gateways follow within a second or so
        return answer(name, on, account.map(Account::readOnly).orElse(false), json);
    }

    /** An account that cannot be opened here may be drained by others, or be empty and to be removed. */
    private boolean isFaulty(String name) {
        return roster.faulty().stream().anyMatch(faulty -> faulty.name().equals(name));
    }

    Answer setReadOnly(String name, boolean on, boolean json) {
        Optional<Account> account = accounts.byName(name);
        if (account.isEmpty()) {
            return noSuchAccount(name);
        }
        namespace.setReadOnly(name, on);
        account.get().setReadOnly(on);
        return answer(name, account.get().draining(), on, json);
    }

    /** Refused if there are no two accounts that could give and take. */
    Answer setRebalancing(boolean on, boolean json) {
        Map<String, Long> takers = accounts.all().stream()
                .filter(account -> !account.draining() && !account.readOnly())
                .collect(Collectors.groupingBy(Account::region, Collectors.counting()));
        if (on && takers.values().stream().noneMatch(count -> count > 1)) {
            return new Answer.Conflict("there are no two accounts of one region that take blobs");
        }
        namespace.setRebalancing(on);
        long bytes = drain.bytesOutOfBalance(namespace.accountUsage());
        if (json) {
            JsonWriter writer = new JsonWriter(256).beginObject();
            writer.name("running").value(on).name("remaining_bytes").value(bytes);
            return new Answer.Json(writer.endObject().endLine());
        }
        return new Answer.Text(on ? "rebalancing: " + AdminApi.size(bytes) + " are to move\n" : "not rebalancing\n");
    }

    /** A table of how far the balancing is; empty if there is none. */
    String rebalanceText() {
        Rebalance rebalance = namespace.rebalance();
        if (!rebalance.running()) {
            return "";
        }
        long left = drain.bytesOutOfBalance(namespace.accountUsage());
        DrainProgress progress = drain.balanceProgress();
        return "\n"
                + new TextTable("REBALANCING", "BYTES LEFT", "MOVED", "BYTES MOVED", "BYTES/S", "END")
                        .row(
                                "",
                                AdminApi.size(left),
                                rebalance.movedBlobs(),
                                AdminApi.size(rebalance.movedBytes()),
                                AdminApi.size(Math.round(progress.bytesPerSecond())),
                                left == 0 ? "reached" : end(progress.expected(0, left)))
                        .render();
    }

    void rebalanceJson(JsonWriter json) {
        Rebalance rebalance = namespace.rebalance();
        json.beginObject().name("running").value(rebalance.running());
        json.name("moved_blobs").value(rebalance.movedBlobs());
        json.name("moved_bytes").value(rebalance.movedBytes());
        if (rebalance.running()) {
            long left = drain.bytesOutOfBalance(namespace.accountUsage());
            DrainProgress progress = drain.balanceProgress();
            json.name("remaining_bytes").value(left);
            json.name("bytes_per_second").value(Math.round(progress.bytesPerSecond()));
            expectedEnd(json, progress.expected(0, left));
        }
        json.endObject();
    }

    private static Answer noSuchAccount(String name) {
        return new Answer.NotFound("no such account: " + name);
    }

    private Answer answer(String name, boolean draining, boolean readOnly, boolean json) {
        if (json) {
            JsonWriter writer = new JsonWriter(256).beginObject();
            writer.name("name").value(name);
            writer.name("draining").value(draining);
            writer.name("read_only").value(readOnly);
            return new Answer.Json(writer.endObject().endLine());
        }
        String state = accounts.byName(name).map(AdminApi::state).orElse(draining ? "draining, faulty" : "faulty");
        return new Answer.Text(new TextTable("NAME", "STATE").row(name, state).render());
    }

    /** A table of the accounts that are draining; empty if there are none. The namespace is asked only if there are. */
    String drainsText() {
        List<State> drains = drains();
        if (drains.isEmpty()) {
            return "";
        }
        TextTable table =
                new TextTable("DRAINING", "BLOBS LEFT", "BYTES LEFT", "MOVED", "BYTES MOVED", "BYTES/S", "END");
        for (State state : drains) {
            table.row(
                    state.account().name(),
                    state.left().blobs(),
                    AdminApi.size(state.left().liveBytes()),
                    state.mode().movedBlobs(),
                    AdminApi.size(state.mode().movedBytes()),
                    AdminApi.size(Math.round(state.progress().bytesPerSecond())),
                    end(state));
        }
        return "\n" + table.render();
    }

    private String end(State state) {
        if (state.left().blobs() == 0) {
            return "reached";
        }
        return end(state.expected());
    }

    private String end(Optional<Duration> expected) {
        return expected.map(rest -> clock.instant()
                        .plus(rest)
                        .truncatedTo(ChronoUnit.SECONDS)
                        .toString())
                .orElse("unknown");
    }

    /** An array of the accounts that are draining. */
    void drainsJson(JsonWriter json) {
        json.beginArray();
        for (State state : drains()) {
            json.beginObject().name("account").value(state.account().name());
            json.name("remaining_blobs").value(state.left().blobs());
            json.name("remaining_bytes").value(state.left().liveBytes());
            json.name("moved_blobs").value(state.mode().movedBlobs());
            json.name("moved_bytes").value(state.mode().movedBytes());
            json.name("bytes_per_second").value(Math.round(state.progress().bytesPerSecond()));
            json.name("missing_blobs").value(state.progress().missingBlobs());
            expectedEnd(json, state.expected());
            json.endObject();
        }
        json.endArray();
    }

    private void expectedEnd(JsonWriter json, Optional<Duration> rest) {
        json.name("expected_end");
        if (rest.isPresent()) {
            json.instant(clock.instant().plus(rest.get()).toEpochMilli());
        } else {
            json.nullValue();
        }
    }

    private List<State> drains() {
        List<Account> draining =
                accounts.all().stream().filter(Account::draining).toList();
        if (draining.isEmpty()) {
            return List.of();
        }
        Map<String, AccountUsage> usage = namespace.accountUsage();
        Map<String, AccountMode> modes = namespace.accountModes();
        return draining.stream()
                .map(account -> new State(
                        account,
                        usage.getOrDefault(account.name(), AccountUsage.NONE),
                        modes.getOrDefault(account.name(), AccountMode.NONE),
                        drain.progress(account)))
                .toList();
    }
}
