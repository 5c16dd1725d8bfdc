package io.headgate.blob.azure;

import java.net.URI;
import java.time.Duration;

/**
 * Where an account's bytes are, and how the service is spoken to.
 *
 * @param endpoint of the storage account's Blob service
 * @param createContainer whether to make the container when a put finds that it is not there
 * @param prefix of the names of all blobs in the container; may be empty
 * @param maxConnections requests under way at once
 * @param stallTimeout how long the service may be silent
 * @param blockBytes of a blob put in blocks; blobs of at most one block are put whole. Azure takes up to 4,000 MiB
 */
public record AzureSettings(
        URI endpoint,
        String container,
        boolean createContainer,
        String prefix,
        AzureCredentials credentials,
        int maxConnections,
        Duration stallTimeout,
        int blockBytes) {
    /** The usual size of a block. */
    public static final int BLOCK_BYTES = 4 << 20;
}
