package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.Accounts;
import io.headgate.account.BreakerOpenException;
import io.headgate.blob.BlobStoreException;
import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.namespace.AccountUsage;
import io.headgate.namespace.BucketUsage;
import io.headgate.namespace.Discrepancy;
import io.headgate.namespace.Namespace;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Compares a namespace with itself and with its accounts, while gateways serve or not: counters, references, every blob that should be
 * there, every blob that is there, and, if asked, every byte. What others change meanwhile is looked at again before it is called wrong.
 *
 * <p>Repair never removes what a client could still read: it sets counters right, queues blobs that nothing knows as garbage, which waits
 * like other garbage, and forgets garbage that is gone. For one thread, for one run.
 */
public final class Fsck {
    /** So many discrepancies of an audit are held at once; what is left is found by the next. */
    private static final int MOST_AT_ONCE = 10_000;

    private static final int MOST_AUDITS = 1_000;
    /** Of so many blobs that are referred to and not recorded it is told who needs them. */
    private static final int MOST_UNKNOWN = 100_000;

    private final Namespace namespace;
    private final Accounts accounts;
    private final InstantSource clock;
    private final Pace.Pause pause;
    private final Settings settings;
    private final Listener listener;
    private final Tally tally = new Tally();

    /**
     * How to check.
     *
     * @param repair whether to set right what is safe to set right
     * @param checksum whether to read all bytes
     * @param minAge blobs younger than this may be being written
     * @param overdue garbage that waits for longer than this should be gone
     * @param maxStrayRatio more strays than this part of an account's blobs, and than a number that is always plausible, are not queued
     * @param blobsAtOnce of how many blobs of an account the names are held in memory, about, in 36 bytes each
     */
    public record Settings(
            boolean repair,
            boolean checksum,
            Duration minAge,
            Duration overdue,
            double maxStrayRatio,
            int blobsAtOnce) {
        /** The same, to do that. */
        public Settings with(boolean repairs, boolean readsAll) {
            return new Settings(repairs, readsAll, minAge, overdue, maxStrayRatio, blobsAtOnce);
        }
    }

    /** Hears of a run, on its thread. */
    public interface Listener {
        void found(Finding finding);

        /** How far it is, in a line for people; there may be many. */
        void progress(String line);
    }

    /**
     * What a run came to.
     *
     * @param explained blobs of which nothing is known yet, as they are being written or were until a moment ago
     * @param verified versions whose bytes are those that were written
     * @param unverifiable versions of which nothing is kept that their bytes could be compared with
     * @param findings by kind
     * @param unchecked what could not be looked at, and why
     */
    public record Summary(
            long accounts,
            long blobs,
            long bytes,
            long explained,
            long verified,
            long unverifiable,
            Map<Finding.Kind, Long> findings,
            long repaired,
            List<String> unchecked) {
        public boolean isClean() {
            return findings.isEmpty();
        }

        public boolean isComplete() {
            return unchecked.isEmpty();
        }
    }

    /** Counts as a run goes on. */
    static final class Tally {
        long accounts;
        long blobs;
        long bytes;
        long explained;
        long verified;
        long unverifiable;
        long repaired;
        final Map<Finding.Kind, Long> findings = new TreeMap<>();
        final List<String> unchecked = new ArrayList<>();

        Summary summary() {
            return new Summary(
                    accounts, blobs, bytes, explained, verified, unverifiable, findings, repaired, unchecked);
        }
    }

    /**
     * A check to be run.
     *
     * @param pause such as {@link Thread#sleep}, for waiting when an account asks for fewer requests
     */
    public Fsck(
            Namespace namespace,
            Accounts accounts,
            InstantSource clock,
            Pace.Pause pause,
            Settings settings,
            Listener listener) {
        this.namespace = namespace;
        this.accounts = accounts;
        this.clock = clock;
        this.pause = pause;
        this.settings = settings;
        this.listener = listener;
    }

    /**
     * Checks all, once.
     *
     * @throws io.headgate.namespace.NamespaceException if the namespace cannot answer; run it again then
     */
    public Summary run() throws InterruptedException {
        audit();
        checkAccounts();
        if (settings.checksum()) {
            new ContentCheck(namespace, accounts, tally, this::found, listener::progress).run();
        }
        return tally.summary();
    }

    private void found(Finding finding) {
        tally.findings.merge(finding.kind(), 1L, Long::sum);
        if (finding.fate() == Finding.Fate.REPAIRED) {
            tally.repaired++;
        }
        listener.found(finding);
    }

    // Inside the namespace

    private void audit() {
        List<BlobId> unknown = new ArrayList<>();
        boolean more = true;
        for (int audits = 0; more && audits < MOST_AUDITS; audits++) {
            listener.progress("the namespace is compared with itself");
            List<Discrepancy.Correctable> wrong = new ArrayList<>();
            boolean first = audits == 0;
            long number = namespace.audit(discrepancy -> {
                switch (discrepancy) {
                    case Discrepancy.Correctable correctable
                    when settings.repair() -> {
                        if (wrong.size() < MOST_AT_ONCE) {
                            wrong.add(correctable);
                        }
                    }
                    case Discrepancy.Correctable correctable -> found(finding(correctable, Finding.Fate.REPAIRABLE));
                    case Discrepancy.UnknownBlob(BlobId blob)
                    when first && unknown.size() < MOST_UNKNOWN -> unknown.add(blob);
                    case Discrepancy.SliceTooLong tooLong when first -> found(finding(tooLong));
                    case Discrepancy.WrongSize wrongSize when first -> found(finding(wrongSize));
                    case Discrepancy.UnknownBlob _, Discrepancy.SliceTooLong _, Discrepancy.WrongSize _ -> {}
                }
            });
            // If another fsck has corrected something in between, what was found may be right already.
            boolean corrected = !wrong.isEmpty() && namespace.correct(number, wrong, clock.instant());
            if (corrected) {
                wrong.forEach(one -> found(finding(one, Finding.Fate.REPAIRED)));
            }
            more = !wrong.isEmpty() && (!corrected || wrong.size() == MOST_AT_ONCE);
        }
        if (unknown.size() == MOST_UNKNOWN) {
            tally.unchecked.add("more than " + MOST_UNKNOWN + " blobs are referred to of which nothing is recorded");
        }
        lost(unknown);
    }

