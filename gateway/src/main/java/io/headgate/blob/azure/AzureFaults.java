package io.headgate.blob.azure;

import com.azure.core.exception.AzureException;
import com.azure.core.exception.HttpResponseException;
import com.azure.core.http.HttpHeaderName;
import com.azure.storage.blob.models.BlobErrorCode;
import com.azure.storage.blob.models.BlobStorageException;
import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.http.HttpTimeoutException;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** What the SDK's exceptions mean for an account. */
final class AzureFaults {
    private static final int MAX_CAUSES = 20;

    private AzureFaults() {}

    /**
     * @param host of the service
     * @throws RuntimeException the failure itself if it is none of service or network, but a fault in the program
     */
    static BlobStoreException of(String account, String host, String doing, RuntimeException failure) {
        String what = "account " + account + " failed to " + doing + ": ";
        HttpResponseException refused = find(failure, HttpResponseException.class);
        if (refused != null && refused.getResponse() != null) {
            return new BlobStoreException(kind(refused), what + reason(refused), failure);
        }
        Throwable unanswered = unanswered(failure);
        if (unanswered == null) {
            throw failure;
        }
        return new BlobStoreException(Kind.ACCOUNT_FAULT, what + "no answer from " + host + ": " + unanswered, failure);
    }

    /**
     * Whether the request may have better luck at once. Throttled ones are not sent again here, as another account may take them; nor
     * are those that took too long, as nobody would wait as long again.
     */
    static boolean isTransient(RuntimeException failure) {
        HttpResponseException refused = find(failure, HttpResponseException.class);
        if (refused != null && refused.getResponse() != null) {
            return refused.getResponse().getStatusCode() >= 500 && kind(refused) == Kind.ACCOUNT_FAULT;
        }
        return find(failure, IOException.class) != null
                && find(failure, HttpTimeoutException.class) == null
                && find(failure, InterruptedIOException.class) == null;
    }

    static boolean isContainerMissing(RuntimeException failure) {
        BlobStorageException refused = find(failure, BlobStorageException.class);
        return refused != null && isContainerMissing(code(refused));
    }

    static boolean isBlobMissing(RuntimeException failure) {
        BlobStorageException refused = find(failure, BlobStorageException.class);
        return refused != null && kind(refused) == Kind.MISSING;
    }

    /** A broken stream's exception in the form that streams throw. */
    static IOException broken(RuntimeException failure) {
        Throwable unanswered = unanswered(failure);
        if (unanswered == null) {
            throw failure;
        }
        return unanswered instanceof IOException broken ? broken : new IOException(unanswered.toString(), failure);
    }

    private static Kind kind(HttpResponseException refused) {
        int status = refused.getResponse().getStatusCode();
        String code = code(refused);
        boolean bare = code.isEmpty() && refused.getResponse().getHeaderValue(HttpHeaderName.RETRY_AFTER) != null;
        if (status == 429 || code.equals(BlobErrorCode.SERVER_BUSY.toString()) || (status == 503 && bare)) {
            return Kind.THROTTLED;
        }
        boolean missing = status == 404 && !isContainerMissing(code);
        return missing || status == 416 ? Kind.MISSING : Kind.ACCOUNT_FAULT;
    }

    private static boolean isContainerMissing(String code) {
        return code.equals(BlobErrorCode.CONTAINER_NOT_FOUND.toString());
    }

    private static String code(HttpResponseException refused) {
        BlobErrorCode code = refused instanceof BlobStorageException storage ? storage.getErrorCode() : null;
        return code == null ? "" : code.toString();
    }

    /** Not the message, which has the whole answer. */
    private static String reason(HttpResponseException refused) {
        String id = refused.getResponse().getHeaderValue(HttpHeaderName.X_MS_REQUEST_ID);
        int status = refused.getResponse().getStatusCode();
        String code = code(refused);
        String hint = isContainerMissing(code)
                ? " (there is no such container)"
                : status == 401 || status == 403 ? " (the credentials are not accepted, or do not allow it)" : "";
        return "status " + status + " " + code + hint + (id == null ? "" : ", request " + id);
    }

    /** What kept an answer from coming; {@code null} if it was nothing of the kind. */
    private static @Nullable Throwable unanswered(RuntimeException failure) {
        Throwable network = find(failure, IOException.class);
        if (network == null) {
            network = find(failure, TimeoutException.class);
        }
        return network != null ? network : find(failure, AzureException.class);
    }

    private static <T extends Throwable> @Nullable T find(Throwable failure, Class<T> kind) {
        Throwable cause = failure;
        for (int depth = 0; cause != null && depth < MAX_CAUSES; depth++) {
            if (kind.isInstance(cause)) {
                return kind.cast(cause);
            }
            cause = cause.getCause();
        }
        return null;
    }
}
