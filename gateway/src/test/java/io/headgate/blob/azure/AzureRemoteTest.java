package io.headgate.blob.azure;

import io.headgate.blob.BlobStore;
import io.headgate.blob.RemoteStoreContract;
import io.headgate.servers.Azurite;
import java.net.URI;
import java.util.UUID;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;

/** Bad ways to Azurite. */
@DisabledIfSystemProperty(named = "headgate.test.azure", matches = "off")
final class AzureRemoteTest extends RemoteStoreContract {
    @Override
    protected URI service() {
        return Azurite.endpoint(Azurite.ACCOUNT);
    }

    @Override
    protected BlobStore openStore(URI endpoint, Keys keys, int maxConnections) {
        return open(
                endpoint,
                TestAccount.CONTAINER,
                true,
                switch (keys) {
                    case RIGHT -> TestAccount.credentials();
                    case WRONG -> new AzureCredentials.SharedKey(Azurite.ACCOUNT, Azurite.OTHER_KEY);
                },
                maxConnections);
    }

    @Override
    protected BlobStore openStoreWithoutPlace(URI endpoint) {
        return open(endpoint, "no-such-container", false, TestAccount.credentials(), 64);
    }

    private static BlobStore open(
            URI endpoint, String container, boolean make, AzureCredentials credentials, int maxConnections) {
        AzureSettings settings = new AzureSettings(
                endpoint,
                container,
                make,
                "test-" + UUID.randomUUID() + "/",
                credentials,
                maxConnections,
                STALL_TIMEOUT,
                AzureSettings.BLOCK_BYTES);
        return new AzureBlobStore("az-1", settings, TestAccount.memory());
    }

    @Override
    protected String throttling() {
        return response(
                "503 The server is busy.",
                "x-ms-error-code: ServerBusy\r\n",
                "<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>ServerBusy</Code><Message>The server is busy.</Message></Error>");
    }

    @Override
    protected String failure() {
        return response(
                "500 Internal error",
                "x-ms-error-code: InternalError\r\n",
                "<?xml version=\"1.0\" encoding=\"utf-8\"?><Error><Code>InternalError</Code><Message>The server encountered an internal error.</Message></Error>");
    }

    @Override
    protected String secret() {
        return Azurite.OTHER_KEY;
    }
}