    private void lost(List<BlobId> unknown) {
        SharedDamage shared = new SharedDamage(this::found);
        for (int i = 0; i < unknown.size(); i += Namespace.MOST_HELD) {
            List<BlobId> some = unknown.subList(i, Math.min(unknown.size(), i + Namespace.MOST_HELD));
            namespace.holders(some, holder -> {
                if (holder.slice().account().isEmpty()) {
                    shared.accept(LostBlobs.finding(Finding.Kind.LOST, holder, Map.of()));
                }
            });
            shared.end();
        }
    }

    private static Finding finding(Discrepancy.SliceTooLong wrong) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("account", wrong.account());
        details.put("blob", wrong.blob().toString());
        details.put("blob_bytes", wrong.sizeBytes());
        details.put("slice_end", wrong.endBytes());
        return new Finding(Finding.Kind.SLICE_TOO_LONG, details, Finding.Fate.REPORTED);
    }

    private static Finding finding(Discrepancy.WrongSize wrong) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("bucket", wrong.bucket().value());
        details.put("key", wrong.key().value());
        details.put("object_bytes", wrong.sizeBytes());
        details.put("slices_bytes", wrong.slicesBytes());
        return new Finding(Finding.Kind.WRONG_SIZE, details, Finding.Fate.REPORTED);
    }

    private static Finding finding(Discrepancy.Correctable wrong, Finding.Fate fate) {
        Map<String, Object> details = new LinkedHashMap<>();
        Finding.Kind kind = switch (wrong) {
            case Discrepancy.BucketCounter(BucketName bucket, BucketUsage recorded, BucketUsage counted) -> {
                details.put("bucket", bucket.value());
                compare(details, "objects", recorded.objects(), counted.objects());
                compare(details, "bytes", recorded.bytes(), counted.bytes());
                yield Finding.Kind.BUCKET_COUNTER;
            }
            case Discrepancy.AccountCounter(String account, AccountUsage recorded, AccountUsage counted) -> {
                details.put("account", account);
                compare(details, "blobs", recorded.blobs(), counted.blobs());
                compare(details, "live_bytes", recorded.liveBytes(), counted.liveBytes());
                compare(details, "garbage_blobs", recorded.garbageBlobs(), counted.garbageBlobs());
                compare(details, "garbage_bytes", recorded.garbageBytes(), counted.garbageBytes());
                yield Finding.Kind.ACCOUNT_COUNTER;
            }
            case Discrepancy.BlobReferences(BlobId blob, String account, long recorded, long counted) -> {
                details.put("account", account);
                details.put("blob", blob.toString());
                compare(details, "references", recorded, counted);
                yield Finding.Kind.BLOB_REFERENCES;
            }
            case Discrepancy.ManifestReferences(String manifest, long recorded, long counted) -> {
                details.put("manifest", manifest);
                compare(details, "references", recorded, counted);
                yield Finding.Kind.MANIFEST_REFERENCES;
            }
            case Discrepancy.ForgottenManifest(String manifest) -> {
                details.put("manifest", manifest);
                yield Finding.Kind.FORGOTTEN_SLICES;
            }
            case Discrepancy.ForgottenParts(String upload) -> {
                details.put("upload", upload);
                yield Finding.Kind.FORGOTTEN_SLICES;
            }
        };
        return new Finding(kind, details, fate);
    }

    private static void compare(Map<String, Object> details, String name, long recorded, long counted) {
        if (recorded != counted) {
            details.put("recorded_" + name, recorded);
            details.put("counted_" + name, counted);
        }
    }

    // Namespace and accounts

    private void checkAccounts() throws InterruptedException {
        Map<String, AccountUsage> usage = new TreeMap<>(namespace.accountUsage());
        usage.forEach((name, of) -> {
            if (of.blobs() > 0 && accounts.byName(name).isEmpty()) {
                Map<String, Object> details = new LinkedHashMap<>();
                details.put("account", name);
                details.put("blobs", of.blobs());
                details.put("bytes", of.liveBytes());
                found(new Finding(Finding.Kind.UNKNOWN_ACCOUNT, details, Finding.Fate.REPORTED));
            }
        });
        for (Account account : accounts.all()) {
            long blobs = usage.getOrDefault(account.name(), AccountUsage.NONE).blobs();
            AccountCheck check = new AccountCheck(
                    account, blobs, namespace, clock, pause, settings, tally, this::found, listener::progress);
            try {
                check.run();
                tally.accounts++;
            } catch (BlobStoreException | BreakerOpenException failed) {
                tally.unchecked.add("account " + account.name() + ": " + failed.getMessage());
            }
        }
    }
}
