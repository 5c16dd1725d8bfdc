package io.headgate.conformance;

import static org.awaitility.Awaitility.await;

import io.headgate.servers.Azurite;
import io.headgate.servers.PostgresServer;
import io.headgate.servers.RedisCluster;
import io.headgate.servers.RedisServer;
import io.headgate.servers.S3ProxyServer;
import java.net.URI;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * What the gateway under test keeps its namespace and its blobs in: {@code headgate.conformance.namespace} is {@code sqlite} (default)
 * or {@code postgres} or {@code postgres+redis} or {@code redis} (a cluster), {@code headgate.conformance.accounts} is {@code local} (default), {@code azure} or {@code s3}. The servers that
 * these take are started by this JVM and end with it.
 */
final class Parts {
    private static final Duration SETTLES_WITHIN = Duration.ofSeconds(60);
    private static String database;

    private Parts() {}

    private static String namespace() {
        return Endpoint.setting("namespace").orElse("sqlite");
    }

    private static String accounts() {
        return Endpoint.setting("accounts").orElse("local");
    }

    /** The choice, in a word. */
    static String name() {
        return namespace() + "-" + accounts();
    }

    /** The gateway's settings for the chosen parts, as environment variables. */
    static Map<String, String> chosen() {
        Map<String, String> environment = new HashMap<>();
        switch (namespace()) {
            case "sqlite" -> {}
            case "postgres" -> environment.putAll(postgres());
            case "postgres+redis" -> {
                environment.putAll(postgres());
                environment.put("HEADGATE_NAMESPACE_CACHE", redis());
            }
            case "redis" -> {
                environment.put("HEADGATE_NAMESPACE_ENGINE", "redis");
                environment.put("HEADGATE_NAMESPACE_URL", redisCluster());
            }
            default ->
                throw new IllegalStateException("headgate.conformance.namespace: no such engine: " + namespace());
        }
        switch (accounts()) {
            case "local" -> {}
            case "azure" -> environment.put("STORAGE_SHARDS", azure());
            case "s3" -> environment.put("STORAGE_SHARDS", s3());
            default -> throw new IllegalStateException("headgate.conformance.accounts: no such kind: " + accounts());
        }
        return environment;
    }

    private static Map<String, String> postgres() {
        database = PostgresServer.freshDatabase();
        return Map.of(
                "HEADGATE_NAMESPACE_ENGINE",
                "postgres",
                "HEADGATE_NAMESPACE_URL",
                "postgresql://postgres@127.0.0.1:" + PostgresServer.port() + "/" + database);
    }

    /** Waits until the parts are as they are after a while of serving: a cache is used only when no write from before can be under way. */
    static void settle() {
        if (!namespace().equals("postgres+redis")) {
            return;
        }
        try (Connection connection = PostgresServer.connect(PostgresServer.port(), String.valueOf(database));
                Statement statement = connection.createStatement()) {
            // Nobody has written yet.
            await().atMost(SETTLES_WITHIN)
                    .until(() -> statement.executeUpdate(
                                    "UPDATE cache_state SET phase = 'on' WHERE phase IN ('warming', 'on')")
                            == 1);
        } catch (SQLException failed) {
            throw new IllegalStateException(failed);
        }
    }

    private static String redis() {
        RedisServer server = RedisServer.start();
        Runtime.getRuntime().addShutdownHook(new Thread(server::close));
        return "redis://127.0.0.1:" + server.port();
    }

    private static String redisCluster() {
        return RedisCluster.shared().masters().stream()
                .map(RedisCluster.Node::toString)
                .collect(Collectors.joining(",", "redis://", ""));
    }

    private static String azure() {
        return list(
                List.of(Map.entry(Azurite.ACCOUNT, Azurite.KEY), Map.entry(Azurite.OTHER_ACCOUNT, Azurite.OTHER_KEY))
                        .stream()
                        .map(account -> """
                                {"name": "%s", "type": "azure", "endpoint": "%s", "account": "%s", "key": "%s",
                                 "container": "conformance", "create_container": true}""".formatted(
                                        account.getKey(),
                                        Azurite.endpoint(account.getKey()),
                                        account.getKey(),
                                        account.getValue()))
                        .toList());
    }

    private static String s3() {
        URI endpoint = S3ProxyServer.endpoint();
        List<String> buckets = List.of("conformance-1", "conformance-2");
        try (S3Client client = S3Client.builder()
                .endpointOverride(endpoint)
                .region(Region.of(S3ProxyServer.REGION))
                .forcePathStyle(true)
                .credentialsProvider(StaticCredentialsProvider.create(
                        AwsBasicCredentials.create(S3ProxyServer.ACCESS_KEY, S3ProxyServer.SECRET_KEY)))
                .build()) {
            buckets.forEach(bucket -> client.createBucket(request -> request.bucket(bucket)));
        }
        return list(buckets.stream()
                .map(bucket -> """
                        {"name": "%s", "type": "s3", "endpoint": "%s", "region": "%s", "bucket": "%s", "path_style": true,
                         "access_key": "%s", "secret_key": "%s"}""".formatted(
                                bucket,
                                endpoint,
                                S3ProxyServer.REGION,
                                bucket,
                                S3ProxyServer.ACCESS_KEY,
                                S3ProxyServer.SECRET_KEY))
                .toList());
    }

    private static String list(List<String> accounts) {
        return accounts.stream().collect(Collectors.joining(", ", "[", "]"));
    }
}
