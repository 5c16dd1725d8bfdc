package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.BreakerOpenException;
import io.headgate.blob.BlobStoreException;
import io.headgate.domain.BlobId;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.WriteIntents;
import io.headgate.placement.AccountState.Admission;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Probes an account as soon as its open breaker allows it, so that the account comes back without any client's help and, mostly,
 * without a client's write being the guinea pig. Each gateway has breakers of its own, so each probes.
 */
public final class BreakerProbe implements Worker {
    private static final Logger LOG = LoggerFactory.getLogger(BreakerProbe.class);

    private final Account account;
    private final Namespace namespace;
    private final WriteIntents intents;
    private final InstantSource clock;
    private final Duration interval;

    /** @param interval how often the breaker is looked at, which costs next to nothing */
    public BreakerProbe(
            Account account, Namespace namespace, WriteIntents intents, InstantSource clock, Duration interval) {
        this.account = account;
        this.namespace = namespace;
        this.intents = intents;
        this.clock = clock;
        this.interval = interval;
    }

    @Override
    public String name() {
        return "breaker-probe(" + account.name() + ")";
    }

    @Override
    public Turn work() {
        if (account.breaker().admission() == Admission.PROBE_DUE) {
            probe();
        }
        return Turn.idle(interval);
    }

    /** A probe's blob is announced like any other, so that it is swept even if this process dies during the probe. */
    private void probe() {
        WriteIntents.Write write = intents.begin();
        BlobId blob = write.newBlobId();
        boolean known = false;
        try {
            account.probe(blob);
            known = true;
            LOG.info("account {} answered a probe and is back", account.name());
        } catch (BreakerOpenException forestalled) {
            known = true; // a client's write was faster, and the account was not asked
        } catch (BlobStoreException fault) {
            LOG.warn("account {} failed a probe: {}", account.name(), fault.getMessage());
            namespace.discard(List.of(new Garbage(blob, account.name(), 0, clock.instant())));
            known = true;
        } finally {
            if (known) {
                write.settle();
            } else {
                write.abandon();
            }
        }
    }
}
