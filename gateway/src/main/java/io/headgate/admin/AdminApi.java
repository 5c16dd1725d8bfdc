package io.headgate.admin;

import io.headgate.account.Account;
import io.headgate.account.Accounts;
import io.headgate.account.Limits;
import io.headgate.account.Meter;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketQuery;
import io.headgate.namespace.BucketRange;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ManifestSlice;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.placement.AccountState;
import io.headgate.placement.Placement;
import io.headgate.placement.Rejection;
import io.headgate.placement.Wish;
import io.headgate.work.AccountRoster;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The questions that the admin API answers, each as text for people or as JSON for programs. Thread-safe. */
final class AdminApi {
    /** Of a large object, so many slices are shown. */
    static final int MAX_SLICES = 1_000;

    /** So many buckets are listed for an owner. */
    static final int MAX_BUCKETS = 10_000;

    private final Namespace namespace;
    private final Accounts accounts;
    private final Placement placement;
    private final AccountModesApi modes;
    private final AccountRoster roster;
    private final Supplier<Collection<String>> owners;
    private final String region;

    /** @param region of buckets that name none */
    AdminApi(
            Namespace namespace,
            Accounts accounts,
            Placement placement,
            AccountModesApi modes,
            AccountRoster roster,
            Supplier<Collection<String>> owners,
            String region) {
        this.namespace = namespace;
        this.accounts = accounts;
        this.placement = placement;
        this.modes = modes;
        this.roster = roster;
        this.owners = owners;
        this.region = region;
    }

    /** An answer in one of the two forms. */
    sealed interface Answer {
        record Text(String text) implements Answer {}

        record Json(JsonWriter json) implements Answer {}

        /** What was asked for does not exist. */
        record NotFound(String message) implements Answer {}

        /** What was asked for cannot be done as things are. */
        record Conflict(String message) implements Answer {}

        /** What was sent cannot be understood, in one line or several. */
        record Invalid(String message) implements Answer {}

        /** What was tried does not work, in several lines. */
        record Failed(String text) implements Answer {}
    }

    Answer accounts(boolean json) {
        return json ? new Answer.Json(accountsJson()) : new Answer.Text(accountsText());
    }

    private String accountsText() {
        TextTable table = new TextTable(
                "NAME",
                "FROM",
                "KIND",
                "REGION",
                "STATE",
                "HELD",
                "RESERVED",
                "GARBAGE",
                "GARBAGE BLOBS",
                "REQUESTS/S",
                "IN/S",
                "OUT/S");
        Set<String> removing = roster.removing();
        Map<String, AccountUsage> usage = new TreeMap<>(namespace.accountUsage());
        for (Account account : accounts.all()) {
            Meter meter = account.meter();
            AccountUsage of = Objects.requireNonNullElse(usage.remove(account.name()), AccountUsage.NONE);
            table.row(
                    account.name(),
                    origin(account.name()),
                    account.kind(),
                    account.region(),
                    removing.contains(account.name()) ? "removing, " + state(account) : state(account),
                    size(meter.heldBytes()),
                    size(meter.reservedBytes()),
                    size(of.garbageBytes()),
                    of.garbageBlobs(),
                    Math.round(meter.requestsPerSecond()),
                    size(Math.round(meter.ingressBytesPerSecond())),
                    size(Math.round(meter.egressBytesPerSecond())));
        }
        for (AccountRoster.Faulty faulty : roster.faulty()) {
            AccountUsage of = Objects.requireNonNullElse(usage.remove(faulty.name()), AccountUsage.NONE);
            String state = removing.contains(faulty.name()) ? "removing, faulty: " : "faulty: ";
            notOpen(table, faulty.name(), "added", state + faulty.reason(), of);
        }
        usage.values().removeIf(AccountUsage.NONE::equals);
        usage.forEach((name, of) -> notOpen(table, name, "", "not configured", of));
        return table.render() + modes.drainsText() + modes.rebalanceText();
    }

    private static void notOpen(TextTable table, String name, String origin, String state, AccountUsage usage) {
        String held = size(usage.liveBytes());
        String garbage = size(usage.garbageBytes());
        table.row(name, origin, "", "", state, held, "", garbage, usage.garbageBlobs(), "", "", "");
    }

