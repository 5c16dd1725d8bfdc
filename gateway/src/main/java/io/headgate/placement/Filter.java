package io.headgate.placement;

import io.headgate.placement.AccountState.Admission;
import io.headgate.placement.AccountState.Load;
import java.util.Locale;

/** A reason not to place a write on an account. */
public enum Filter {
    /** The account has failed this write already, or filled up since it was chosen. */
    EXCLUDED,
    /** The account is being emptied. */
    DRAINING,
    /** An administrator allows no writes. */
    READ_ONLY,
    /** The account says itself that it cannot be written. */
    UNAVAILABLE,
    /** The account would be too full. */
    CAPACITY,
    /** The account is too near its limit of requests/s, or to what it lately answered without throttling. */
    REQUEST_RATE,
    /** The account is too near its limit of bytes/s in. */
    INGRESS_RATE,
    /** The account is too near its limit of bytes/s out: what is written now is likely to be read next, from there. */
    EGRESS_RATE,
    /** The account's circuit breaker is open. */
    BREAKER_OPEN;

    /** Whether this is about a rate, which will be lower in a moment. */
    public boolean isRate() {
        return switch (this) {
            case REQUEST_RATE, INGRESS_RATE, EGRESS_RATE -> true;
            case EXCLUDED, DRAINING, READ_ONLY, UNAVAILABLE, CAPACITY, BREAKER_OPEN -> false;
        };
    }

    boolean rejects(AccountState account, Wish wish, Thresholds thresholds) {
        return switch (this) {
            case EXCLUDED -> wish.excluded().contains(account.name());
            case DRAINING -> account.draining();
            case READ_ONLY -> account.readOnly();
            case UNAVAILABLE -> !account.available();
            case CAPACITY -> overflows(account, wish, thresholds);
            case REQUEST_RATE -> account.requests().reaches(thresholds.maxRequestRatio());
            case INGRESS_RATE ->
                account.ingress()
                        .exceeds(
                                thresholds.maxByteRateRatio(),
                                thresholds.bytesAhead(
                                        wish.sizeBytes(), account.ingress().limit()));
            case EGRESS_RATE -> account.egress().reaches(thresholds.maxByteRateRatio());
            case BREAKER_OPEN -> account.admission() == Admission.OPEN;
        };
    }

    String detail(AccountState account, Wish wish) {
        return switch (this) {
            case EXCLUDED -> "tried for this write already";
            case DRAINING -> "draining";
            case READ_ONLY -> "read-only";
            case UNAVAILABLE -> "unavailable";
            case CAPACITY ->
                "%d of %d bytes used, %d more wanted"
                        .formatted(account.usedBytes(), account.capacityBytes(), wish.sizeBytes());
            case REQUEST_RATE -> rate(account.requests(), "requests/s");
            case INGRESS_RATE -> rate(account.ingress(), "bytes/s in");
            case EGRESS_RATE -> rate(account.egress(), "bytes/s out");
            case BREAKER_OPEN -> "breaker open";
        };
    }

    private static boolean overflows(AccountState account, Wish wish, Thresholds thresholds) {
        return account.capacityBytes() != Long.MAX_VALUE
                && account.usedBytes() > thresholds.maxUsedBytes(account) - wish.sizeBytes();
    }

    private static String rate(Load load, String unit) {
        return String.format(Locale.ROOT, "%.0f of %.0f %s", load.current(), load.limit(), unit);
    }
}
