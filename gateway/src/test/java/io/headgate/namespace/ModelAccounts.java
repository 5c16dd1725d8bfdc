package io.headgate.namespace;

import io.headgate.domain.BlobId;
import io.headgate.domain.Slice;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The part of {@link ModelNamespace} that concerns accounts: intents, garbage, moves, and what administrators want. */
abstract class ModelAccounts extends ModelState {
    private final Map<String, Lease> leases = new HashMap<>();
    private Rebalance rebalance = new Rebalance(false, 0, 0);
    private final TreeMap<String, AddedAccount> added = new TreeMap<>();
    private final Set<String> forgetting = new HashSet<>();
    private static final Comparator<Garbage> QUEUED = Comparator.comparing(Garbage::queuedAt)
            .thenComparing(garbage -> garbage.blob().createdAt())
            .thenComparing(Garbage::blob);

    ModelAccounts(long minPartBytes, InstantSource clock) {
        super(minPartBytes, clock);
    }

    @Override
    public Intent openIntent(String gateway, Instant openedAt, Instant lastStampAt, Instant expiresAt) {
        Intent intent = new Intent(++intentsMade, gateway, millis(openedAt), millis(lastStampAt), millis(expiresAt));
        intents.put(intent.id(), new IntentState(intent, false));
        return intent;
    }

    @Override
    public List<Long> renewIntents(Collection<Long> ids, Instant expiresAt) {
        List<Long> standing = new ArrayList<>();
        for (Long id : ids) {
            IntentState state = intents.get(id);
            if (state != null && !state.taken()) {
                Intent old = state.intent();
                Intent renewed = new Intent(id, old.gateway(), old.openedAt(), old.lastStampAt(), millis(expiresAt));
                intents.put(id, new IntentState(renewed, false));
                standing.add(id);
            }
        }
        return standing;
    }

    @Override
    public void closeIntents(Collection<Long> ids) {
        ids.forEach(intents::remove);
    }

    @Override
    public List<Intent> standingIntents() {
        return intents.values().stream()
                .filter(state -> !state.taken())
                .map(IntentState::intent)
                .toList();
    }

    @Override
    public List<Intent> takeExpiredIntents(Instant now, int limit) {
        List<Intent> expired = intents.values().stream()
                .filter(state -> state.taken() || state.intent().expiresAt().isBefore(now))
                .limit(limit)
                .map(IntentState::intent)
                .toList();
        expired.forEach(intent -> intents.put(intent.id(), new IntentState(intent, true)));
        return expired;
    }

    @Override
    public List<BlobId> unknownBlobs(String account, List<BlobId> asked) {
        return asked.stream().filter(blob -> !isKnown(blob, account)).toList();
    }

    boolean isKnown(BlobId blob, String account) {
        BlobState state = blobs.get(blob);
        CopyState copy = copies.get(new CopyName(blob, account));
        return (state != null && state.account.equals(account)) || (copy != null && copy.goneAt == null);
    }

    @Override
    public void discard(List<Garbage> discarded) {
        for (Garbage garbage : discarded) {
            CopyName name = new CopyName(garbage.blob(), garbage.account());
            if (isKnown(garbage.blob(), garbage.account())) {
                continue;
            }
            if (blobs.containsKey(garbage.blob()) || copies.containsKey(name)) {
                leaveBehind(name, garbage.sizeBytes(), garbage.queuedAt());
            } else {
                BlobState state = new BlobState(new Slice(garbage.blob(), garbage.account(), 0, garbage.sizeBytes()));
                state.queuedAt = garbage.queuedAt();
                blobs.put(garbage.blob(), state);
            }
        }
    }

    void leaveBehind(CopyName name, long sizeBytes, Instant queuedAt) {
        CopyState copy = new CopyState(sizeBytes);
        copy.queuedAt = queuedAt;
        copies.put(name, copy);
    }

