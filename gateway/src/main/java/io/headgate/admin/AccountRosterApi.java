package io.headgate.admin;

import io.headgate.admin.AdminApi.Answer;
import io.headgate.blob.StoreCheck;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.Namespace;
import io.headgate.work.AccountRoster;
import io.headgate.work.AccountRoster.Addition;
import java.util.Optional;

/** Accounts that come and go at run time. What defines an account may hold secrets: no answer shows it. Thread-safe. */
final class AccountRosterApi {
    private final Namespace namespace;
    private final AccountRoster roster;

    AccountRosterApi(Namespace namespace, AccountRoster roster) {
        this.namespace = namespace;
        this.roster = roster;
    }

    /** @param force whether to add an account whose check fails */
    Answer add(String document, boolean force, boolean json) {
        return switch (roster.add(document, force)) {
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

    /** Refused, with what is left, unless the account is empty and draining. */
    Answer remove(String name, boolean json) {
        if (roster.isConfigured(name)) {
            return new Answer.Conflict(
                    "account " + name + " is in the configuration: once it is drained and empty, take it"
                            + " out of storage_shards and restart the gateways");
        }
        return switch (roster.remove(name)) {
            case UNKNOWN -> noSuchAccount(name);
            case NOT_DRAINING ->
                new Answer.Conflict(
                        "account " + name + " takes blobs: empty it first, with headgate admin accounts drain " + name);
            case NOT_EMPTY -> new Answer.Conflict("account " + name + " is not empty: " + left(name));
            case PENDING -> removing(name, "removing", json);
            case REMOVED -> removing(name, "removed", json);
        };
    }

    private static Answer removing(String name, String state, boolean json) {
        return json
                ? new Answer.Json(
                        named(name).name("state").value(state).endObject().endLine())
                : new Answer.Text(
                        state.equals("removed")
                                ? "account " + name + " is removed\n"
                                : "account " + name
                                        + " is empty, and goes when the writes have ended that were under way\n");
    }

    private String left(String name) {
        AccountUsage usage = namespace.accountUsage().getOrDefault(name, AccountUsage.NONE);
        return "%d blobs of %s live there, and %d of %s wait to be deleted"
                .formatted(
                        usage.blobs(),
                        AdminApi.size(usage.liveBytes()),
                        usage.garbageBlobs(),
                        AdminApi.size(usage.garbageBytes()));
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
