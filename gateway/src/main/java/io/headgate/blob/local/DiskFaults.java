package io.headgate.blob.local;

import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Turns what the file system says into faults of the account, in words that an administrator can act on. */
final class DiskFaults {
    private DiskFaults() {}

    static BlobStoreException fault(Path root, String doing, IOException cause) {
        if (cause instanceof BlobStoreException known) {
            return known;
        }
        return new BlobStoreException(
                Kind.ACCOUNT_FAULT, "Directory " + root + ": " + doing + " failed: " + reason(cause), cause);
    }

    static BlobStoreException fault(Path root, String what) {
        return new BlobStoreException(Kind.ACCOUNT_FAULT, "Directory " + root + ": " + what);
    }

    private static String reason(IOException cause) {
        return switch (cause) {
            case NoSuchFileException e -> e.getFile() + " does not exist";
            case AccessDeniedException e -> "permission denied for " + e.getFile();
            case FileAlreadyExistsException e -> e.getFile() + " exists already";
            case FileSystemException e -> orElse(e.getReason(), e) + " (" + e.getFile() + ")";
            default -> orElse(cause.getMessage(), cause);
        };
    }

    private static String orElse(@Nullable String text, IOException cause) {
        return text == null ? cause.toString() : text;
    }
}
