package io.headgate.work;

import io.headgate.account.Account;
import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.domain.BlobId;
import io.headgate.namespace.Garbage;
import io.headgate.namespace.Namespace;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Blobs that lie in an account though the namespace does not know them there. */
final class Strays {
    /** So many are plausible in any account, however few blobs it holds. */
    static final int PLAUSIBLE = 1_000;

    private final Namespace namespace;
    private final InstantSource clock;

    Strays(Namespace namespace, InstantSource clock) {
        this.namespace = namespace;
        this.clock = clock;
    }

    /** Whether so many can be left-overs. If not, the account may be another namespace's, or the namespace an old one. */
    static boolean arePlausible(long strays, long blobs, double maxRatio) {
        return strays <= Math.max(PLAUSIBLE, maxRatio * blobs);
    }

    /** Those of the listed that are strays. At most 1,000. */
    List<StoredBlob> among(Account account, List<StoredBlob> listed) {
        if (listed.isEmpty()) {
            return List.of();
        }
        Set<BlobId> unknown = new HashSet<>(namespace.unknownBlobs(
                account.name(), listed.stream().map(StoredBlob::id).toList()));
        return listed.stream().filter(blob -> unknown.contains(blob.id())).toList();
    }

    /** Queues them as garbage. From then on no write can commit them, so one that is under way after all fails and does no harm. */
    void discard(Account account, List<StoredBlob> strays) {
        if (strays.isEmpty()) {
            return;
        }
        namespace.discard(strays.stream()
                .map(blob -> new Garbage(blob.id(), account.name(), blob.sizeBytes(), clock.instant()))
                .toList());
        account.meter()
                .abandoned(strays.stream().mapToLong(StoredBlob::sizeBytes).sum());
    }
}
