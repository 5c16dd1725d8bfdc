package io.headgate.account;

import io.headgate.placement.AccountState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The accounts of this gateway: those of the configuration in its order, then those that came at run time. Thread-safe. */
public final class Accounts implements AutoCloseable {
    /** Replaced as a whole when it changes. */
    private volatile Map<String, Account> byName;

    private volatile Runnable refresh = () -> {};
    private volatile boolean complete = true;

    /** @throws IllegalArgumentException if two accounts have one name */
    public Accounts(List<Account> accounts) {
        Map<String, Account> all = LinkedHashMap.newLinkedHashMap(accounts.size());
        for (Account account : accounts) {
            if (all.put(account.name(), account) != null) {
                throw new IllegalArgumentException("two accounts are named " + account.name());
            }
        }
        this.byName = all;
    }

    /** As they are now. */
    public List<Account> all() {
        return List.copyOf(byName.values());
    }

    public Optional<Account> byName(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** As {@link #byName}; but an account that is not known is looked for first, as another gateway may just have added it. */
    public Optional<Account> find(String name) {
        Account known = byName.get(name);
        if (known != null) {
            return Optional.of(known);
        }
        refresh.run();
        return byName(name);
    }

    /** Lets {@link #find} look for accounts by that, which adds those that it finds. */
    public void refreshBy(Runnable lookUp) {
        refresh = lookUp;
    }

    /**
     * Adds an account, which may be chosen for writes from now on.
     *
     * @throws IllegalArgumentException if there is one of that name
     */
    public synchronized void add(Account account) {
        Map<String, Account> all = new LinkedHashMap<>(byName);
        if (all.putIfAbsent(account.name(), account) != null) {
            throw new IllegalArgumentException("two accounts are named " + account.name());
        }
        byName = all;
    }

    /** Takes an account away, which the caller closes. */
    public synchronized void remove(Account account) {
        Map<String, Account> all = new LinkedHashMap<>(byName);
        all.remove(account.name(), account);
        byName = all;
    }

    /** Whether all accounts of the namespace are here; if not, some cannot be opened by this gateway. */
    public boolean isComplete() {
        return complete;
    }

    public void setComplete(boolean complete) {
        this.complete = complete;
    }

    /** What placement sees of each account now. */
    public List<AccountState> states() {
        Map<String, Account> all = byName;
        List<AccountState> states = new ArrayList<>(all.size());
        for (Account account : all.values()) {
            states.add(account.state());
        }
        return states;
    }

    /** Closes every account. */
    @Override
    public void close() {
        byName.values().forEach(Account::close);
    }
}
