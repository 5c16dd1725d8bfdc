package io.headgate.namespace.redis;

import io.headgate.namespace.AccountRemoval;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.AddedAccount;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.Intent;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Accounts that were added at run time, each a document. Thread-safe. */
final class AddedAccounts {
    private static final String PREFIX = "added/";
    private static final String FORGETS = "forgets";
    /** Later than anything is queued. */
    private static final Instant END = Instant.ofEpochMilli((1L << 48) - 1);
    /** So much garbage is forgotten in a step. */
    private static final int FORGET_STEP = 1_000;

    private final Documents documents;
    private final Blobs blobs;
    private final GarbageQueue garbage;
    private final Intents intents;

    AddedAccounts(Documents documents, Blobs blobs, GarbageQueue garbage, Intents intents) {
        this.documents = documents;
        this.blobs = blobs;
        this.garbage = garbage;
        this.intents = intents;
    }

    /** @param forgets whether its garbage is to be forgotten with it */
    private record Stored(AddedAccount account, boolean forgets) {
        static Stored read(String name, String text) {
            String[] lines = text.split("\n", 4);
            Optional<Instant> removing =
                    lines[1].isEmpty() ? Optional.empty() : Optional.of(Instant.ofEpochMilli(Long.parseLong(lines[1])));
            return new Stored(
                    new AddedAccount(name, lines[3], Instant.ofEpochMilli(Long.parseLong(lines[0])), removing),
                    lines[2].equals(FORGETS));
        }

        String text() {
            String since = account.removingSince()
                    .map(instant -> Long.toString(instant.toEpochMilli()))
                    .orElse("");
            return account.addedAt().toEpochMilli() + "\n" + since + "\n" + (forgets ? FORGETS : "") + "\n"
                    + account.definition();
        }

        Stored removing(Optional<Instant> since, boolean forgetGarbage) {
            return new Stored(
                    new AddedAccount(account.name(), account.definition(), account.addedAt(), since), forgetGarbage);
        }
    }

    List<AddedAccount> all() {
        return documents.all(PREFIX).entrySet().stream()
                .map(entry -> Stored.read(entry.getKey(), entry.getValue()).account)
                .sorted(Comparator.comparing(AddedAccount::name))
                .toList();
    }

    /** Whether the garbage of an account is to be forgotten with it. */
    boolean forgetsGarbage(String name) {
        String text = documents.get(PREFIX + name);
        return !text.isEmpty() && Stored.read(name, text).forgets;
    }

    void restore(String name, String definition, Instant addedAt, Optional<Instant> removing, boolean forgets) {
        String text = new Stored(new AddedAccount(name, definition, addedAt, removing), forgets).text();
        documents.change(PREFIX + name, _ -> text);
    }

    boolean add(String name, String definition, Instant now) {
        Map<String, String> all = documents.all(PREFIX);
        if (!all.containsKey(name) && all.size() >= AddedAccount.MAX) {
            return false;
        }
        Stored fresh = new Stored(new AddedAccount(name, definition, now, Optional.empty()), false);
        String there = documents.change(PREFIX + name, text -> text.isEmpty() ? fresh.text() : text);
        return Stored.read(name, there).account.definition().equals(definition);
    }

    /** Takes the wish to remove it back. */
    void keep(String name) {
        documents.change(
                PREFIX + name,
                text -> text.isEmpty()
                        ? text
                        : Stored.read(name, text)
                                .removing(Optional.empty(), false)
                                .text());
    }

    private AccountUsage held(String name) {
        return blobs.usage().getOrDefault(name, AccountUsage.NONE);
    }

    AccountRemoval remove(String name, boolean forgetGarbage, Instant now) {
        String there = documents.get(PREFIX + name);
        if (there.isEmpty()) {
            return forgetGarbage ? forgetOfUnknown(name) : AccountRemoval.UNKNOWN;
        }
        if (!Fleet.mode(documents.get(Fleet.MODE + name)).draining()) {
            return AccountRemoval.NOT_DRAINING;
        }
        Stored stored = Stored.read(name, there);
        Optional<Instant> since = stored.account.removingSince();
        boolean forgets = forgetGarbage || stored.forgets;
        // Writes first: one that ends between the two looks shows in the second.
        boolean mayBeWritten = since.isEmpty() || mayBeWritten(since.get(), forgets, now);
        AccountUsage held = held(name);
        if (held.blobs() > 0 || (held.garbageBlobs() > 0 && !forgets)) {
            return AccountRemoval.NOT_EMPTY;
        }
        String then = stored.removing(Optional.of(since.orElse(now)), forgets).text();
        if (!then.equals(there) && !documents.swap(PREFIX + name, there, then)) {
            return AccountRemoval.PENDING; // somebody else has changed it
        }
        if (mayBeWritten) {
            return AccountRemoval.PENDING;
        }
        if (held.garbageBlobs() > 0) {
            // What is left when there is none is being copied by a move, which is given up sooner or later.
            return forget(name, END) > 0 ? AccountRemoval.FORGETTING : AccountRemoval.PENDING;
        }
        if (!documents.swap(PREFIX + name, then, "")) {
            return AccountRemoval.PENDING;
        }
        documents.change(Fleet.MODE + name, _ -> "");
        return AccountRemoval.REMOVED;
    }

    /**
     * Whether a write may be under way that chose the account before every gateway knew that it drains.
     *
     * @param forgets whether what such a write left there need not be found any more
     */
    private boolean mayBeWritten(Instant removingSince, boolean forgets, Instant now) {
        Instant settled = removingSince.plus(AccountRemoval.SETTLE);
        List<Intent> open = forgets ? intents.standing() : intents.all();
        return now.isBefore(settled)
                || open.stream().anyMatch(intent -> !intent.openedAt().isAfter(settled));
    }

    /** Younger garbage stays: a write that is sent again under its intent must find that its blob was queued. */
    private AccountRemoval forgetOfUnknown(String name) {
        Instant before = intents.standing().stream()
                .map(Intent::openedAt)
                .min(Comparator.naturalOrder())
                .orElse(END);
        AccountUsage held = held(name);
        if (held.blobs() > 0) {
            return AccountRemoval.NOT_EMPTY;
        }
        if (held.garbageBlobs() > 0) {
            return forget(name, before) > 0 ? AccountRemoval.FORGETTING : AccountRemoval.PENDING;
        }
        String mode = documents.get(Fleet.MODE + name);
        return !mode.isEmpty() && documents.swap(Fleet.MODE + name, mode, "")
                ? AccountRemoval.REMOVED
                : AccountRemoval.UNKNOWN;
    }

    private int forget(String name, Instant queuedBefore) {
        List<Garbage> due = garbage.page(name, Optional.empty(), queuedBefore, FORGET_STEP);
        blobs.forget(name, due.stream().map(Garbage::blob).toList());
        return due.size();
    }
}
