package io.headgate.blob.s3;

import io.headgate.blob.BlobNames;
import io.headgate.blob.BlobStore.StoredBlob;
import io.headgate.blob.BlobStoreException;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/** Lists blobs: those that are objects, and those of which only an unfinished multipart upload is there, which have length 0. */
final class S3Listing {
    private static final int MAX_PAGE = 1000;
    private static final Logger LOG = LoggerFactory.getLogger(S3Listing.class);

    private final S3Requests requests;
    private final String bucket;
    private final BlobNames names;
    private final AtomicBoolean toldOfNoUploads = new AtomicBoolean();

    S3Listing(S3Requests requests, String bucket, BlobNames names) {
        this.requests = requests;
        this.bucket = bucket;
        this.names = names;
    }

    /** At most {@code limit} blobs of the run, in order. */
    List<StoredBlob> blobs(BlobNames.Run run, int limit) throws BlobStoreException {
        // Each of the two is whole up to its limit, so the first of both together are, too.
        NavigableMap<String, Long> sizes = new TreeMap<>();
        addUploads(run, limit, sizes);
        addObjects(run, limit, sizes);
        return sizes.entrySet().stream()
                .limit(limit)
                .map(blob -> new StoredBlob(names.parse(blob.getKey()).orElseThrow(), blob.getValue()))
                .toList();
    }

    private void addObjects(BlobNames.Run run, int limit, Map<String, Long> sizes) throws BlobStoreException {
        String after = run.after();
        int left = limit;
        while (left > 0) {
            String startAfter = after;
            int most = Math.min(left, MAX_PAGE);
            ListObjectsV2Response page = requests.send(
                    "list blobs",
                    () -> requests.client()
                            .listObjectsV2(list -> list.bucket(bucket)
                                    .prefix(run.prefix())
                                    .startAfter(startAfter)
                                    .maxKeys(most)));
            for (S3Object object : page.contents()) {
                if (object.key().compareTo(run.end()) >= 0) {
                    return;
                }
                if (run.contains(object.key()) && names.parse(object.key()).isPresent()) {
                    sizes.put(object.key(), object.size());
                    left--;
                }
                after = object.key();
            }
            if (!Boolean.TRUE.equals(page.isTruncated()) || page.contents().isEmpty()) {
                return;
            }
        }
    }

    private void addUploads(BlobNames.Run run, int limit, Map<String, Long> sizes) throws BlobStoreException {
        String keyMarker = run.after();
        String uploadIdMarker = null;
        int left = limit;
        while (left > 0) {
            ListMultipartUploadsResponse page = uploads(run.prefix(), keyMarker, uploadIdMarker);
            for (MultipartUpload upload : page.uploads()) {
                if (upload.key().compareTo(run.end()) >= 0) {
                    return;
                }
                if (run.contains(upload.key())
                        && names.parse(upload.key()).isPresent()
                        && sizes.put(upload.key(), 0L) == null) {
                    left--;
                }
            }
            if (!Boolean.TRUE.equals(page.isTruncated()) || page.nextKeyMarker() == null) {
                return;
            }
            keyMarker = page.nextKeyMarker();
            uploadIdMarker = page.nextUploadIdMarker();
        }
    }

    /** The unfinished uploads of one key. */
    List<MultipartUpload> uploadsOf(String key) throws BlobStoreException {
        return uploads(key, null, null).uploads().stream()
                .filter(upload -> upload.key().equals(key))
                .toList();
    }

    private ListMultipartUploadsResponse uploads(
            String prefix, @Nullable String keyMarker, @Nullable String uploadIdMarker) throws BlobStoreException {
        Supplier<ListMultipartUploadsResponse> list = () -> requests.client()
                .listMultipartUploads(uploads -> uploads.bucket(bucket)
                        .prefix(prefix)
                        .keyMarker(keyMarker)
                        .uploadIdMarker(uploadIdMarker)
                        .maxUploads(MAX_PAGE));
        return requests.send("list uploads", () -> {
            try {
                return list.get();
            } catch (S3Exception failure) {
                if (!S3Faults.isNotImplemented(failure)) {
                    throw failure;
                }
                if (toldOfNoUploads.compareAndSet(false, true)) {
                    LOG.warn("bucket {} cannot list multipart uploads: let its service drop unfinished ones", bucket);
                }
                return ListMultipartUploadsResponse.builder().build();
            }
        });
    }
}
