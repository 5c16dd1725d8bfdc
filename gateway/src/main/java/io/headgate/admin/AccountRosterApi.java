package io.headgate.admin;

import io.headgate.account.Accounts;
import io.headgate.admin.AdminApi.Answer;
import io.headgate.blob.StoreCheck;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.Namespace;
import io.headgate.work.AccountRoster;
import io.headgate.work.AccountRoster.Addition;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;

/** Accounts that come and go at run time. What defines an account may hold secrets: no answer shows it. Thread-safe. */
final class AccountRosterApi {
    private final Namespace namespace;
    private final Accounts accounts;
    private final AccountRoster roster;
    private final InstantSource clock;

    AccountRosterApi(Namespace namespace, Accounts accounts, AccountRoster roster, InstantSource clock) {
        this.namespace = namespace;
        this.accounts = accounts;
        this.roster = roster;
        this.clock = clock;
    }

    /**
     * @param file where the document was written, for errors
     * @param force whether to add an account whose check fails
     */
    Answer add(String file, String document, boolean force, boolean json) {
        return switch (roster.add(file, document, force)) {
            case Addition.Added(String name, StoreCheck.Report report) ->
                checked("account " + name + " is added", name, report, json);
            case Addition.Known(String name) ->
                json
                        ? new Answer.Json(named(name)
                                .name("passed")
                                .nullValue()
                                .endObject()
                                .endLine())
                        : new Answer.Text("account " + name + " was added before, just so\n");
            case Addition.Invalid(String reason) -> new Answer.Invalid(reason);
            case Addition.Taken(String reason) -> new Answer.Conflict(reason);
            case Addition.Failed(String name, StoreCheck.Report report) ->
                new Answer.Failed(text(
                        "account " + name + " is not added, as its check fails; --force adds it nevertheless", report));
        };
    }

    Answer probe(String name, boolean json) {
        Optional<StoreCheck.Report> report = roster.check(name);
        if (report.isEmpty()) {
            return noSuchAccount(name);
        }
        String headline = "account " + name + (report.get().passed() ? " works" : " does not work as it should");
        return report.get().passed()
                ? checked(headline, name, report.get(), json)
                : new Answer.Failed(text(headline, report.get()));
    }

    /**
     * Refused, with what is left, unless the account is empty and draining.
     *
     * @param force whether what waits to be deleted there may stay there
     */
    Answer remove(String name, boolean force, boolean json) {
        if (roster.isConfigured(name)) {
            return new Answer.Conflict(
                    "account " + name + " is in the configuration: once it is drained and empty, take it"
                            + " out of storage_shards and restart the gateways");
        }
        AccountUsage before = usage(name);
        return switch (roster.remove(name, force)) {
            case UNKNOWN ->
                before.garbageBlobs() == 0
                        ? noSuchAccount(name)
                        : new Answer.Conflict("account " + name + " is not configured, and "
                                + amount(before.garbageBlobs(), before.garbageBytes())
                                + " wait to be deleted there; --force forgets them");
            case NOT_DRAINING ->
                new Answer.Conflict(
                        "account " + name + " takes blobs: empty it first, with headgate admin accounts drain " + name);
            case NOT_EMPTY -> new Answer.Conflict("account " + name + " is not empty: " + left(name));
            case PENDING ->
                removing(name, "removing", " goes when the writes have ended that are under way", before, json);
            case FORGETTING -> removing(name, "removing", " goes when all its garbage is forgotten", before, json);
            case REMOVED -> removing(name, "removed", " is removed", before, json);
        };
    }

    private Answer removing(String name, String state, String words, AccountUsage before, boolean json) {
        if (json) {
            JsonWriter writer = named(name).name("state").value(state);
            writer.name("garbage_blobs_left").value(before.garbageBlobs());
            writer.name("garbage_bytes_left").value(before.garbageBytes());
            return new Answer.Json(writer.endObject().endLine());
        }
        String text = "account " + name + words + '\n';
        if (before.garbageBlobs() > 0) {
            text += "%s that waited to be deleted there stay where they are, and are forgotten%n"
                    .formatted(amount(before.garbageBlobs(), before.garbageBytes()));
        }
        boolean ends = state.equals("removed") || roster.removing().contains(name);
        return new Answer.Text(
                ends ? text : text + "it was not added at run time: say this again until it is removed\n");
    }

    private AccountUsage usage(String name) {
        return namespace.accountUsage().getOrDefault(name, AccountUsage.NONE);
    }

    /** What keeps an account from being removed, and what could be done about it. */
    private String left(String name) {
        AccountUsage usage = usage(name);
        String left = amount(usage.blobs(), usage.liveBytes()) + " live there, and "
                + amount(usage.garbageBlobs(), usage.garbageBytes()) + " wait to be deleted";
        return usage.blobs() > 0
                ? left
                : left + ". " + answers(name) + " If it never comes back, --force removes it and leaves them behind";
    }

    private static String amount(long blobs, long bytes) {
        return blobs + (blobs == 1 ? " blob of " : " blobs of ") + AdminApi.size(bytes);
    }

    private String answers(String name) {
        Optional<Duration> silent = accounts.byName(name)
                .map(account -> account.breaker().openFor())
                .orElseGet(() -> roster.faulty().stream()
                        .filter(faulty -> faulty.name().equals(name))
                        .findFirst()
                        .map(faulty -> Duration.between(faulty.since(), clock.instant())));
        return silent.map(lasting -> "It has not answered this gateway for " + AdminApi.lasting(lasting) + ".")
                .orElse("It answers.");
    }

    private Answer noSuchAccount(String name) {
        return roster.faulty().stream()
                .filter(faulty -> faulty.name().equals(name))
                .findFirst()
                .<Answer>map(
                        faulty -> new Answer.Conflict("account " + name + " cannot be opened here: " + faulty.reason()))
                .orElse(new Answer.NotFound("no such account: " + name));
    }

    private static Answer checked(String headline, String name, StoreCheck.Report report, boolean json) {
        if (!json) {
            return new Answer.Text(text(headline, report));
        }
        JsonWriter writer =
                named(name).name("passed").value(report.passed()).name("steps").beginArray();
        for (StoreCheck.Finding finding : report.findings()) {
            writer.beginObject().name("step").value(finding.step().label());
            writer.name("verdict").value(AdminApi.lower(finding.verdict()));
            writer.name("detail").value(finding.detail()).endObject();
        }
        return new Answer.Json(writer.endArray().endObject().endLine());
    }

    private static JsonWriter named(String name) {
        return new JsonWriter(512).beginObject().name("name").value(name);
    }

    private static String text(String headline, StoreCheck.Report report) {
        StringBuilder text = new StringBuilder(headline).append('\n');
        report.findings().forEach(finding -> text.append("  ").append(finding).append('\n'));
        return text.toString();
    }
}