    private JsonWriter accountsJson() {
        JsonWriter json = new JsonWriter(4096).beginObject().name("accounts").beginArray();
        Set<String> removing = roster.removing();
        Map<String, AccountUsage> usage = new TreeMap<>(namespace.accountUsage());
        for (Account account : accounts.all()) {
            Meter meter = account.meter();
            AccountUsage of = Objects.requireNonNullElse(usage.remove(account.name()), AccountUsage.NONE);
            Limits limits = account.limits();
            json.beginObject().name("name").value(account.name());
            json.name("from").value(origin(account.name()));
            json.name("kind").value(account.kind());
            json.name("region").value(account.region());
            json.name("breaker").value(lower(account.breaker().status()));
            Optional<Duration> silent = account.breaker().openFor();
            limit(json, "unanswered_seconds", silent.map(Duration::toSeconds).orElse(Limits.UNLIMITED));
            json.name("draining").value(account.draining());
            json.name("read_only").value(account.readOnly());
            json.name("removing").value(removing.contains(account.name()));
            json.name("held_bytes").value(meter.heldBytes());
            json.name("reserved_bytes").value(meter.reservedBytes());
            json.name("garbage_blobs").value(of.garbageBlobs());
            json.name("garbage_bytes").value(of.garbageBytes());
            limit(json, "usable_bytes", account.usableBytes());
            json.name("requests_total").value(meter.requestsTotal());
            json.name("bytes_in_total").value(meter.bytesInTotal());
            json.name("bytes_out_total").value(meter.bytesOutTotal());
            json.name("requests_per_second").value(Math.round(meter.requestsPerSecond()));
            json.name("ingress_bytes_per_second").value(Math.round(meter.ingressBytesPerSecond()));
            json.name("egress_bytes_per_second").value(Math.round(meter.egressBytesPerSecond()));
            json.name("limits").beginObject();
            limit(json, "capacity_bytes", limits.capacityBytes());
            limit(json, "requests_per_second", limits.requestsPerSecond());
            limit(json, "ingress_bytes_per_second", limits.ingressBytesPerSecond());
            limit(json, "egress_bytes_per_second", limits.egressBytesPerSecond());
            json.endObject().endObject();
        }
        json.endArray().name("faulty").beginArray();
        for (AccountRoster.Faulty faulty : roster.faulty()) {
            json.beginObject().name("name").value(faulty.name());
            json.name("reason").value(faulty.reason());
            json.name("since").instant(faulty.since().toEpochMilli());
            notOpen(json, Objects.requireNonNullElse(usage.remove(faulty.name()), AccountUsage.NONE));
        }
        json.endArray().name("not_configured").beginArray();
        usage.values().removeIf(AccountUsage.NONE::equals);
        usage.forEach((name, of) -> notOpen(json.beginObject().name("name").value(name), of));
        json.endArray().name("drains");
        modes.drainsJson(json);
        json.name("rebalance");
        modes.rebalanceJson(json);
        return json.endObject().endLine();
    }

    private static void notOpen(JsonWriter json, AccountUsage usage) {
        json.name("blobs").value(usage.blobs()).name("live_bytes").value(usage.liveBytes());
        json.name("garbage_blobs").value(usage.garbageBlobs());
        json.name("garbage_bytes").value(usage.garbageBytes()).endObject();
    }

    /** Whether the configuration names the account, or it was added at run time. */
    private String origin(String name) {
        return roster.isConfigured(name) ? "config" : "added";
    }

    static String state(Account account) {
        List<String> state = new ArrayList<>();
        if (account.draining()) {
            state.add("draining");
        }
        if (account.readOnly()) {
            state.add("read-only");
        }
        switch (account.breaker().status()) {
            case CLOSED -> {}
            case OPEN -> state.add("breaker open" + silentFor(account));
            case HALF_OPEN -> state.add("breaker half-open" + silentFor(account));
        }
        if (account.usableBytes() == 0) {
            state.add("unavailable");
        }
        return state.isEmpty() ? "ok" : String.join(", ", state);
    }

    private static String silentFor(Account account) {
        return account.breaker()
                .openFor()
                .map(silent -> " for " + lasting(silent))
                .orElse("");
    }

    /** A duration as people say it, in its two largest units. */
    static String lasting(Duration duration) {
        if (duration.toDays() > 0) {
            return duration.toDays() + " d " + duration.toHoursPart() + " h";
        }
        if (duration.toHours() > 0) {
            return duration.toHours() + " h " + duration.toMinutesPart() + " min";
        }
        return duration.toMinutes() > 0
                ? duration.toMinutes() + " min " + duration.toSecondsPart() + " s"
                : duration.toSeconds() + " s";
    }

