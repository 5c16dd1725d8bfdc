package io.headgate.blob.azure;

import com.azure.core.http.HttpClient;
import com.azure.core.http.jdk.httpclient.JdkHttpClientBuilder;
import com.azure.core.util.Context;
import com.azure.identity.DefaultAzureCredentialBuilder;
import com.azure.storage.blob.BlobContainerAsyncClient;
import com.azure.storage.blob.BlobContainerClient;
import com.azure.storage.blob.BlobContainerClientBuilder;
import com.azure.storage.common.StorageSharedKeyCredential;
import com.azure.storage.common.policy.RequestRetryOptions;
import com.azure.storage.common.policy.RetryPolicyType;
import io.headgate.blob.Allowance;
import io.headgate.blob.BlobStoreException;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Requests to one Azure account: a bounded number at once, each within bounded time, and what they throw in the gateway's terms.
 *
 * <p>A request is sent once more at most, when the connection broke or the answer was a 5xx that is no throttling; the rest is the
 * gateway's business, which has other accounts. The SDK itself repeats nothing.
 */
final class AzureRequests implements AutoCloseable {
    private static final Duration MAX_CONNECT_TIME = Duration.ofSeconds(5);
    /** Slower than so many bytes/s the service takes too long for what it is sent. */
    private static final long LEAST_BYTES_PER_SECOND = 128 << 10;
    /** The SDK's key for the time from a request's first byte to its answer's head. */
    private static final String RESPONSE_TIMEOUT = "azure-response-timeout";

    private final String account;
    private final AzureSettings settings;
    private final Allowance connections;
    private final ExecutorService threads;
    private final BlobContainerClient container;
    private final BlobContainerAsyncClient streams;

    AzureRequests(String account, AzureSettings settings) {
        this.account = account;
        this.settings = settings;
        this.connections =
                new Allowance("connections of account " + account, settings.maxConnections(), settings.stallTimeout());
        this.threads = Executors.newVirtualThreadPerTaskExecutor();
        BlobContainerClientBuilder builder = builder();
        this.container = builder.buildClient();
        this.streams = builder.buildAsyncClient();
    }

    private BlobContainerClientBuilder builder() {
        Duration stall = settings.stallTimeout();
        HttpClient http = new JdkHttpClientBuilder(java.net.http.HttpClient.newBuilder()
                        .version(java.net.http.HttpClient.Version.HTTP_1_1)
                        .executor(threads))
                .connectionTimeout(MAX_CONNECT_TIME.compareTo(stall) < 0 ? MAX_CONNECT_TIME : stall)
                .responseTimeout(stall)
                .readTimeout(stall)
                .writeTimeout(stall)
                .build();
        BlobContainerClientBuilder builder = new BlobContainerClientBuilder()
                .endpoint(settings.endpoint().toString())
                .containerName(settings.container())
                .httpClient(http)
                .retryOptions(new RequestRetryOptions(RetryPolicyType.FIXED, 1, Integer.MAX_VALUE, null, null, null));
        return switch (settings.credentials()) {
            case AzureCredentials.SharedKey(String name, String key) ->
                builder.credential(new StorageSharedKeyCredential(name, key));
            case AzureCredentials.Sas(String token) -> builder.sasToken(token);
            case AzureCredentials.Identity() ->
                builder.credential(
                        new DefaultAzureCredentialBuilder().httpClient(http).build());
        };
    }

    BlobContainerClient container() {
        return container;
    }

    /** The same container by the client whose answers can be read while they arrive. */
    BlobContainerAsyncClient streams() {
        return streams;
    }

    /** For a request that sends so many bytes. */
    Context sending(long bytes) {
        return new Context(RESPONSE_TIMEOUT, settings.stallTimeout().plusSeconds(bytes / LEAST_BYTES_PER_SECOND));
    }

    /** Makes a call that is over when it returns. */
    <T extends @Nullable Object> T send(String doing, Supplier<T> call) throws BlobStoreException {
        try (Allowance.Grant _ = connections.take(1)) {
            return attempt(doing, call);
        }
    }

    /** Makes a call that sends bytes, and makes the container if that is wished and it is not there. */
    <T extends @Nullable Object> T store(String doing, Supplier<T> call) throws BlobStoreException {
        return send(doing, () -> {
            try {
                return call.get();
            } catch (RuntimeException failure) {
                if (!settings.createContainer() || !AzureFaults.isContainerMissing(failure)) {
                    throw failure;
                }
                container.createIfNotExists();
                return call.get();
            }
        });
    }

    /** Makes a call whose connection, taken before by {@link #connection}, is used on after it has returned. */
    <T> T attempt(String doing, Supplier<T> call) throws BlobStoreException {
        try {
            return call.get();
        } catch (RuntimeException first) {
            if (!AzureFaults.isTransient(first)) {
                throw AzureFaults.of(account, settings.endpoint().getAuthority(), doing, first);
            }
        }
        try {
            return call.get();
        } catch (RuntimeException second) {
            throw AzureFaults.of(account, settings.endpoint().getAuthority(), doing, second);
        }
    }

    /** A connection for a call that goes on after it has returned. */
    Allowance.Grant connection() throws BlobStoreException {
        return connections.take(1);
    }

    /** The SDK's client has no end of its own: it goes with its last connection. */
    @Override
    public void close() {
        threads.shutdown();
    }
}
