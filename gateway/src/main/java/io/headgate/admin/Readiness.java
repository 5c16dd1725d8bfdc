package io.headgate.admin;

import io.headgate.account.Accounts;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceException;
import io.headgate.placement.AccountState;
import io.headgate.placement.Placement;
import io.headgate.placement.Rejection;
import io.headgate.placement.Wish;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Whether the gateway can serve: the namespace answers, at least one account takes writes, and the process is not stopping.
 * Thread-safe.
 */
final class Readiness {
    private final Namespace namespace;
    private final Accounts accounts;
    private final Placement placement;
    private final Duration patience;
    private final AtomicReference<@Nullable FutureTask<String>> ping = new AtomicReference<>();
    private volatile boolean stopping;

    /** @param patience how long the namespace may take to answer */
    Readiness(Namespace namespace, Accounts accounts, Placement placement, Duration patience) {
        this.namespace = namespace;
        this.accounts = accounts;
        this.placement = placement;
        this.patience = patience;
    }

    /** From now on the answer is no, so that load balancers turn elsewhere. */
    void stopping() {
        stopping = true;
    }

    /** Why not, one sentence each; empty if it can. */
    List<String> reasonsAgainst() {
        List<String> reasons = new ArrayList<>();
        if (stopping) {
            reasons.add("the gateway is stopping");
            return reasons;
        }
        String outage = pingNamespace();
        if (!outage.isEmpty()) {
            reasons.add(outage);
        }
        List<AccountState> states = accounts.states();
        List<Rejection> rejections = placement.explain(states, Wish.ofSize(0));
        boolean anyEligible = states.stream()
                .anyMatch(state -> rejections.stream()
                        .noneMatch(rejection -> rejection.account().equals(state.name())));
        if (!anyEligible) {
            reasons.add("no account takes writes");
            rejections.forEach(rejection -> reasons.add("account " + rejection.account() + ": " + rejection.detail()));
        }
        return reasons;
    }

    /** What is wrong with the namespace, or nothing. One ping at a time, however many ask: a hung one must not pile up threads. */
    private String pingNamespace() {
        FutureTask<String> mine = new FutureTask<>(this::ping);
        FutureTask<String> running = ping.compareAndExchange(null, mine);
        if (running == null) {
            running = mine;
            Thread.ofVirtual().name("readiness-ping").start(() -> {
                mine.run();
                ping.set(null);
            });
        }
        try {
            return running.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException slow) {
            return "the namespace has not answered for " + patience.toMillis() + " ms";
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return "the check was interrupted";
        } catch (ExecutionException bug) {
            throw new IllegalStateException(bug.getCause());
        }
    }

    private String ping() {
        try {
            namespace.ping();
            return "";
        } catch (NamespaceException outage) {
            return "the namespace does not answer: " + outage.getMessage();
        }
    }
}
