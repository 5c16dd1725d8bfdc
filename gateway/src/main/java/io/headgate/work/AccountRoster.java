package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.Accounts;
import io.headgate.blob.StoreCheck;
import io.headgate.domain.BlobId;
import io.headgate.namespace.AccountMode;
import io.headgate.namespace.AccountRemoval;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.AddedAccount;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.WriteIntents;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The accounts that come and go at run time. They are kept in the namespace; each gateway looks there every second, opens what is new,
 * lets go of what was removed, and serves on meanwhile. One that cannot be opened here is told as faulty, tried again, and disturbs no
 * other. What the configuration names wins over what the namespace has under the same name. Thread-safe.
 */
public final class AccountRoster implements Worker {
    private static final Logger LOG = LoggerFactory.getLogger(AccountRoster.class);
    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration TRY_AGAIN = Duration.ofSeconds(15);
    private static final Duration REMOVE_INTERVAL = Duration.ofSeconds(3);
    private static final int FORGET_STEPS = 50;

    private final Namespace namespace;
    private final Accounts accounts;
    private final Set<String> configured = new HashSet<>();
    private final Definitions definitions;
    private final WriteIntents intents;
    private final InstantSource clock;
    private final Consumer<Account> opened;
    private final Consumer<Account> closed;
    private final ReentrantLock lock = new ReentrantLock();
    /** Those that the namespace had at the last look. Guarded by the lock, as those that follow. */
    private Map<String, AddedAccount> known = Map.of();

    private final Map<String, Opened> open = new HashMap<>();
    private final Map<String, Fault> faults = new TreeMap<>();
    private final Set<String> told = new HashSet<>();
    private Instant lookedAt = Instant.MIN;
    private Instant removeNotBefore = Instant.MIN;

    private record Opened(Account account, String definition) {}

    /** Why an account cannot be opened here. */
    private record Fault(String definition, String reason, Instant since, Instant triedAt) {}

    /**
     * How definitions are read and accounts opened.
     *
     * @param read of a file's name and what an administrator wrote there; throws IllegalArgumentException, with a message that shows no secret
     * @param open of what is kept; throws RuntimeException with such a message. The account speaks to its service when it is first used
     */
    public record Definitions(BiFunction<String, String, Draft> read, Function<String, Account> open) {}

    /**
     * An account that is to be added.
     *
     * @param definition as it is kept
     */
    public record Draft(String name, String definition) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** What came of the wish to add an account. */
    public sealed interface Addition {
        /** It is there from now on; some steps of the check may have failed if that was forced. */
        record Added(String name, StoreCheck.Report report) implements Addition {}

        /** It was there already, and is the same. */
        record Known(String name) implements Addition {}

        /** The definition cannot be used. */
        record Invalid(String reason) implements Addition {}

        /** The name or the place is taken. */
        record Taken(String reason) implements Addition {}

        /** It was checked and does not work. */
        record Failed(String name, StoreCheck.Report report) implements Addition {}
    }

    /** An account that this gateway cannot open, why, and since when. */
    public record Faulty(String name, String reason, Instant since) {}

    /**
     * A roster over the accounts of the configuration, which stay.
     *
     * @param intents announce the blobs of checks
     * @param opened told of each account that has come, before it takes blobs
     * @param closed told of each account that has gone, before its store is closed
     */
    public AccountRoster(
            Namespace namespace,
            Accounts accounts,
            Definitions definitions,
            WriteIntents intents,
            InstantSource clock,
            Consumer<Account> opened,
            Consumer<Account> closed) {
        this.namespace = namespace;
        this.accounts = accounts;
        this.definitions = definitions;
        this.intents = intents;
        this.clock = clock;
        this.opened = opened;
        this.closed = closed;
        accounts.all().forEach(account -> configured.add(account.name()));
    }

    @Override
    public String name() {
        return "account-roster";
    }

    @Override
    public Duration maxBackoff() {
        return Duration.ofSeconds(5);
    }

    @Override
    public Turn work() {
        lock.lock();
        try {
            look();
        } finally {
            lock.unlock();
        }
        endRemovals();
        return Turn.idle(INTERVAL);
    }

    /** Sees to it that all is known that was added before this was called. Those who ask at once share a look. */
    public void refresh() {
        Instant asked = clock.instant();
        lock.lock();
        try {
            if (!lookedAt.isAfter(asked)) {
                look();
            }
        } finally {
            lock.unlock();
        }
    }

