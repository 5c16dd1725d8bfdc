package io.headgate.namespace.redis;

import io.headgate.namespace.AccountMode;
import io.headgate.namespace.AccountShare;
import io.headgate.namespace.AccountUse;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.Rebalance;
import io.headgate.namespace.ShareRules;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.random.RandomGenerator;

/** What the gateways of a namespace tell each other, and what administrators want of the accounts. Thread-safe. */
final class Fleet {
    private static final String ID = "id";
    private static final String LEASE = "lease/";
    private static final String READ = "read/";
    static final String MODE = "mode/";
    private static final String REBALANCE = "rebalance";
    private static final String SHARES = "shares";

    /** Longer than a silent gateway counts. */
    private static final Duration REMEMBERED = Duration.ofMinutes(1);

    private static final int MOST_TRIES = 1_000;

    private final Documents documents;
    private final AddedAccounts added;

    Fleet(Documents documents, AddedAccounts added) {
        this.documents = documents;
        this.added = added;
    }

    /** The namespace's id, which is made if there is none. */
    String id(RandomGenerator random) {
        return documents.change(
                ID, now -> now.isEmpty() ? "%016x%016x".formatted(random.nextLong(), random.nextLong()) : now);
    }

    boolean lease(String name, String holder, Instant now, Instant until) {
        String mine = holder + '\n' + until.toEpochMilli();
        return documents
                .change(LEASE + name, there -> {
                    int at = there.lastIndexOf('\n');
                    boolean free = there.isEmpty()
                            || there.substring(0, at).equals(holder)
                            || Long.parseLong(there.substring(at + 1)) <= now.toEpochMilli();
                    return free ? mine : there;
                })
                .equals(mine);
    }

    Instant oldestRead(String gateway, Instant oldest, Instant now, Instant silentSince) {
        documents.change(READ + gateway, _ -> oldest.toEpochMilli() + " " + now.toEpochMilli());
        long least = oldest.toEpochMilli();
        for (Map.Entry<String, String> other : documents.all(READ).entrySet()) {
            String[] read = other.getValue().split(" ", 2);
            if (Long.parseLong(read[1]) > silentSince.toEpochMilli()) {
                least = Math.min(least, Long.parseLong(read[0]));
            } else {
                documents.swap(READ + other.getKey(), other.getValue(), "");
            }
        }
        return Instant.ofEpochMilli(least);
    }

    /** Of one gateway and account, in one line. */
    private record Told(String gateway, long endsAtMillis, AccountUse use) {
        String line() {
            List<String> words = new ArrayList<>(List.of(gateway, Long.toString(endsAtMillis), use.account()));
            for (AccountUse.Rate rate : List.of(use.requests(), use.ingress(), use.egress())) {
                words.add(Double.toString(rate.ceiling()));
                words.add(Double.toString(rate.kept()));
                words.add(Double.toString(rate.wanted()));
                words.add(Double.toString(rate.sent()));
            }
            words.add(Double.toString(use.loweredTo()));
            words.add(Long.toString(use.reservedBytes()));
            return String.join(" ", words);
        }

        static Told read(String line) {
            String[] words = line.split(" ", -1);
            return new Told(
                    words[0],
                    Long.parseLong(words[1]),
                    new AccountUse(
                            words[2],
                            rate(words, 3),
                            rate(words, 7),
                            rate(words, 11),
                            Double.parseDouble(words[15]),
                            Long.parseLong(words[16])));
        }

        private static AccountUse.Rate rate(String[] words, int at) {
            return new AccountUse.Rate(
                    Double.parseDouble(words[at]),
                    Double.parseDouble(words[at + 1]),
                    Double.parseDouble(words[at + 2]),
                    Double.parseDouble(words[at + 3]));
        }
    }