    /** Where the current version's bytes are, and what placement would make of a write of its size. */
    Answer explain(BucketName bucketName, ObjectKey key, boolean json) {
        Optional<Bucket> bucket = namespace.bucket(bucketName);
        if (bucket.isEmpty()) {
            return new Answer.NotFound("no such bucket: " + bucketName);
        }
        Optional<ObjectVersion> version = switch (namespace.currentVersion(bucketName, key)) {
            case Outcome.Done<ObjectVersion>(ObjectVersion found) -> Optional.of(found);
            case Outcome.Refused<ObjectVersion> _ -> Optional.empty();
        };
        List<Slice> slices = version.map(found -> slices(found.manifest())).orElse(List.of());
        Wish wish = new Wish(
                bucket.get().location(), version.map(ObjectVersion::sizeBytes).orElse(0L), Set.of(), true);
        List<AccountState> states = accounts.states();
        List<Rejection> rejections = placement.explain(states, wish);
        return json
                ? new Answer.Json(explainJson(version, slices, wish, states, rejections))
                : new Answer.Text(explainText(version, slices, wish, states, rejections));
    }

    private List<Slice> slices(Manifest manifest) {
        return switch (manifest) {
            case Manifest.Inline(Optional<Slice> slice) -> slice.stream().toList();
            case Manifest.Stored stored ->
                namespace.slices(stored, 0, MAX_SLICES).stream()
                        .map(ManifestSlice::slice)
                        .toList();
        };
    }

    private static String explainText(
            Optional<ObjectVersion> version,
            List<Slice> slices,
            Wish wish,
            List<AccountState> states,
            List<Rejection> rejections) {
        StringBuilder text = new StringBuilder();
        if (version.isEmpty()) {
            text.append("The object does not exist.\n");
        } else {
            ObjectVersion found = version.get();
            text.append("The object has %d bytes, written %s.%n".formatted(found.sizeBytes(), found.lastModified()));
            TextTable table = new TextTable("ACCOUNT", "BLOB", "OFFSET", "LENGTH");
            slices.forEach(s -> table.row(s.account(), s.blob(), s.offsetBytes(), s.lengthBytes()));
            text.append(slices.isEmpty() ? "" : table.render());
            text.append(slices.size() == MAX_SLICES ? "... further slices are not shown\n" : "");
        }
        text.append("\nA new write of %d bytes%s:%n"
                .formatted(wish.sizeBytes(), wish.region().isEmpty() ? "" : ", preferred region " + wish.region()));
        TextTable verdicts = new TextTable("ACCOUNT", "REGION", "VERDICT");
        for (AccountState state : states) {
            List<String> reasons = new ArrayList<>();
            for (Rejection rejection : of(state, rejections)) {
                reasons.add(lower(rejection.filter()) + " (" + rejection.detail() + ")");
            }
            verdicts.row(
                    state.name(),
                    state.region(),
                    reasons.isEmpty() ? "eligible" : "rejected by " + String.join(", ", reasons));
        }
        return text.append(verdicts.render()).toString();
    }

    private static JsonWriter explainJson(
            Optional<ObjectVersion> version,
            List<Slice> slices,
            Wish wish,
            List<AccountState> states,
            List<Rejection> rejections) {
        JsonWriter json = new JsonWriter(4096).beginObject().name("object");
        if (version.isEmpty()) {
            json.nullValue();
        } else {
            ObjectVersion found = version.get();
            json.beginObject().name("size_bytes").value(found.sizeBytes());
            json.name("last_modified").instant(found.lastModified().toEpochMilli());
            json.name("slices").beginArray();
            for (Slice slice : slices) {
                json.beginObject().name("account").value(slice.account());
                json.name("blob").value(slice.blob().toString());
                json.name("offset_bytes").value(slice.offsetBytes());
                json.name("length_bytes").value(slice.lengthBytes()).endObject();
            }
            json.endArray().name("slices_complete").value(slices.size() < MAX_SLICES);
            json.endObject();
        }
        json.name("new_write").beginObject().name("size_bytes").value(wish.sizeBytes());
        json.name("preferred_region").value(wish.region());
        json.name("accounts").beginArray();
        for (AccountState state : states) {
            json.beginObject().name("name").value(state.name());
            json.name("region").value(state.region());
            json.name("eligible").value(of(state, rejections).isEmpty());
            json.name("rejected_by").beginArray();
            for (Rejection rejection : of(state, rejections)) {
                json.beginObject().name("filter").value(lower(rejection.filter()));
                json.name("detail").value(rejection.detail()).endObject();
            }
            json.endArray().endObject();
        }
        return json.endArray().endObject().endObject().endLine();
    }

