package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.Accounts;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.Namespace;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Sets what the accounts' meters hold to what the namespace knows, so that overwrites, deletions and other gateways' writes count. Its
 * first turn belongs before the first request, or placement takes full accounts for empty ones.
 */
public final class UsageRefresh implements Worker {
    private final Namespace namespace;
    private final Accounts accounts;
    private final Duration interval;

    public UsageRefresh(Namespace namespace, Accounts accounts, Duration interval) {
        this.namespace = namespace;
        this.accounts = accounts;
        this.interval = interval;
    }

    @Override
    public String name() {
        return "usage-refresh";
    }

    @Override
    public Turn work() {
        Map<Account, Long> committed = new HashMap<>();
        for (Account account : accounts.all()) {
            committed.put(account, account.meter().committedBytesTotal());
        }
        Map<String, AccountUsage> usage = namespace.accountUsage();
        committed.forEach((account, committedBefore) -> {
            AccountUsage of = usage.getOrDefault(account.name(), AccountUsage.NONE);
            account.meter().setUsage(of.liveBytes(), of.garbageBytes(), committedBefore);
        });
        return Turn.idle(interval);
    }
}
