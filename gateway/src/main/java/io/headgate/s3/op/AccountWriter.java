package io.headgate.s3.op;

import io.headgate.account.Account;
import io.headgate.account.BreakerOpenException;
import io.headgate.account.Reservation;
import io.headgate.blob.BlobStoreException;
import io.headgate.domain.BlobId;
import io.headgate.domain.BlockInputStream;
import io.headgate.domain.BodyException;
import io.headgate.domain.Slice;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.WriteIntents;
import io.headgate.placement.Choice;
import io.headgate.placement.Filter;
import io.headgate.placement.Rejection;
import io.headgate.placement.Wish;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.io.IOException;
import java.io.InputStream;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings the bytes of a write into an account: chooses one, streams the body to it, and tries another when it fails, for as long as the
 * bytes already taken from the client can be sent again. Those are a bounded head of the body, so a small object always moves on.
 */
final class AccountWriter {
    /** How much of a body is kept to be sent again. */
    private static final int MAX_HEAD_BYTES = 128 << 10;

    /** So often a write may find that others have taken what it was to have, before it looks elsewhere. */
    private static final int MAX_OUTRUN = 5;

    private static final Logger LOG = LoggerFactory.getLogger(AccountWriter.class);

    private final Storage storage;
    private final WaitingWrites waiting;

    AccountWriter(Storage storage) {
        this.storage = storage;
        this.waiting = new WaitingWrites(
                wish -> attempt(wish, false) instanceof Attempt.Admitted(Reservation reservation)
                        ? Optional.of(reservation)
                        : Optional.empty(),
                storage.maxWait(),
                storage.maxWaiting());
    }

    /** What came of the search for an account that takes a write now. */
    private sealed interface Attempt {
        record Admitted(Reservation reservation) implements Attempt {}

        /** @param busy whether only rates, or other writes, keep it from some account */
        record Refused(List<Rejection> rejections, boolean busy) implements Attempt {}
    }

    /**
     * Bytes that are in an account and await their commit. Whoever holds it ends it: {@link #committed} once the namespace has answered,
     * whatever the answer; else {@link #close} leaves the blob to the sweep.
     */
    static final class Written implements AutoCloseable {
        private final Optional<Slice> slice;
        private final WriteIntents.Write write;
        private final Optional<Reservation> reservation;

        Written(Optional<Slice> slice, WriteIntents.Write write, Optional<Reservation> reservation) {
            this.slice = slice;
            this.write = write;
            this.reservation = reservation;
        }

        /** The whole blob, or empty if the body was. */
        Optional<Slice> slice() {
            return slice;
        }

        long intentId() {
            return write.intentId();
        }

        /** The id of the commit: the blob's, if there is one, which holds nothing else; so the namespace need not keep two. */
        String writeId(Supplier<String> fresh) {
            return slice.map(whole -> whole.blob().toString()).orElseGet(fresh);
        }

        /** The namespace knows the blob now, as a version's or as garbage: either way the account holds it. */
        void committed() {
            reservation.ifPresent(Reservation::commit);
            write.settle();
        }

        @Override
        public void close() {
            write.abandon();
            reservation.ifPresent(Reservation::close);
        }
    }

    /**
     * Writes the body, verified to its end.
     *
     * @param region the preferred region; empty for none
     * @param slot that the blob's id is to name, if any
     * @param body its end verifies it; not closed
     * @throws S3Exception if the body is wrong, or no account takes it
     */
    Written write(String region, OptionalInt slot, long sizeBytes, InputStream body) {
        WriteIntents.Write write = storage.intents().begin();
        Written written = null;
        try {
            written = write(write, region, slot, sizeBytes, body);
            return written;
        } catch (IOException broken) {
            throw Call.bodyFailure(broken);
        } finally {
            if (written == null) {
                // Every blob that was tried has been queued as garbage by now, or this write was abandoned already.
                write.settle();
            }
        }
    }