    List<AccountShare> share(String gateway, List<AccountUse> uses, Duration lasting) {
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            Cluster.Dated there = documents.dated(SHARES);
            List<Told> told = there.text().lines().map(Told::read).toList();
            Map<String, List<ShareRules.Other>> others = new HashMap<>();
            List<Told> kept = new ArrayList<>();
            for (Told other : told) {
                boolean mine = other.gateway.equals(gateway);
                boolean silent = other.endsAtMillis < there.nowMillis() - REMEMBERED.toMillis();
                if (!mine && !silent) {
                    kept.add(other);
                    others.computeIfAbsent(other.use.account(), _ -> new ArrayList<>())
                            .add(new ShareRules.Other(
                                    other.use, Duration.ofMillis(other.endsAtMillis - there.nowMillis())));
                }
            }
            List<AccountShare> shares = uses.stream()
                    .map(use -> ShareRules.share(use, others.getOrDefault(use.account(), List.of())))
                    .toList();
            for (int i = 0; i < uses.size(); i++) {
                kept.add(new Told(gateway, there.nowMillis() + lasting.toMillis(), held(uses.get(i), shares.get(i))));
            }
            kept.sort(Comparator.comparing(Told::gateway).thenComparing(one -> one.use.account()));
            String then = String.join("\n", kept.stream().map(Told::line).toList());
            if (documents.swap(SHARES, there.text(), then)) {
                return shares;
            }
        }
        throw new NamespaceException("what the gateways share changes all the time");
    }

    /** What others are to hear: of each rate what this gateway may use from now on. */
    private static AccountUse held(AccountUse use, AccountShare share) {
        return new AccountUse(
                use.account(),
                held(use.requests(), share.requests()),
                held(use.ingress(), share.ingress()),
                held(use.egress(), share.egress()),
                use.loweredTo(),
                use.reservedBytes());
    }

    private static AccountUse.Rate held(AccountUse.Rate rate, AccountShare.Part part) {
        return new AccountUse.Rate(rate.ceiling(), part.held(), rate.wanted(), rate.sent());
    }

    static AccountMode mode(String text) {
        if (text.isEmpty()) {
            return AccountMode.NONE;
        }
        String[] words = text.split(" ", -1);
        return new AccountMode(
                Boolean.parseBoolean(words[0]),
                Boolean.parseBoolean(words[1]),
                Long.parseLong(words[2]),
                Long.parseLong(words[3]));
    }

    private static String text(AccountMode mode) {
        return mode.draining() + " " + mode.readOnly() + " " + mode.movedBlobs() + " " + mode.movedBytes();
    }

    Map<String, AccountMode> modes() {
        Map<String, AccountMode> modes = new HashMap<>();
        documents.all(MODE).forEach((account, text) -> modes.put(account, mode(text)));
        return modes;
    }

    void setDraining(String account, boolean draining) {
        documents.change(MODE + account, there -> {
            AccountMode now = mode(there);
            boolean begins = draining && !now.draining();
            return text(new AccountMode(
                    draining, now.readOnly(), begins ? 0 : now.movedBlobs(), begins ? 0 : now.movedBytes()));
        });
        if (!draining) {
            added.keep(account);
        }
    }

    void setReadOnly(String account, boolean readOnly) {
        documents.change(MODE + account, there -> {
            AccountMode now = mode(there);
            return text(new AccountMode(now.draining(), readOnly, now.movedBlobs(), now.movedBytes()));
        });
    }

    void restoreMode(String account, AccountMode mode) {
        documents.change(MODE + account, _ -> text(mode));
    }

    void restoreRebalance(Rebalance rebalance) {
        documents.change(REBALANCE, _ -> text(rebalance));
    }

    void restoreId(String id) {
        documents.change(ID, _ -> id);
    }

    Rebalance rebalance() {
        return rebalance(documents.get(REBALANCE));
    }

    private static Rebalance rebalance(String text) {
        if (text.isEmpty()) {
            return new Rebalance(false, 0, 0);
        }
        String[] words = text.split(" ", -1);
        return new Rebalance(Boolean.parseBoolean(words[0]), Long.parseLong(words[1]), Long.parseLong(words[2]));
    }

    private static String text(Rebalance rebalance) {
        return rebalance.running() + " " + rebalance.movedBlobs() + " " + rebalance.movedBytes();
    }

    void setRebalancing(boolean running) {
        documents.change(REBALANCE, there -> {
            Rebalance now = rebalance(there);
            boolean begins = running && !now.running();
            return text(new Rebalance(running, begins ? 0 : now.movedBlobs(), begins ? 0 : now.movedBytes()));
        });
    }

    /** Counts blobs that have moved away from an account, for the drain or else for the balance. */
    void addMoved(String from, long blobs, long bytes) {
        AccountMode mode = mode(documents.change(MODE + from, there -> {
            AccountMode now = mode(there);
            return there.isEmpty()
                    ? there
                    : text(new AccountMode(
                            now.draining(), now.readOnly(), now.movedBlobs() + blobs, now.movedBytes() + bytes));
        }));
        if (!mode.draining()) {
            documents.change(REBALANCE, there -> {
                Rebalance now = rebalance(there);
                return now.running()
                        ? text(new Rebalance(true, now.movedBlobs() + blobs, now.movedBytes() + bytes))
                        : there;
            });
        }
    }
}
