package io.headgate.blob.azure;

import com.azure.core.http.rest.PagedResponse;
import com.azure.storage.blob.models.BlobItem;
import com.azure.storage.blob.models.BlobListDetails;
import com.azure.storage.blob.models.ListBlobsOptions;
import io.headgate.blob.BlobNames;
import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.blob.BlobStoreException;
import io.headgate.domain.BlobId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Lists blobs, those of which only uncommitted blocks are there included. The service lists by prefix and cannot begin at a name, so a
 * run is cut into prefixes: that of the 256 seconds in which it begins, then ever longer spans of time.
 */
final class AzureListing {
    private static final int MAX_PAGE = 5000;
    /** Digits of a stamp, after the fan-out's, that name a span of 256 seconds. */
    private static final int SPAN_DIGITS = 6;

    private static final String NO_SPAN = "0".repeat(SPAN_DIGITS);
    private static final String DIGITS = "0123456789abcdef";

    private final AzureRequests requests;
    private final BlobNames names;

    AzureListing(AzureRequests requests, BlobNames names) {
        this.requests = requests;
        this.names = names;
    }

    /** At most {@code limit} blobs of the run, in order. */
    List<StoredBlob> blobs(BlobNames.Run run, int limit) throws BlobStoreException {
        List<StoredBlob> found = new ArrayList<>();
        for (String prefix : prefixes(run)) {
            if (addWithPrefix(prefix, run, limit, found)) {
                break;
            }
        }
        return found;
    }

    /** In order; together they have the run, and at most 256 seconds before it. */
    static List<String> prefixes(BlobNames.Run run) {
        String fanOut = run.prefix();
        String span = run.after().substring(fanOut.length(), fanOut.length() + SPAN_DIGITS);
        List<String> prefixes = new ArrayList<>();
        if (span.equals(NO_SPAN)) {
            prefixes.add(fanOut);
            return prefixes;
        }
        prefixes.add(fanOut + span);
        for (int at = SPAN_DIGITS - 1; at >= 0; at--) {
            for (int digit = DIGITS.indexOf(span.charAt(at)) + 1; digit < DIGITS.length(); digit++) {
                String prefix = fanOut + span.substring(0, at) + DIGITS.charAt(digit);
                if (prefix.compareTo(run.end()) >= 0) {
                    return prefixes;
                }
                prefixes.add(prefix);
            }
        }
        return prefixes;
    }

    /** True if nothing of the run is beyond, or there is enough. */
    private boolean addWithPrefix(String prefix, BlobNames.Run run, int limit, List<StoredBlob> found)
            throws BlobStoreException {
        String marker = null;
        do {
            PagedResponse<BlobItem> page = page(prefix, marker);
            for (BlobItem blob : page.getValue()) {
                if (blob.getName().compareTo(run.end()) >= 0) {
                    return true;
                }
                Optional<BlobId> id = names.parse(blob.getName());
                if (id.isPresent() && run.contains(blob.getName())) {
                    Long length = blob.getProperties().getContentLength();
                    found.add(new StoredBlob(id.get(), length == null ? 0 : length));
                    if (found.size() == limit) {
                        return true;
                    }
                }
            }
            marker = page.getContinuationToken();
        } while (marker != null && !marker.isEmpty());
        return false;
    }

    private PagedResponse<BlobItem> page(String prefix, @Nullable String marker) throws BlobStoreException {
        ListBlobsOptions options = new ListBlobsOptions()
                .setPrefix(prefix)
                .setDetails(new BlobListDetails().setRetrieveUncommittedBlobs(true))
                .setMaxResultsPerPage(MAX_PAGE);
        return requests.send(
                "list blobs",
                () -> requests.container()
                        .listBlobs(options, marker, null)
                        .iterableByPage()
                        .iterator()
                        .next());
    }
}
