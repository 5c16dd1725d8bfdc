package io.headgate.blob;

import io.headgate.domain.BlobId;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The names of blobs in an account that keeps objects under texts: a fixed prefix, then the id's text. Names order as ids do, by their
 * bytes, so a window of time of one fan-out is one run of names.
 */
public final class BlobNames {
    private static final HexFormat HEX = HexFormat.of();
    /** Greater than any hex digit, and than the hyphen in an id's text. */
    private static final String BEYOND = "g";

    private final String prefix;

    /** @param prefix may be empty */
    public BlobNames(String prefix) {
        this.prefix = prefix;
    }

    public String of(BlobId id) {
        return prefix + id;
    }

    /** The id, or empty if this is not the name of a blob. */
    public Optional<BlobId> parse(String name) {
        if (!name.startsWith(prefix)) {
            return Optional.empty();
        }
        try {
            return Optional.of(BlobId.parse(name.substring(prefix.length())));
        } catch (IllegalArgumentException foreign) {
            return Optional.empty();
        }
    }

    /** What all names of a fan-out begin with. */
    public String fanOut(int fanOut) {
        return prefix + HEX.toHexDigits((byte) fanOut);
    }

    /** The run of names that a listing asks for; see {@link BlobStore#list}. */
    public Run run(int fanOut, Instant from, Instant to, @Nullable BlobId after) {
        String lower = floor(fanOut, from);
        if (after != null && of(after).compareTo(lower) > 0) {
            lower = of(after);
        }
        return new Run(fanOut(fanOut), lower, floor(fanOut, to));
    }

    /** Below the names of all ids stamped at that instant or later, above all others of the fan-out. */
    private String floor(int fanOut, Instant stamp) {
        // An id's stamp is a whole second: the first one that is not before the instant.
        long second = stamp.getEpochSecond() + (stamp.getNano() > 0 ? 1 : 0);
        if (second > BlobId.MAX_SECOND) {
            return fanOut(fanOut) + BEYOND;
        }
        String digits = HEX.toHexDigits((int) Math.max(0, second));
        return fanOut(fanOut) + digits.substring(0, 6) + "-" + digits.substring(6);
    }

    /**
     * A run of names.
     *
     * @param prefix that they all have
     * @param after exclusive; not always a whole name
     * @param end exclusive; not a whole name
     */
    public record Run(String prefix, String after, String end) {
        public boolean isEmpty() {
            return after.compareTo(end) >= 0;
        }

        public boolean contains(String name) {
            return name.compareTo(after) > 0 && name.compareTo(end) < 0;
        }
    }
}