    private Written write(WriteIntents.Write write, String region, OptionalInt slot, long sizeBytes, InputStream body)
            throws IOException {
        byte[] head = new byte[(int) Math.min(sizeBytes, MAX_HEAD_BYTES)];
        boolean wholeInHead = head.length == sizeBytes;
        if (body.readNBytes(head, 0, head.length) < head.length) {
            throw new BodyException("the body is shorter than it said");
        }
        if (wholeInHead && body.read() >= 0) {
            throw new BodyException("the body is longer than it said");
        }
        if (sizeBytes == 0) {
            return new Written(Optional.empty(), write, Optional.empty());
        }
        HeadThenRest source = new HeadThenRest(head, body);
        Set<String> failed = new HashSet<>();
        while (true) {
            Reservation reservation = reserve(region, sizeBytes, failed, wholeInHead);
            Account account = reservation.account();
            BlobId blob = write.newBlobId(slot);
            boolean stored = false;
            try {
                account.put(reservation, blob, sizeBytes, source);
                stored = true;
                Slice slice = new Slice(blob, account.name(), 0, sizeBytes);
                return new Written(Optional.of(slice), write, Optional.of(reservation));
            } catch (BreakerOpenException justOpened) {
                failed.add(account.name());
            } catch (BlobStoreException fault) {
                if (fault.kind() == BlobStoreException.Kind.THROTTLED) {
                    // Ordinary under load, and counted by the account's metrics.
                    LOG.debug("account {} throttled a write: {}", account.name(), fault.getMessage());
                } else {
                    LOG.warn("account {} failed a write: {}", account.name(), fault.getMessage());
                }
                failed.add(account.name());
                discard(write, blob, account.name(), sizeBytes);
                if (!source.rewind()) {
                    throw unmovable(fault);
                }
            } catch (IOException | RuntimeException bodyFailed) {
                discard(write, blob, account.name(), sizeBytes);
                throw bodyFailed;
            } finally {
                if (!stored) {
                    reservation.close();
                }
            }
        }
    }

    private static S3Exception unmovable(BlobStoreException fault) {
        return fault.kind() == BlobStoreException.Kind.THROTTLED
                ? new S3Exception(S3Error.SLOW_DOWN)
                : new S3Exception(
                        S3Error.SERVICE_UNAVAILABLE, "The storage account failed during the upload. Please try again");
    }

    /**
     * Room on an account that is chosen for the write. It waits a moment for one that is busy: what clients send never comes so evenly that
     * a load below the limit is below it at every instant. When more writes wait than is usual for such a load, it is too high, and the
     * others are refused at once.
     */
    private Reservation reserve(String region, long sizeBytes, Set<String> failed, boolean replayable) {
        Wish wish = new Wish(region, sizeBytes, failed, replayable);
        Attempt last = waiting.isEmpty() ? attempt(wish, true) : refusedAsOthersWait(wish);
        if (last instanceof Attempt.Refused(List<Rejection> _, boolean busy) && busy) {
            Optional<Reservation> waited = waiting.await(wish);
            last = waited.<Attempt>map(Attempt.Admitted::new).orElseGet(() -> attempt(wish, false));
        }
        return switch (last) {
            case Attempt.Admitted(Reservation reservation) -> reservation;
            case Attempt.Refused(List<Rejection> rejections, boolean busy) -> throw refusal(wish, rejections, busy);
        };
    }

    /** Nobody passes those by who wait. */
    private Attempt refusedAsOthersWait(Wish wish) {
        List<Rejection> rejections =
                storage.placement().explain(storage.accounts().states(), wish);
        rejections.forEach(one -> noteMissed(one.account(), one.filter(), wish.sizeBytes()));
        return new Attempt.Refused(rejections, true);
    }

