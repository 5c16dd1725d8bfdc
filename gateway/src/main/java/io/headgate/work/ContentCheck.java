package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.account.Accounts;
import io.headgate.account.BreakerOpenException;
import io.headgate.blob.BlobStoreException;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ManifestPart;
import io.headgate.namespace.ManifestSlice;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.ObjectPage;
import io.headgate.namespace.ObjectQuery;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Reads the bytes of all current versions, and compares them with the checksums that are kept of them. */
final class ContentCheck {
    private static final int PAGE = 1_000;
    private static final int SLICES_AT_ONCE = 100;
    private static final int READERS = 8;
    private static final int BUFFER_BYTES = 256 << 10;
    /** What cannot be read is tried so often, unless it has been moved or replaced meanwhile. */
    private static final int TRIES = 3;

    private static final int MOST_TRIES = 100;

    private final Namespace namespace;
    private final Accounts accounts;
    private final Fsck.Tally tally;
    private final SharedDamage found;
    private final Consumer<String> progress;
    private final Semaphore readers = new Semaphore(READERS);
    /** Versions whose bytes are not there. */
    private long missing;

    /** What came of one version. */
    private sealed interface Verdict {
        record Verified() implements Verdict {}

        record Unverifiable() implements Verdict {}

        /** It was deleted meanwhile. */
        record Gone() implements Verdict {}

        record Wrong(ObjectVersion version, Mismatch mismatch) implements Verdict {}

        /** Its bytes are not all there, which is found where the account is compared with the namespace. */
        record Missing() implements Verdict {}

        /** Its bytes could not be had. */
        record Unread(String why) implements Verdict {}
    }

    /** @param part 0 for the whole */
    record Mismatch(String algorithm, int part, String kept, String actual) {}

    ContentCheck(
            Namespace namespace,
            Accounts accounts,
            Fsck.Tally tally,
            Consumer<Finding> found,
            Consumer<String> progress) {
        this.namespace = namespace;
        this.accounts = accounts;
        this.tally = tally;
        this.found = new SharedDamage(found);
        this.progress = progress;
    }

    void run() throws InterruptedException {
        String last = "";
        List<BucketName> page;
        do {
            page = namespace.bucketNames(last, PAGE);
            for (BucketName bucket : page) {
                check(bucket);
            }
            last = page.isEmpty() ? last : page.getLast().value();
        } while (page.size() == PAGE);
        found.end();
        boolean wasFound =
                tally.findings.containsKey(Finding.Kind.LOST) || tally.findings.containsKey(Finding.Kind.WRONG_LENGTH);
        if (missing > 0 && !wasFound) {
            tally.unchecked.add("versions whose bytes were missing when they were read: " + missing);
        }
    }

    private void check(BucketName bucket) throws InterruptedException {
        String last = "";
        boolean more = true;
        while (more) {
            more = false;
            if (namespace.listObjects(new ObjectQuery(bucket, "", "", last, PAGE))
                    instanceof Outcome.Done<ObjectPage>(ObjectPage page)) {
                check(bucket, page);
                last = page.last();
                more = page.truncated();
            }
            progress.accept("bucket " + bucket + ": " + tally.verified + " verified");
        }
    }

