package io.headgate.app;

import io.headgate.account.Account;
import io.headgate.app.config.AddedAccounts;
import io.headgate.app.config.ConfigException;
import io.headgate.app.config.HeadgateConfig.AccountConfig;
import io.headgate.app.config.HeadgateConfig.Storage;
import io.headgate.work.AccountRoster;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** Opens the accounts that are added at run time, as those of the configuration are opened. Thread-safe. */
final class AccountOpening {
    private final AddedAccounts reader;
    private final Function<AccountConfig, Account> accounts;
    /** Where the accounts are that were opened, by their names. */
    private final Map<String, Storage> places = new ConcurrentHashMap<>();

    AccountOpening(AddedAccounts reader, Function<AccountConfig, Account> accounts) {
        this.reader = reader;
        this.accounts = accounts;
    }

    AccountRoster.Definitions definitions() {
        return new AccountRoster.Definitions(this::read, this::open);
    }

    void closed(Account account) {
        places.remove(account.name());
    }

    private AccountRoster.Draft read(String file, String document) {
        try {
            AddedAccounts.Written written = reader.read(file, document);
            refuseTakenPlace(written.account());
            return new AccountRoster.Draft(written.account().name(), written.definition());
        } catch (ConfigException invalid) {
            throw new IllegalArgumentException(invalid.getMessage(), invalid);
        }
    }

    private Account open(String definition) {
        try {
            AccountConfig config = reader.reread(definition);
            refuseTakenPlace(config);
            Account account = accounts.apply(config);
            places.put(config.name(), config.storage());
            return account;
        } catch (ConfigException invalid) {
            throw new IllegalArgumentException(invalid.getMessage(), invalid);
        }
    }

    private void refuseTakenPlace(AccountConfig account) {
        places.forEach((name, storage) -> {
            if (!name.equals(account.name()) && AddedAccounts.samePlace(storage, account.storage())) {
                throw new IllegalArgumentException(
                        "the account " + account.name() + " would be where the account " + name + " is");
            }
        });
    }
}
