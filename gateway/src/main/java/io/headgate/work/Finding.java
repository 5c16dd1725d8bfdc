package io.headgate.work;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Something that {@link Fsck} found.
 *
 * @param details what it is about, by names as they stand in {@code docs/fsck.md}, in the order of printing; each a string or a number
 */
public record Finding(Kind kind, Map<String, Object> details, Fate fate) {
    public Finding {
        details = new LinkedHashMap<>(details);
    }

    /** What is wrong. */
    public enum Kind {
        /** A version or part needs bytes of a blob that its account does not have. */
        LOST,
        /** A version or part needs bytes of a blob that has another length than was written. */
        WRONG_LENGTH,
        /** The bytes of a version are not those that were written. */
        WRONG_CHECKSUM,
        /** The slices of a version are not as long as it is. */
        WRONG_SIZE,
        /** A slice ends behind the end of its blob, as the namespace knows it. */
        SLICE_TOO_LONG,
        /** Blobs live in an account that is not configured. */
        UNKNOWN_ACCOUNT,
        /** An account has a blob of which nothing is known. */
        STRAY,
        /** Garbage that should have been deleted, of which the account has nothing. */
        DANGLING_GARBAGE,
        BUCKET_COUNTER,
        ACCOUNT_COUNTER,
        BLOB_REFERENCES,
        MANIFEST_REFERENCES,
        /** Slices that nothing needs any more and that are not queued for being released. */
        FORGOTTEN_SLICES
    }

    /** What became of it. */
    public enum Fate {
        /** Nothing that a program could do would make it right. */
        REPORTED,
        /** A run with repair would set it right. */
        REPAIRABLE,
        REPAIRED,
        /** It is more than is plausible, so that an administrator has to look first. */
        HELD_BACK
    }
}