    /** @param first whether the accounts hear that the write missed them, which each write tells once */
    private Attempt attempt(Wish wish, boolean first) {
        Wish left = wish;
        int outrun = 0;
        boolean busy = false;
        while (true) {
            switch (storage.placement().choose(storage.accounts().states(), left, storage.random())) {
                case Choice.Chosen chosen -> {
                    if (first && outrun == 0) {
                        chosen.passedBy().forEach(one -> noteMissed(one.account(), one.rate(), wish.sizeBytes()));
                    }
                    Optional<Account> account = storage.accounts().byName(chosen.account());
                    Optional<Reservation> reservation = account.flatMap(present -> present.tryAdmit(
                            wish.sizeBytes(),
                            chosen.maxUsedBytes(),
                            storage.placement().thresholds()));
                    if (reservation.isPresent()) {
                        return new Attempt.Admitted(reservation.get());
                    }
                    // It may have been removed since it was chosen.
                    if (account.isEmpty() || ++outrun > MAX_OUTRUN) {
                        left = left.without(chosen.account());
                        busy |= account.isPresent();
                    }
                }
                case Choice.NoneEligible(List<Rejection> rejections) -> {
                    if (first) {
                        rejections.forEach(one -> noteMissed(one.account(), one.filter(), wish.sizeBytes()));
                    }
                    return new Attempt.Refused(rejections, busy || isBusy(rejections));
                }
            }
        }
    }

    /** Whether only a rate keeps the write from some account. */
    private static boolean isBusy(List<Rejection> rejections) {
        Map<String, Boolean> busy = new HashMap<>();
        rejections.forEach(
                one -> busy.merge(one.account(), one.filter().isRate(), (earlier, later) -> earlier && later));
        return busy.containsValue(true);
    }

    private S3Exception refusal(Wish wish, List<Rejection> rejections, boolean busy) {
        storage.refused().accept(rejections);
        if (busy) {
            // Ordinary under load, and counted by the metrics.
            LOG.debug("no account can take a write of {} bytes: {}", wish.sizeBytes(), rejections);
        } else {
            LOG.warn("no account can take a write of {} bytes: {}", wish.sizeBytes(), rejections);
        }
        String filters = rejections.stream()
                .map(rejection -> rejection.filter().name())
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        return new S3Exception(
                S3Error.SLOW_DOWN, "No storage account can take this write now (" + filters + "). Please slow down");
    }

    /** Tells the account's meter of a write that its rate has kept away, which makes its gateway ask for a larger part of the limit. */
    private void noteMissed(String account, Filter filter, long sizeBytes) {
        storage.accounts().byName(account).ifPresent(passedBy -> {
            switch (filter) {
                case REQUEST_RATE -> passedBy.meter().requests().missed(1);
                case INGRESS_RATE -> passedBy.meter().ingress().missed(sizeBytes);
                // Bytes out are asked for by readers, and never refused.
                case EGRESS_RATE, EXCLUDED, DRAINING, READ_ONLY, UNAVAILABLE, CAPACITY, BREAKER_OPEN -> {}
            }
        });
    }

    /** Takes back what was written: no commit follows. */
    void discard(Written written) {
        written.slice().ifPresent(slice -> discard(written.write, slice.blob(), slice.account(), slice.lengthBytes()));
        written.committed();
    }

    /** Queues what a failed put may have left; if the namespace can't be told, the sweep finds it by the intent. */
    private void discard(WriteIntents.Write write, BlobId blob, String account, long sizeBytes) {
        try {
            storage.namespace().discard(List.of(new Garbage(blob, account, sizeBytes, storage.now())));
        } catch (RuntimeException outage) {
            LOG.warn("blob {} in account {} is left to the sweep: {}", blob, account, outage.getMessage());
            write.abandon();
        }
    }

    /** The kept head of a body, then the rest as it arrives; can begin again until the first byte of the rest was taken. */
    private static final class HeadThenRest extends BlockInputStream {
        private final byte[] head;
        private final InputStream rest;
        private int position;
        private boolean restTouched;

        HeadThenRest(byte[] head, InputStream rest) {
            this.head = head;
            this.rest = rest;
        }

        boolean rewind() {
            position = 0;
            return !restTouched;
        }

        @Override
        public int read(byte[] into, int offset, int length) throws IOException {
            if (position < head.length) {
                int copied = Math.min(length, head.length - position);
                System.arraycopy(head, position, into, offset, copied);
                position += copied;
                return copied;
            }
            int read = rest.read(into, offset, length);
            restTouched |= read > 0;
            return read;
        }
    }
}
