package io.headgate.account;

import io.headgate.placement.AccountState;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The accounts of this gateway, in the order of the configuration, and a thread that gives up on calls that an account has stalled.
 * Thread-safe; the set of accounts does not change.
 */
public final class Accounts implements AutoCloseable {
    private final List<Account> all;
    private final Map<String, Account> byName;
    private final CountDownLatch closed = new CountDownLatch(1);

    /** @throws IllegalArgumentException if two accounts have one name */
    public Accounts(List<Account> accounts) {
        this.all = List.copyOf(accounts);
        this.byName = LinkedHashMap.newLinkedHashMap(all.size());
        for (Account account : all) {
            if (byName.put(account.name(), account) != null) {
                throw new IllegalArgumentException("two accounts are named " + account.name());
            }
        }
        Thread.ofVirtual().name("headgate-stall-watch").start(this::watch);
    }

    private void watch() {
        try {
            while (!closed.await(1, TimeUnit.SECONDS)) {
                all.forEach(Account::interruptStalled);
            }
        } catch (InterruptedException stop) {
            Thread.currentThread().interrupt();
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
        closed.countDown();
        all.forEach(Account::close);
    }
}
