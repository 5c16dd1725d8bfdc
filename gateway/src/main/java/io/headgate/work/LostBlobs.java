package io.headgate.work;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Holder;
import io.headgate.namespace.Namespace;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/** Blobs of one account that are not there or not as long as they should be, until it is known who needs them. */
final class LostBlobs {
    private final String account;
    private final Namespace namespace;
    private final SharedDamage found;
    private final Map<BlobId, Lost> lost = new TreeMap<>();

    /** @param actualBytes -1 if it is not there */
    private record Lost(long sizeBytes, long actualBytes) {}

    LostBlobs(String account, Namespace namespace, Consumer<Finding> found) {
        this.account = account;
        this.namespace = namespace;
        this.found = new SharedDamage(found);
    }

    void add(BlobId blob, long sizeBytes, long actualBytes) {
        lost.put(blob, new Lost(sizeBytes, actualBytes));
        if (lost.size() == Namespace.MOST_HELD) {
            report();
        }
    }

    /** Names what needs them. What nothing needs any more, or lives elsewhere by now, is not lost. */
    void report() {
        if (lost.isEmpty()) {
            return;
        }
        namespace.holders(lost.keySet(), holder -> {
            Lost of = lost.get(holder.slice().blob());
            if (of != null && holder.slice().account().equals(account)) {
                boolean missing = of.actualBytes < 0;
                found.accept(finding(
                        missing ? Finding.Kind.LOST : Finding.Kind.WRONG_LENGTH,
                        holder,
                        missing ? Map.of() : lengths(of)));
            }
        });
        found.end();
        lost.clear();
    }

    private static Map<String, Object> lengths(Lost of) {
        Map<String, Object> lengths = new LinkedHashMap<>();
        lengths.put("blob_bytes", of.sizeBytes);
        lengths.put("actual_bytes", of.actualBytes);
        return lengths;
    }

    static Finding finding(Finding.Kind kind, Holder holder, Map<String, Object> more) {
        Map<String, Object> details = new LinkedHashMap<>();
        Slice slice = holder.slice();
        if (!slice.account().isEmpty()) {
            details.put("account", slice.account());
        }
        details.put("blob", slice.blob().toString());
        details.putAll(more);
        details.put("slice_offset", slice.offsetBytes());
        details.put("slice_bytes", slice.lengthBytes());
        switch (holder) {
            case Holder.OfVersion(BucketName bucket, ObjectKey key, String writeId, long offset, Slice _) -> {
                details.put("bucket", bucket.value());
                details.put("key", key.value());
                details.put("version", writeId);
                details.put("object_offset", offset);
            }
            case Holder.OfPart(BucketName bucket, ObjectKey key, String upload, int part, Slice _) -> {
                details.put("bucket", bucket.value());
                details.put("key", key.value());
                details.put("upload", upload);
                details.put("part", (long) part);
            }
        }
        return new Finding(kind, details, Finding.Fate.REPORTED);
    }
}
