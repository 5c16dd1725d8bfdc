package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.Accounts;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ReadsInFlight;
import io.headgate.namespace.WriteIntents;
import java.time.InstantSource;
import java.util.List;

/**
 * Which workers a gateway runs: those of its own, and those of each account. What looks after the gateway's own state (its intents, the
 * meters, modes and breakers of its accounts) runs in every gateway. What looks after the namespace and the accounts' bytes is safe in
 * several gateways at once, but would list and delete everything as often as there are gateways; so it runs in one of them, by a lease.
 */
public final class BackgroundWork {
    /** One gateway does all the sweeps: they are seldom, and a lease for each account would cost more than it spreads. */
    private static final String SWEEPS = "sweeps";

    private final Namespace namespace;
    private final Accounts accounts;
    private final WriteIntents intents;
    private final ReadsInFlight reads;
    private final InstantSource clock;
    private final Leases leases;
    private final WorkSettings settings;

    public BackgroundWork(
            Namespace namespace,
            Accounts accounts,
            WriteIntents intents,
            ReadsInFlight reads,
            InstantSource clock,
            Leases leases,
            WorkSettings settings) {
        this.namespace = namespace;
        this.accounts = accounts;
        this.intents = intents;
        this.reads = reads;
        this.clock = clock;
        this.leases = leases;
        this.settings = settings;
    }

    public List<Worker> ofGateway() {
        return List.of(
                leases,
                new IntentRenewal(intents, settings.intentLease()),
                new UsageRefresh(namespace, accounts, settings.usageInterval()),
                new ExpiredIntentSweep(namespace, accounts, clock, sweeps(), settings.sweep()),
                new CompletedUploads(namespace, clock, sweeps(), settings.rememberCompleted()));
    }

    public List<Worker> ofAccount(Account account) {
        return List.of(
                new GarbageCleanup(account, namespace, reads, clock, leases.of(cleanup(account)), settings.garbage()),
                new BreakerProbe(account, namespace, intents, clock, settings.probeInterval()),
                new OrphanSweep(account, namespace, clock, sweeps(), settings.orphans()));
    }

    /** A gateway that cannot open an account would take for swept what is not. */
    private Lease sweeps() {
        return leases.of(SWEEPS, accounts::isComplete);
    }

    /** Lets go of what the workers of an account that has gone have held. */
    public void ended(Account account) {
        leases.forget(cleanup(account));
    }

    private static String cleanup(Account account) {
        return "garbage-cleanup(" + account.name() + ")";
    }
}