    private void look() {
        Instant now = clock.instant();
        Map<String, AddedAccount> there = new TreeMap<>();
        namespace.addedAccounts().forEach(account -> there.put(account.name(), account));
        known = there;
        lookedAt = now;
        for (Map.Entry<String, Opened> one : List.copyOf(open.entrySet())) {
            AddedAccount current = there.get(one.getKey());
            if (current == null || !current.definition().equals(one.getValue().definition())) {
                close(one.getKey());
            }
        }
        faults.keySet().retainAll(there.keySet());
        tellOfOverridden(there.keySet());
        List<AddedAccount> missing = taken(there.values(), configured).stream()
                .filter(one -> isToOpen(one, now))
                .toList();
        if (!missing.isEmpty()) {
            Map<String, AccountUsage> usage = namespace.accountUsage();
            Map<String, AccountMode> modes = namespace.accountModes();
            missing.forEach(one -> open(one, usage, modes));
        }
        accounts.setComplete(faults.isEmpty());
    }

    /** Of the accounts that were added, those that are taken as the namespace has them: what the configuration names wins. */
    public static List<AddedAccount> taken(Collection<AddedAccount> added, Set<String> configured) {
        return added.stream().filter(one -> !configured.contains(one.name())).toList();
    }

    private void tellOfOverridden(Set<String> added) {
        for (String name : configured) {
            if (added.contains(name) && told.add(name)) {
                LOG.warn("account {} is taken from the configuration, and not as it was added at run time", name);
            }
        }
    }

    private boolean isToOpen(AddedAccount account, Instant now) {
        String name = account.name();
        Fault fault = faults.get(name);
        boolean waits = fault != null
                && fault.definition().equals(account.definition())
                && now.isBefore(fault.triedAt().plus(TRY_AGAIN));
        return !open.containsKey(name) && !waits;
    }

    private void open(AddedAccount one, Map<String, AccountUsage> usage, Map<String, AccountMode> modes) {
        try {
            Account account = definitions.open().apply(one.definition());
            adopt(account, one.definition(), usage, modes);
            faults.remove(one.name());
        } catch (RuntimeException failed) {
            String reason = String.valueOf(failed.getMessage());
            Instant now = clock.instant();
            Fault before = faults.get(one.name());
            faults.put(one.name(), new Fault(one.definition(), reason, before == null ? now : before.since(), now));
            if (before == null) {
                LOG.warn("account {} was added, but cannot be opened here: {}", one.name(), reason);
            }
        }
    }

    /** Before the account takes its first blob, its meter and modes are as the namespace has them. */
    private void adopt(
            Account account, String definition, Map<String, AccountUsage> usage, Map<String, AccountMode> modes) {
        AccountUsage of = usage.getOrDefault(account.name(), AccountUsage.NONE);
        AccountMode mode = modes.getOrDefault(account.name(), AccountMode.NONE);
        account.meter().setUsage(of.liveBytes(), of.garbageBytes(), 0);
        account.setDraining(mode.draining());
        account.setReadOnly(mode.readOnly());
        open.put(account.name(), new Opened(account, definition));
        opened.accept(account);
        accounts.add(account);
        LOG.info("account {} was added: {}", account.name(), account.kind());
    }

    private void close(String name) {
        Opened gone = open.remove(name);
        if (gone != null) {
            accounts.remove(gone.account());
            closed.accept(gone.account());
            gone.account().close();
            LOG.info("account {} is closed", name);
        }
    }

    /** What waits for writes of before to end goes when they have. Any gateway may see to it, as the namespace decides. */
    private void endRemovals() {
        Instant now = clock.instant();
        List<String> removing = new ArrayList<>();
        lock.lock();
        try {
            if (!now.isBefore(removeNotBefore)) {
                known.values().stream()
                        .filter(account -> account.removingSince().isPresent())
                        .forEach(account -> removing.add(account.name()));
                removeNotBefore = now.plus(REMOVE_INTERVAL);
            }
        } finally {
            lock.unlock();
        }
        for (String name : removing) {
            if (removeByNow(name, false) == AccountRemoval.REMOVED) {
                LOG.info("account {} is removed", name);
                refresh();
            }
        }
    }

