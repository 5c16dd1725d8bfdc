package io.headgate.blob.azure;

import com.azure.storage.blob.BlobServiceClient;
import com.azure.storage.blob.BlobServiceClientBuilder;
import com.azure.storage.common.StorageSharedKeyCredential;
import io.headgate.blob.Allowance;
import io.headgate.servers.Azurite;
import java.net.URI;
import java.time.Duration;
import java.util.UUID;

/** Stores over {@link Azurite}, each below a prefix of its own. */
final class TestAccount {
    static final String CONTAINER = "blobs-of-tests";

    private TestAccount() {}

    /** A client of the test's own, to look behind a store's back. */
    static BlobServiceClient client() {
        return new BlobServiceClientBuilder()
                .endpoint(Azurite.endpoint(Azurite.ACCOUNT).toString())
                .credential(new StorageSharedKeyCredential(Azurite.ACCOUNT, Azurite.KEY))
                .buildClient();
    }

    /** Settings with a fresh prefix, below which nothing is. */
    static AzureSettings settings(URI endpoint, AzureCredentials credentials, int blockBytes) {
        return new AzureSettings(
                endpoint,
                CONTAINER,
                true,
                "test-" + UUID.randomUUID() + "/",
                credentials,
                64,
                Duration.ofSeconds(15),
                blockBytes);
    }

    static AzureCredentials credentials() {
        return new AzureCredentials.SharedKey(Azurite.ACCOUNT, Azurite.KEY);
    }

    static Allowance memory() {
        return Allowance.ofMemory("units of memory", 64 << 20, Duration.ofSeconds(10));
    }
}
