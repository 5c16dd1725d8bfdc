package io.headgate.conformance;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.core.async.AsyncRequestBody;
import software.amazon.awssdk.core.async.AsyncResponseTransformer;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.apache5.Apache5HttpClient;
import software.amazon.awssdk.http.nio.netty.NettyNioAsyncHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3AsyncClient;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.crt.S3CrtHttpConfiguration;
import software.amazon.awssdk.services.s3.crt.S3CrtRetryConfiguration;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;

/**
 * The SDK's three clients, which differ in how they frame, sign and split requests. Each is used through the blocking interface, so
 * that one test reads the same over all of them. No client retries: a failure must be seen.
 */
enum ClientKind {
    /** Blocking, over Apache's HTTP client: sends Expect: 100-continue and signed chunks with trailers. */
    SYNC,
    /** Asynchronous, over Netty. */
    ASYNC,
    /** The C runtime's client: cuts bigger objects into parallel parts and ranges. */
    CRT;

    private static final Map<ClientKind, S3Client> CLIENTS = new EnumMap<>(ClientKind.class);

    /** The client of this kind, shared by all tests. */
    S3Client client() {
        synchronized (CLIENTS) {
            return CLIENTS.computeIfAbsent(this, ClientKind::open);
        }
    }

    private S3Client open() {
        return switch (this) {
            case SYNC -> sync(Endpoint.current());
            case ASYNC -> blocking(async(Endpoint.current()));
            case CRT -> blocking(crt(Endpoint.current()));
        };
    }

    private static StaticCredentialsProvider credentials(Endpoint endpoint) {
        return StaticCredentialsProvider.create(AwsBasicCredentials.create(endpoint.accessKey(), endpoint.secretKey()));
    }

    private static S3Client sync(Endpoint endpoint) {
        return syncBuilder(endpoint).build();
    }

    /** For a client that differs in a setting; to be closed by the caller. */
    static S3ClientBuilder syncBuilder(Endpoint endpoint) {
        return S3Client.builder()
                .endpointOverride(endpoint.url())
                .region(Region.of(endpoint.region()))
                .credentialsProvider(credentials(endpoint))
                .forcePathStyle(true)
                .httpClientBuilder(Apache5HttpClient.builder().maxConnections(128))
                .overrideConfiguration(config -> config.retryStrategy(retry -> retry.maxAttempts(1)));
    }

    private static S3AsyncClient async(Endpoint endpoint) {
        return S3AsyncClient.builder()
                .endpointOverride(endpoint.url())
                .region(Region.of(endpoint.region()))
                .credentialsProvider(credentials(endpoint))
                .forcePathStyle(true)
                .httpClientBuilder(NettyNioAsyncHttpClient.builder().maxConcurrency(128))
                .overrideConfiguration(config -> config.retryStrategy(retry -> retry.maxAttempts(1)))
                .build();
    }

    /** A fresh client over Netty that cuts larger objects into parts itself; the caller closes it. */
    static S3AsyncClient multipart(Endpoint endpoint) {
        return S3AsyncClient.builder()
                .endpointOverride(endpoint.url())
                .region(Region.of(endpoint.region()))
                .credentialsProvider(credentials(endpoint))
                .forcePathStyle(true)
                .multipartEnabled(true)
                .httpClientBuilder(NettyNioAsyncHttpClient.builder().maxConcurrency(64))
                .overrideConfiguration(config -> config.retryStrategy(retry -> retry.maxAttempts(1)))
                .build();
    }

    /** A fresh CRT client; the caller closes it. */
    static S3AsyncClient crt(Endpoint endpoint) {
        return S3AsyncClient.crtBuilder()
                .endpointOverride(endpoint.url())
                .region(Region.of(endpoint.region()))
                .credentialsProvider(credentials(endpoint))
                .forcePathStyle(true)
                .maxConcurrency(64)
                .targetThroughputInGbps(1.0)
                .httpConfiguration(S3CrtHttpConfiguration.builder()
                        .connectionTimeout(Duration.ofSeconds(10))
                        .build())
                .retryConfiguration(
                        S3CrtRetryConfiguration.builder().numRetries(0).build())
                .build();
    }

    /** The blocking interface over an asynchronous client: each call waits for its future and throws what it failed with. */
    private static S3Client blocking(S3AsyncClient client) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            Class<?>[] types = method.getParameterTypes();
            if (method.getName().equals("toString")) {
                return client.toString();
            }
            if (method.getName().equals("getObjectAsBytes") && arguments[0] instanceof GetObjectRequest request) {
                return await(client.getObject(request, AsyncResponseTransformer.toBytes()));
            }
            if (types.length == 2 && types[1] == RequestBody.class && !Consumer.class.isAssignableFrom(types[0])) {
                Method call = S3AsyncClient.class.getMethod(method.getName(), types[0], AsyncRequestBody.class);
                return call(call, client, arguments[0], asynchronous((RequestBody) arguments[1]));
            }
            if (types.length == 1 && !Consumer.class.isAssignableFrom(types[0]) && !isPaginator(method)) {
                return call(S3AsyncClient.class.getMethod(method.getName(), types), client, arguments[0]);
            }
            return InvocationHandler.invokeDefault(proxy, method, arguments);
        };
        return (S3Client)
                Proxy.newProxyInstance(ClientKind.class.getClassLoader(), new Class<?>[] {S3Client.class}, handler);
    }

    private static boolean isPaginator(Method method) {
        return method.getName().endsWith("Paginator");
    }

    private static AsyncRequestBody asynchronous(RequestBody body) throws IOException {
        try (var content = body.contentStreamProvider().newStream()) {
            return AsyncRequestBody.fromBytes(content.readAllBytes());
        }
    }

    private static Object call(Method method, Object target, Object... arguments) throws Throwable {
        try {
            return await((CompletableFuture<?>) method.invoke(target, arguments));
        } catch (InvocationTargetException failed) {
            throw failed.getCause();
        }
    }

    private static Object await(CompletableFuture<?> future) throws Throwable {
        try {
            return future.join();
        } catch (CompletionException failed) {
            throw failed.getCause();
        }
    }
}
