package io.headgate.blob;

import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.blob.BlobStoreException.Kind;
import io.headgate.domain.BlobId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Tries all that a gateway asks of a store, with one small blob, and tells of each step whether it works and why not. What it wrote it
 * deletes; where that fails the blob is left, as the report says.
 */
public final class StoreCheck {
    /** Services refuse signatures of clocks that differ by 15 minutes. */
    private static final Duration MAX_SKEW = Duration.ofMinutes(5);

    private static final int BYTES = 4096;
    private static final int RANGE_FROM = 1000;
    private static final int RANGE_BYTES = 777;

    private final BlobStore store;
    private final BlobId id;
    private final InstantSource clock;
    private final byte[] content = new byte[BYTES];
    private final List<Finding> findings = new ArrayList<>();

    /** What is tried, in this order. */
    public enum Step {
        /** Also whether the service is there, takes the credentials, and has the place. */
        WRITE,
        READ,
        RANGE,
        LIST,
        DELETE,
        /** How far the service's clock is from ours. */
        CLOCK;

        /** For people. */
        public String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** How a step went. */
    public enum Verdict {
        OK,
        FAILED,
        /** Not tried, because nothing was written, or because there is nothing to try. */
        SKIPPED
    }

    /**
     * What came of a step.
     *
     * @param detail for people, without secrets; may be empty
     */
    public record Finding(Step step, Verdict verdict, String detail) {
        @Override
        public String toString() {
            String text = step.label() + ": " + verdict.name().toLowerCase(Locale.ROOT);
            return detail.isEmpty() ? text : text + ", " + detail;
        }
    }

    /** All steps. */
    public record Report(List<Finding> findings) {
        public Report {
            findings = List.copyOf(findings);
        }

        public boolean passed() {
            return findings.stream().noneMatch(finding -> finding.verdict() == Verdict.FAILED);
        }

        public boolean passed(Step step) {
            return findings.stream().anyMatch(finding -> finding.step() == step && finding.verdict() == Verdict.OK);
        }

        public String detail(Step step) {
            Map<Step, String> details = new EnumMap<>(Step.class);
            findings.forEach(finding -> details.put(finding.step(), finding.detail()));
            return details.getOrDefault(step, "");
        }
    }

    private StoreCheck(BlobStore store, BlobId id, InstantSource clock) {
        this.store = store;
        this.id = id;
        this.clock = clock;
        for (int i = 0; i < BYTES; i++) {
            content[i] = (byte) (id.hashCode() + i * 31);
        }
    }

    /** What a step has to say beside that it works. */
    private interface Try {
        String attempt() throws IOException;
    }

    /**
     * Checks a store; blocks for as long as its calls do.
     *
     * @param id a fresh id
     */
    public static Report run(BlobStore store, BlobId id, InstantSource clock) {
        StoreCheck check = new StoreCheck(store, id, clock);
        boolean written = check.attempt(Step.WRITE, check::write);
        if (written) {
            check.attempt(Step.READ, () -> check.read(0, BYTES));
            check.attempt(Step.RANGE, () -> check.read(RANGE_FROM, RANGE_BYTES));
            check.attempt(Step.LIST, check::list);
        } else {
            for (Step step : List.of(Step.READ, Step.RANGE, Step.LIST)) {
                check.findings.add(new Finding(step, Verdict.SKIPPED, "nothing was written"));
            }
        }
        // In any case: of a write that failed something may be left.
        check.attempt(Step.DELETE, check::delete);
        check.compareClocks();
        return new Report(check.findings);
    }

    private boolean attempt(Step step, Try attempt) {
        try {
            findings.add(new Finding(step, Verdict.OK, attempt.attempt()));
            return true;
        } catch (IOException | RuntimeException failed) {
            findings.add(new Finding(step, Verdict.FAILED, reason(failed)));
            return false;
        }
    }

    private static String reason(Exception failed) {
        String message = failed.getMessage();
        return (message == null ? failed.toString() : message).replaceAll("\\p{Cntrl}+", " ");
    }

    private String write() throws IOException {
        store.put(id, BYTES, new ByteArrayInputStream(content));
        return BYTES + " bytes";
    }

    private String read(int offset, int length) throws IOException {
        ByteBuffer read = ByteBuffer.allocate(length);
        try (ReadableByteChannel channel = store.get(id, offset, length)) {
            while (read.hasRemaining() && channel.read(read) >= 0) {
                // until all is read
            }
        }
        if (!read.flip().equals(ByteBuffer.wrap(content, offset, length))) {
            throw new BlobStoreException(Kind.ACCOUNT_FAULT, "what was read is not what was written");
        }
        return length + " bytes";
    }

    private String list() throws IOException {
        Instant made = id.createdAt();
        for (StoredBlob blob : store.list(id.fanOut(), made, made.plusSeconds(1), null, 1000)) {
            if (blob.id().equals(id)) {
                return "";
            }
        }
        throw new BlobStoreException(Kind.ACCOUNT_FAULT, "what was written is not listed");
    }

    private String delete() throws IOException {
        store.delete(id);
        try (ReadableByteChannel _ = store.get(id, 0, 1)) {
            throw new BlobStoreException(Kind.ACCOUNT_FAULT, "what was deleted can still be read: blob " + id);
        } catch (BlobStoreException gone) {
            if (gone.kind() != Kind.MISSING) {
                throw gone;
            }
            return "";
        }
    }

    private void compareClocks() {
        Instant before = clock.instant();
        Optional<Instant> theirs;
        try {
            theirs = store.serviceTime();
        } catch (BlobStoreException | RuntimeException failed) {
            findings.add(new Finding(Step.CLOCK, Verdict.SKIPPED, "the service does not tell: " + reason(failed)));
            return;
        }
        Instant after = clock.instant();
        if (theirs.isEmpty()) {
            findings.add(new Finding(Step.CLOCK, Verdict.SKIPPED, "there is none but this machine's"));
            return;
        }
        // It tells whole seconds, and did so at some time between the two looks.
        Duration ahead = Duration.between(after, theirs.get());
        Duration behind = Duration.between(theirs.get().plusSeconds(1), before);
        String told = ahead.isPositive()
                ? "the service's is " + ahead.toSeconds() + " s or more ahead of this machine's"
                : behind.isPositive()
                        ? "the service's is " + behind.toSeconds() + " s or more behind this machine's"
                        : "no difference seen";
        boolean tooFar = ahead.compareTo(MAX_SKEW) > 0 || behind.compareTo(MAX_SKEW) > 0;
        findings.add(new Finding(Step.CLOCK, tooFar ? Verdict.FAILED : Verdict.OK, told));
    }
}