    private static List<Rejection> of(AccountState state, List<Rejection> rejections) {
        return rejections.stream()
                .filter(rejection -> rejection.account().equals(state.name()))
                .toList();
    }

    Answer buckets(boolean json) {
        List<Bucket> buckets = new ArrayList<>();
        for (String owner : owners.get()) {
            buckets.addAll(namespace.listBuckets(new BucketQuery(owner, "", "", MAX_BUCKETS)));
        }
        if (json) {
            JsonWriter writer =
                    new JsonWriter(4096).beginObject().name("buckets").beginArray();
            buckets.forEach(bucket -> describe(writer.beginObject(), bucket).endObject());
            return new Answer.Json(writer.endArray().endObject().endLine());
        }
        TextTable table = new TextTable("NAME", "OWNER", "REGION", "CREATED");
        buckets.forEach(b -> table.row(b.name(), b.owner(), region(b), b.createdAt()));
        return new Answer.Text(table.render());
    }

    Answer bucket(BucketName name, boolean json) {
        Optional<Bucket> bucket = namespace.bucket(name);
        if (bucket.isEmpty()
                || !(namespace.bucketUsage(name) instanceof Outcome.Done<BucketUsage>(BucketUsage usage))) {
            return new Answer.NotFound("no such bucket: " + name);
        }
        if (json) {
            JsonWriter writer = describe(new JsonWriter(512).beginObject(), bucket.get());
            writer.name("objects").value(usage.objects()).name("bytes").value(usage.bytes());
            return new Answer.Json(writer.endObject().endLine());
        }
        Bucket found = bucket.get();
        return new Answer.Text(new TextTable("NAME", "OWNER", "REGION", "CREATED", "OBJECTS", "BYTES")
                .row(found.name(), found.owner(), region(found), found.createdAt(), usage.objects(), usage.bytes())
                .render());
    }

    Answer ranges(BucketName name, boolean json) {
        if (namespace.bucket(name).isEmpty()) {
            return new Answer.NotFound("no such bucket: " + name);
        }
        Optional<List<BucketRange>> ranges = namespace.bucketRanges(name);
        if (ranges.isEmpty()) {
            return new Answer.Conflict("the namespace's engine keeps each bucket in one place: it has no ranges");
        }
        if (json) {
            JsonWriter writer =
                    new JsonWriter(4096).beginObject().name("ranges").beginArray();
            for (BucketRange range : ranges.get()) {
                writer.beginObject().name("from").value(range.from()).name("to");
                if (range.to().isEmpty()) {
                    writer.nullValue();
                } else {
                    writer.value(range.to());
                }
                writer.name("slot").value(range.slot()).name("objects").value(range.objects());
                writer.name("bytes").value(range.bytes());
                writer.name("requests_per_second").value(Math.round(range.requestsPerSecond()));
                writer.endObject();
            }
            return new Answer.Json(writer.endArray().endObject().endLine());
        }
        TextTable table = new TextTable("FROM", "TO", "SLOT", "OBJECTS", "BYTES", "REQUESTS/S");
        ranges.get()
                .forEach(range -> table.row(
                        range.from(),
                        range.to(),
                        range.slot(),
                        range.objects(),
                        range.bytes(),
                        Math.round(range.requestsPerSecond())));
        return new Answer.Text(table.render());
    }

    private String region(Bucket bucket) {
        return bucket.location().isEmpty() ? region : bucket.location();
    }

    private JsonWriter describe(JsonWriter json, Bucket bucket) {
        json.name("name").value(bucket.name().value()).name("owner").value(bucket.owner());
        json.name("location").value(bucket.location()).name("region").value(region(bucket));
        return json.name("created").instant(bucket.createdAt().toEpochMilli());
    }

    private static void limit(JsonWriter json, String name, long limit) {
        json.name(name);
        if (limit == Limits.UNLIMITED) {
            json.nullValue();
        } else {
            json.value(limit);
        }
    }

    /** A size as people read it, in units of 1,024. */
    static String size(long bytes) {
        String[] units = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
        double value = bytes;
        int unit = 0;
        while (value >= 1024 && unit < units.length - 1) {
            value /= 1024;
            unit++;
        }
        return unit == 0 ? bytes + " B" : String.format(Locale.ROOT, "%.1f %s", value, units[unit]);
    }

    static String lower(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
