package io.headgate.account;

import io.headgate.placement.AccountState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The accounts of this gateway, in the order of the configuration. Immutable. */
public final class Accounts implements AutoCloseable {
    private final List<Account> all;
    private final Map<String, Account> byName;

    /** @throws IllegalArgumentException if two accounts have one name */
    public Accounts(List<Account> accounts) {
        this.all = List.copyOf(accounts);
        this.byName = LinkedHashMap.newLinkedHashMap(all.size());
        for (Account account : all) {
            if (byName.put(account.name(), account) != null) {
                throw new IllegalArgumentException("two accounts are named " + account.name());
            }
        }
    }

    public List<Account> all() {
        return all;
    }

    public Optional<Account> byName(String name) {
        return Optional.ofNullable(byName.get(name));
    }

    /** What placement sees of each account now. */
    public List<AccountState> states() {
        List<AccountState> states = new ArrayList<>(all.size());
        for (Account account : all) {
            states.add(account.state());
        }
        return states;
    }

    /** Closes every account. */
    @Override
    public void close() {
        all.forEach(Account::close);
    }
}
