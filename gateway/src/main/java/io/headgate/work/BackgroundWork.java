package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.Accounts;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ReadsInFlight;
import io.headgate.namespace.WriteIntents;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/** Which workers a gateway runs. */
public final class BackgroundWork {
    private BackgroundWork() {}

    public static List<Worker> of(
            Namespace namespace,
            Accounts accounts,
            WriteIntents intents,
            ReadsInFlight reads,
            InstantSource clock,
            WorkSettings settings) {
        List<Worker> workers = new ArrayList<>();
        workers.add(new IntentRenewal(intents, settings.intentLease()));
        workers.add(new UsageRefresh(namespace, accounts, settings.usageInterval()));
        workers.add(new ExpiredIntentSweep(namespace, accounts, clock, settings.sweep()));
        workers.add(new CompletedUploads(namespace, clock, settings.rememberCompleted()));
        for (Account account : accounts.all()) {
            workers.add(new GarbageCleanup(account, namespace, reads, clock, settings.garbage()));
            workers.add(new BreakerProbe(account, namespace, intents, clock, settings.probeInterval()));
            workers.add(new OrphanSweep(account, namespace, clock, settings.orphans()));
        }
        return workers;
    }
}