    /** Of each account all at once, so that an engine's pages are compared put together. */
    @Override
    public LiveBlobs liveBlobs(String account, BlobId after, int limit) {
        List<LiveBlobs.LiveBlob> live = blobs.values().stream()
                .filter(blob -> blob.livesIn(account))
                .map(blob -> new LiveBlobs.LiveBlob(blob.whole.blob(), blob.whole.lengthBytes()))
                .sorted(Comparator.comparing(LiveBlobs.LiveBlob::blob))
                .filter(blob -> after == null || blob.blob().compareTo(after) > 0)
                .toList();
        List<LiveBlobs.LiveBlob> page = live.subList(0, Math.min(limit, live.size()));
        return new LiveBlobs(
                page, page.size() < live.size() ? Optional.of(page.getLast().blob()) : Optional.empty());
    }

    @Override
    public List<BlobMove> beginMoves(List<BlobMove> moves, Instant now) {
        Instant goneBefore = millis(released(now)).minus(MOVE_BACK_AFTER);
        List<BlobMove> recorded = new ArrayList<>();
        for (BlobMove move : moves) {
            BlobState blob = blobs.get(move.blob());
            if (blob == null || !blob.livesIn(move.from())) {
                continue;
            }
            CopyName name = new CopyName(move.blob(), move.to());
            CopyState copy = copies.get(name);
            long size = blob.whole.lengthBytes();
            if (copy == null || (copy.goneAt != null && copy.goneAt.isBefore(goneBefore))) {
                copy = new CopyState(size);
                copy.movingFrom = move.from();
                copies.put(name, copy);
            }
            if (move.from().equals(copy.movingFrom)) {
                recorded.add(new BlobMove(move.blob(), move.from(), move.to(), size));
            }
        }
        return recorded;
    }

    @Override
    public List<BlobMove> finishMoves(List<BlobMove> moves, Instant now) {
        List<BlobMove> finished = new ArrayList<>();
        for (BlobMove move : moves) {
            BlobState blob = blobs.get(move.blob());
            CopyName name = new CopyName(move.blob(), move.to());
            CopyState copy = copies.get(name);
            if (copy != null && copy.movingFrom != null) {
                if (blob != null && blob.livesIn(move.from())) {
                    copies.remove(name);
                    blob.account = move.to();
                    leaveBehind(new CopyName(move.blob(), move.from()), copy.sizeBytes, released(now));
                    modes.computeIfPresent(move.from(), (account, mode) -> moved(mode, copy.sizeBytes));
                    if (rebalance.running()
                            && !modes.getOrDefault(move.from(), AccountMode.NONE)
                                    .draining()) {
                        rebalance = new Rebalance(
                                true, rebalance.movedBlobs() + 1, rebalance.movedBytes() + copy.sizeBytes);
                    }
                } else {
                    release(copy, now);
                }
            }
            if (blob != null && blob.livesIn(move.to())) {
                finished.add(move);
            }
        }
        return finished;
    }

    static AccountMode moved(AccountMode mode, long bytes) {
        return new AccountMode(mode.draining(), mode.readOnly(), mode.movedBlobs() + 1, mode.movedBytes() + bytes);
    }

    void release(CopyState copy, Instant now) {
        copy.movingFrom = null;
        copy.queuedAt = released(now);
    }

    @Override
    public void abandonMoves(List<BlobMove> moves, Instant now) {
        for (BlobMove move : moves) {
            CopyState copy = copies.get(new CopyName(move.blob(), move.to()));
            if (copy != null && copy.movingFrom != null) {
                release(copy, now);
            }
        }
    }

    @Override
    public List<BlobMove> movesUnderWay(int limit) {
        return copies.entrySet().stream()
                .filter(copy -> copy.getValue().movingFrom != null)
                .map(copy -> new BlobMove(
                        copy.getKey().blob(),
                        copy.getValue().movingFrom,
                        copy.getKey().account(),
                        copy.getValue().sizeBytes))
                .limit(limit)
                .toList();
    }

