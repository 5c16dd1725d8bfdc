package io.headgate.blob.s3;

import io.headgate.blob.BlobStore;
import io.headgate.blob.BlobStoreContract;

/** The contract over S3Proxy, with the usual parts: all blobs of the contract are put whole. */
final class S3BlobStoreTest extends BlobStoreContract {
    @Override
    protected BlobStore openStore() {
        return new S3BlobStore(
                "s3-1", TestService.settings(TestService.endpoint(), S3Settings.PART_BYTES), TestService.memory());
    }
}