    /**
     * Adds an account, for all gateways. It is checked first.
     *
     * @param file where it was written, for errors
     * @param document what an administrator wrote
     * @param force whether to add it though the check fails
     */
    public Addition add(String file, String document, boolean force) {
        Draft draft;
        Account account;
        try {
            draft = definitions.read().apply(file, document);
        } catch (IllegalArgumentException invalid) {
            return new Addition.Invalid(String.valueOf(invalid.getMessage()));
        }
        refresh();
        Optional<Addition> taken = taken(draft);
        if (taken.isPresent()) {
            return taken.get();
        }
        try {
            account = definitions.open().apply(draft.definition());
        } catch (RuntimeException failed) {
            return new Addition.Invalid("account " + draft.name() + " cannot be opened: " + failed.getMessage());
        }
        boolean adopted = false;
        try {
            StoreCheck.Report report = check(account);
            if (!report.passed() && !force) {
                return new Addition.Failed(draft.name(), report);
            }
            adopted = keep(draft, account);
            return adopted
                    ? new Addition.Added(draft.name(), report)
                    : new Addition.Taken("another account was named " + draft.name() + " meanwhile");
        } finally {
            if (!adopted) {
                account.close();
            }
        }
    }

    private Optional<Addition> taken(Draft draft) {
        if (configured.contains(draft.name())) {
            return Optional.of(new Addition.Taken(
                    "an account named " + draft.name() + " is in the configuration of this gateway"));
        }
        lock.lock();
        try {
            AddedAccount same = known.get(draft.name());
            if (same == null) {
                return known.size() + configured.size() < AddedAccount.MAX
                        ? Optional.empty()
                        : Optional.of(new Addition.Taken("there are " + AddedAccount.MAX + " accounts already"));
            }
            return Optional.of(
                    same.definition().equals(draft.definition())
                            ? new Addition.Known(draft.name())
                            : new Addition.Taken("an account named " + draft.name() + " was added before"));
        } finally {
            lock.unlock();
        }
    }

    private boolean keep(Draft draft, Account account) {
        lock.lock();
        try {
            if (open.containsKey(draft.name())
                    || !namespace.addAccount(draft.name(), draft.definition(), clock.instant())) {
                return false;
            }
            adopt(account, draft.definition(), namespace.accountUsage(), namespace.accountModes());
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Checks an account that there is. */
    public Optional<StoreCheck.Report> check(String name) {
        return accounts.find(name).map(this::check);
    }

    /** The blob of a check is announced like any other, so that it is swept if this process dies or the deletion fails. */
    private StoreCheck.Report check(Account account) {
        WriteIntents.Write write = intents.begin();
        BlobId blob = write.newBlobId();
        boolean known = false;
        try {
            StoreCheck.Report report = account.check(blob, clock);
            if (!report.passed(StoreCheck.Step.DELETE)
                    && accounts.byName(account.name()).isPresent()) {
                namespace.discard(List.of(new Garbage(blob, account.name(), 0, clock.instant())));
            }
            known = report.passed(StoreCheck.Step.DELETE)
                    || accounts.byName(account.name()).isPresent();
            return report;
        } finally {
            if (known) {
                write.settle();
            } else {
                write.abandon();
            }
        }
    }

    /**
     * Removes an account that was added, for all gateways, or begins to.
     *
     * @param forgetGarbage as {@link Namespace#removeAccount} says
     */
    public AccountRemoval remove(String name, boolean forgetGarbage) {
        AccountRemoval removal = removeByNow(name, forgetGarbage);
        refresh();
        return removal;
    }

    /** Forgets much garbage at once, but does not hold up for ever whoever asks. */
    private AccountRemoval removeByNow(String name, boolean forgetGarbage) {
        AccountRemoval removal = namespace.removeAccount(name, forgetGarbage, clock.instant());
        for (int i = 0; i < FORGET_STEPS && removal == AccountRemoval.FORGETTING; i++) {
            removal = namespace.removeAccount(name, forgetGarbage, clock.instant());
        }
        return removal;
    }

    /** Whether the account stands in the configuration of this gateway. */
    public boolean isConfigured(String name) {
        return configured.contains(name);
    }

    /** Names of the accounts that are being removed. */
    public Set<String> removing() {
        lock.lock();
        try {
            Set<String> removing = new HashSet<>();
            known.values().stream()
                    .filter(account -> account.removingSince().isPresent())
                    .forEach(account -> removing.add(account.name()));
            return removing;
        } finally {
            lock.unlock();
        }
    }

    /** Those that were added and cannot be opened here, in the order of their names. */
    public List<Faulty> faulty() {
        lock.lock();
        try {
            return faults.entrySet().stream()
                    .map(fault -> new Faulty(
                            fault.getKey(),
                            fault.getValue().reason(),
                            fault.getValue().since()))
                    .toList();
        } finally {
            lock.unlock();
        }
    }
}