    @Override
    public synchronized boolean lease(String name, String holder, Instant now, Instant until) {
        Lease held = leases.get(name);
        boolean free = held == null || held.holder.equals(holder) || !now.isBefore(held.until);
        if (free) {
            leases.put(name, new Lease(holder, until));
        }
        return free;
    }

    private record Lease(String holder, Instant until) {}

    @Override
    public Instant oldestRead(String gateway, Instant oldest, Instant now, Instant silentSince) {
        return oldest;
    }

    @Override
    public Map<String, AccountMode> accountModes() {
        return Map.copyOf(modes);
    }

    @Override
    public void setDraining(String account, boolean draining) {
        AccountMode mode = modes.getOrDefault(account, AccountMode.NONE);
        boolean begins = draining && !mode.draining();
        modes.put(
                account,
                new AccountMode(
                        draining, mode.readOnly(), begins ? 0 : mode.movedBlobs(), begins ? 0 : mode.movedBytes()));
        if (!draining) {
            forgetting.remove(account);
            added.computeIfPresent(
                    account, (name, one) -> new AddedAccount(name, one.definition(), one.addedAt(), Optional.empty()));
        }
    }

    @Override
    public void setReadOnly(String account, boolean readOnly) {
        AccountMode mode = modes.getOrDefault(account, AccountMode.NONE);
        modes.put(account, new AccountMode(mode.draining(), readOnly, mode.movedBlobs(), mode.movedBytes()));
    }

    @Override
    public Rebalance rebalance() {
        return rebalance;
    }

    @Override
    public void setRebalancing(boolean running) {
        rebalance = running && !rebalance.running()
                ? new Rebalance(true, 0, 0)
                : new Rebalance(running, rebalance.movedBlobs(), rebalance.movedBytes());
    }

    @Override
    public List<AddedAccount> addedAccounts() {
        return List.copyOf(added.values());
    }

    @Override
    public boolean addAccount(String name, String definition, Instant now) {
        if (added.size() < AddedAccount.MAX) {
            added.putIfAbsent(name, new AddedAccount(name, definition, millis(now), Optional.empty()));
        }
        return added.containsKey(name) && added.get(name).definition().equals(definition);
    }

    @Override
    public AccountRemoval removeAccount(String name, boolean forgetGarbage, Instant now) {
        AddedAccount account = added.get(name);
        AccountUsage usage = accountUsage().getOrDefault(name, AccountUsage.NONE);
        if (account == null) {
            return forgetGarbage ? forgetOfUnknown(name, usage) : AccountRemoval.UNKNOWN;
        }
        if (!modes.getOrDefault(name, AccountMode.NONE).draining()) {
            return AccountRemoval.NOT_DRAINING;
        }
        boolean forgets = forgetGarbage || forgetting.contains(name);
        if (usage.blobs() > 0 || (usage.garbageBlobs() > 0 && !forgets)) {
            return AccountRemoval.NOT_EMPTY;
        }
        if (forgetGarbage) {
            forgetting.add(name);
        }
        if (account.removingSince().isEmpty()) {
            added.put(name, new AddedAccount(name, account.definition(), account.addedAt(), Optional.of(millis(now))));
            return AccountRemoval.PENDING;
        }
        Instant settled = account.removingSince().get().plus(AccountRemoval.SETTLE);
        if (now.isBefore(settled)
                || intents.values().stream()
                        .filter(state -> !forgets || !state.taken())
                        .anyMatch(state -> !state.intent().openedAt().isAfter(settled))) {
            return AccountRemoval.PENDING;
        }
        if (usage.garbageBlobs() > 0) {
            return forget(name, Instant.MAX) > 0 ? AccountRemoval.FORGETTING : AccountRemoval.PENDING;
        }
        added.remove(name);
        modes.remove(name);
        forgetting.remove(name);
        return AccountRemoval.REMOVED;
    }