    private void check(BucketName bucket, ObjectPage page) throws InterruptedException {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<Verdict>> verdicts = new ArrayList<>();
            for (ObjectPage.Entry entry : page.entries()) {
                if (entry instanceof ObjectPage.Entry.Current(var object)) {
                    readers.acquire();
                    verdicts.add(threads.submit(() -> {
                        try {
                            return check(bucket, object.key());
                        } finally {
                            readers.release();
                        }
                    }));
                }
            }
            for (Future<Verdict> verdict : verdicts) {
                note(bucket, verdict.get());
            }
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException("a version could not be checked", failed.getCause());
        }
    }

    private void note(BucketName bucket, Verdict verdict) {
        switch (verdict) {
            case Verdict.Verified() -> tally.verified++;
            case Verdict.Unverifiable() -> tally.unverifiable++;
            case Verdict.Gone() -> {}
            case Verdict.Missing() -> missing++;
            case Verdict.Unread(String why) -> {
                if (!tally.unchecked.contains(why)) {
                    tally.unchecked.add(why);
                }
            }
            case Verdict.Wrong(ObjectVersion version, Mismatch mismatch) ->
                found.accept(finding(bucket, version, mismatch));
        }
    }

    private Verdict check(BucketName bucket, ObjectKey key) {
        @Nullable ObjectVersion before = null;
        int same = 0;
        for (int tries = 0; tries < MOST_TRIES; tries++) {
            if (!(namespace.currentVersion(bucket, key)
                    instanceof Outcome.Done<ObjectVersion>(ObjectVersion version))) {
                return new Verdict.Gone();
            }
            same = version.equals(before) ? same + 1 : 1;
            before = version;
            Verdict verdict = verify(version);
            boolean certain = switch (verdict) {
                case Verdict.Verified _, Verdict.Unverifiable _, Verdict.Gone _ -> true;
                case Verdict.Wrong _ -> same > 1;
                case Verdict.Missing _, Verdict.Unread _ -> same == TRIES;
            };
            if (certain) {
                return verdict;
            }
        }
        return new Verdict.Gone(); // replaced faster than it can be read
    }

    private Verdict verify(ObjectVersion version) {
        try {
            ContentDigests digests = new ContentDigests(version, parts(version));
            read(version, digests);
            Mismatch mismatch = digests.mismatch();
            if (mismatch != null) {
                return new Verdict.Wrong(version, mismatch);
            }
            return digests.areConclusive() ? new Verdict.Verified() : new Verdict.Unverifiable();
        } catch (BlobStoreException fault) {
            return switch (fault.kind()) {
                case MISSING -> new Verdict.Missing();
                case ACCOUNT_FAULT, THROTTLED -> new Verdict.Unread("checksums: " + fault.getMessage());
            };
        } catch (IOException fault) {
            return new Verdict.Unread("checksums: " + fault.getMessage());
        }
    }

    private List<ManifestPart> parts(ObjectVersion version) {
        List<ManifestPart> parts = new ArrayList<>();
        if (version.manifest() instanceof Manifest.Stored stored) {
            List<ManifestPart> page;
            do {
                int last = parts.isEmpty() ? 0 : parts.getLast().number();
                page = namespace.parts(stored, last, PAGE);
                parts.addAll(page);
            } while (page.size() == PAGE);
        }
        return parts;
    }

    private void read(ObjectVersion version, ContentDigests digests) throws IOException, BreakerOpenException {
        byte[] buffer = new byte[Math.clamp(version.sizeBytes(), 1, BUFFER_BYTES)];
        switch (version.manifest()) {
            case Manifest.Inline inline -> {
                if (inline.slice().isPresent()) {
                    read(inline.slice().get(), buffer, digests);
                }
            }
            case Manifest.Stored stored -> {
                long position = 0;
                while (position < version.sizeBytes()) {
                    List<ManifestSlice> page = namespace.slices(stored, position, SLICES_AT_ONCE);
                    if (page.isEmpty()) {
                        throw new BlobStoreException(BlobStoreException.Kind.MISSING, "no slice at byte " + position);
                    }
                    for (ManifestSlice slice : page) {
                        read(slice.slice(), buffer, digests);
                        position += slice.slice().lengthBytes();
                    }
                }
            }
        }
    }

    private void read(Slice slice, byte[] buffer, ContentDigests digests) throws IOException, BreakerOpenException {
        Account account = accounts.byName(slice.account())
                .orElseThrow(() -> new BlobStoreException(
                        BlobStoreException.Kind.ACCOUNT_FAULT, "account " + slice.account() + " is not configured"));
        try (ReadableByteChannel bytes = account.get(slice.blob(), slice.offsetBytes(), slice.lengthBytes())) {
            ByteBuffer into = ByteBuffer.wrap(buffer);
            while (bytes.read(into.clear()) >= 0) {
                digests.update(buffer, into.position());
            }
        }
    }

    private Finding finding(BucketName bucket, ObjectVersion version, Mismatch mismatch) {
        Map<String, Object> details = new LinkedHashMap<>();
        details.put("bucket", bucket.value());
        details.put("key", version.key().value());
        details.put("version", version.writeId());
        if (mismatch.part() > 0) {
            details.put("part", (long) mismatch.part());
        }
        details.put("algorithm", mismatch.algorithm());
        details.put("kept", mismatch.kept());
        details.put("actual", mismatch.actual());
        Slice first = firstSlice(version.manifest(), mismatch.part() == 0 ? 0 : offset(version, mismatch.part()));
        if (first != null) {
            details.put("account", first.account());
            details.put("blob", first.blob().toString());
        }
        return new Finding(Finding.Kind.WRONG_CHECKSUM, details, Finding.Fate.REPORTED);
    }

    private long offset(ObjectVersion version, int part) {
        return parts(version).stream()
                .filter(one -> one.number() == part)
                .mapToLong(ManifestPart::offsetBytes)
                .findFirst()
                .orElse(0);
    }

    private @Nullable Slice firstSlice(Manifest manifest, long offset) {
        return switch (manifest) {
            case Manifest.Inline inline -> inline.slice().orElse(null);
            case Manifest.Stored stored -> {
                List<ManifestSlice> slices = namespace.slices(stored, offset, 1);
                yield slices.isEmpty() ? null : slices.getFirst().slice();
            }
        };
    }
}
