package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.Accounts;
import io.headgate.namespace.AccountMode;
import io.headgate.namespace.Namespace;
import java.time.Duration;
import java.util.Map;

/** Takes over what administrators want of the accounts, which any gateway may have been told. */
public final class ModeRefresh implements Worker {
    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final Namespace namespace;
    private final Accounts accounts;

    public ModeRefresh(Namespace namespace, Accounts accounts) {
        this.namespace = namespace;
        this.accounts = accounts;
    }

    @Override
    public String name() {
        return "mode-refresh";
    }

    @Override
    public Turn work() {
        Map<String, AccountMode> modes = namespace.accountModes();
        for (Account account : accounts.all()) {
            AccountMode mode = modes.getOrDefault(account.name(), AccountMode.NONE);
            account.setDraining(mode.draining());
            account.setReadOnly(mode.readOnly());
        }
        return Turn.idle(INTERVAL);
    }

    @Override
    public Duration maxBackoff() {
        return Duration.ofSeconds(5);
    }
}