    AccountRemoval forgetOfUnknown(String name, AccountUsage usage) {
        Instant before = intents.values().stream()
                .filter(state -> !state.taken())
                .map(state -> state.intent().openedAt())
                .min(Comparator.naturalOrder())
                .orElse(Instant.MAX);
        if (usage.blobs() > 0) {
            return AccountRemoval.NOT_EMPTY;
        }
        if (usage.garbageBlobs() > 0) {
            return forget(name, before) > 0 ? AccountRemoval.FORGETTING : AccountRemoval.PENDING;
        }
        return modes.remove(name) == null ? AccountRemoval.UNKNOWN : AccountRemoval.REMOVED;
    }

    int forget(String account, Instant queuedBefore) {
        List<BlobId> forgotten = garbage(account)
                .filter(garbage -> garbage.queuedAt().isBefore(queuedBefore))
                .map(Garbage::blob)
                .toList();
        garbageDeleted(account, forgotten);
        return forgotten.size();
    }

    @Override
    public List<Garbage> dueGarbage(String account, Instant queuedBefore, int limit) {
        for (Map.Entry<Integer, ManifestState> entry : List.copyOf(manifests.entrySet())) {
            Instant orphanedAt = entry.getValue().orphanedAt;
            if (orphanedAt != null && orphanedAt.isBefore(queuedBefore)) {
                manifests.remove(entry.getKey());
                recount(orphanedAt);
            }
        }
        return garbage(account)
                .filter(garbage -> garbage.queuedAt().isBefore(queuedBefore))
                .limit(limit)
                .toList();
    }

    Stream<Garbage> garbage(String account) {
        Stream<Garbage> dead = blobs.values().stream()
                .filter(blob -> blob.queuedAt != null && blob.account.equals(account))
                .map(blob -> new Garbage(blob.whole.blob(), account, blob.whole.lengthBytes(), millis(blob.queuedAt)));
        Stream<Garbage> left = copies.entrySet().stream()
                .filter(copy ->
                        copy.getValue().isGarbage() && copy.getKey().account().equals(account))
                .map(copy -> new Garbage(
                        copy.getKey().blob(), account, copy.getValue().sizeBytes, millis(copy.getValue().queuedAt)));
        return Stream.concat(dead, left).sorted(QUEUED);
    }

    @Override
    public List<Garbage> garbage(String account, Garbage after, int limit) {
        return garbage(account)
                .filter(garbage -> after == null || QUEUED.compare(garbage, after) > 0)
                .limit(limit)
                .toList();
    }

    @Override
    public void garbageDeleted(String account, List<BlobId> deleted) {
        for (BlobId blob : deleted) {
            BlobState state = blobs.get(blob);
            CopyState copy = copies.get(new CopyName(blob, account));
            if (state != null && state.queuedAt != null && state.account.equals(account)) {
                blobs.remove(blob);
            } else if (copy != null && copy.isGarbage()) {
                copy.goneAt = millis(clock.instant());
            }
        }
    }

    @Override
    public Map<String, AccountUsage> accountUsage() {
        Map<String, AccountUsage> usage = new HashMap<>();
        for (BlobState blob : blobs.values()) {
            long size = blob.whole.lengthBytes();
            add(
                    usage,
                    blob.account,
                    blob.queuedAt == null ? new AccountUsage(1, size, 0, 0) : new AccountUsage(0, 0, 1, size));
        }
        copies.forEach((name, copy) -> {
            if (copy.goneAt == null) {
                add(usage, name.account(), new AccountUsage(0, 0, 1, copy.sizeBytes));
            }
        });
        return usage;
    }

    static void add(Map<String, AccountUsage> usage, String account, AccountUsage one) {
        usage.merge(
                account,
                one,
                (a, b) -> new AccountUsage(
                        a.blobs() + b.blobs(),
                        a.liveBytes() + b.liveBytes(),
                        a.garbageBlobs() + b.garbageBlobs(),
                        a.garbageBytes() + b.garbageBytes()));
    }

    @Override
    public List<AccountShare> shareAccounts(String gateway, List<AccountUse> uses, Duration lasting) {
        return uses.stream().map(AccountShare::alone).toList();
    }
}
