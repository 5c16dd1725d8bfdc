package io.headgate.app.config;

import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import java.util.OptionalLong;

/** All that an operator can set, checked. Immutable; {@code toString} shows no secret. {@code docs/configuration.md} says what each means. */
public record HeadgateConfig(
        HostPort listen,
        HostPort adminListen,
        String region,
        Path dataDir,
        Optional<String> domain,
        boolean debugHeaders,
        LogLevel logLevel,
        Optional<Credentials> root,
        Optional<Secret> adminToken,
        NamespaceConfig namespace,
        List<AccountConfig> accounts,
        OptionalLong uploadMemoryBytes,
        List<UserConfig> users,
        PlacementConfig placement,
        BreakerConfig breaker,
        HttpConfig http,
        MultipartConfig multipart,
        IntentConfig intents,
        GarbageConfig garbage,
        SweepConfig sweep,
        OrphansConfig orphans,
        DrainConfig drain,
        AccessLogConfig accessLog,
        Optional<RegionsConfig> regions,
        EnvironmentReferences references) {

    public HeadgateConfig {
        accounts = List.copyOf(accounts);
        users = List.copyOf(users);
    }

    /** The least level that is logged. */
    public enum LogLevel {
        ERROR,
        WARN,
        INFO,
        DEBUG,
        TRACE
    }

    /** An access key with its secret. */
    public record Credentials(String accessKey, Secret secretKey) {}

    /** What keeps the metadata. */
    public enum Engine {
        SQLITE,
        POSTGRES,
        REDIS;

        /** Whether several gateways can have one namespace. */
        public boolean isShared() {
            return switch (this) {
                case SQLITE -> false;
                case POSTGRES, REDIS -> true;
            };
        }
    }

    /**
     * The metadata store.
     *
     * @param database for the engine {@code postgres}, and only for it
     * @param cache before that database, if there is to be one
     * @param cluster for the engine {@code redis}, and only for it
     */
    public record NamespaceConfig(
            Engine engine,
            Optional<DatabaseConfig> database,
            Optional<CacheConfig> cache,
            Optional<ClusterConfig> cluster,
            Durability durability,
            Duration timeout,
            long walLimitBytes) {}

    /**
     * A database server.
     *
     * @param connections how many are held open at most
     * @param connectTimeout how long to wait for a connection
     * @param statementTimeout how long the server may work on a statement
     * @param lockTimeout how long a statement waits for a lock
     */
    public record DatabaseConfig(
            DatabaseUrl url,
            int connections,
            Duration connectTimeout,
            Duration statementTimeout,
            Duration lockTimeout) {}

    /**
     * A Redis Cluster.
     *
     * @param replicas how many have to have a write before it is acknowledged; empty for one if there are any
     * @param replicasTimeout how long to wait for them before asking again
     * @param rangeMaxObjects a range of more is split
     * @param rangeMaxRequestsPerSecond a range that is asked more often is split
     * @param rangeJoinObjects neighbours of no more together are joined
     */
    public record ClusterConfig(
            ClusterUrl url,
            OptionalInt replicas,
            Duration replicasTimeout,
            long rangeMaxObjects,
            long rangeMaxRequestsPerSecond,
            long rangeJoinObjects) {}

    /**
     * A cache in Redis.
     *
     * @param lease how long a gateway acts on what it knows of the cache's state without asking again
     * @param lifetime how long an entry stays
     * @param timeout how long a read waits for Redis
     * @param writeTimeout how long a write does
     */
    public record CacheConfig(
            RedisUrl url, Duration lease, Duration lifetime, Duration timeout, Duration writeTimeout) {}

    /** The kinds of account. */
    enum AccountType {
        LOCAL,
        S3,
        AZURE
    }

    /** An account; names are unique. */
    public record AccountConfig(String name, String region, Limits limits, Storage storage) {}

    /** What an account can take; empty for no limit. */
    public record Limits(
            OptionalLong capacityBytes,
            OptionalLong requestsPerSecond,
            OptionalLong ingressBytesPerSecond,
            OptionalLong egressBytesPerSecond) {
        public static final Limits NONE =
                new Limits(OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty(), OptionalLong.empty());
    }

    /** Where an account's bytes are, by kind. */
    public sealed interface Storage {
        /** A directory, which no other account uses. */
        record Local(Path path, Durability durability) implements Storage {}

        /**
         * A bucket of an S3-compatible service; no other account has its prefix.
         *
         * @param endpoint if it is not AWS's
         * @param key without which the SDK looks for one
         * @param role to take on with the key
         */
        record S3(
                Optional<URI> endpoint,
                String bucket,
                String prefix,
                boolean pathStyle,
                Optional<Credentials> key,
                Optional<Role> role,
                RequestChecksum checksum,
                int maxConnections)
                implements Storage {}

        /**
         * A container of Azure Blob Storage; no other account has its prefix.
         *
         * @param endpoint of the storage account's Blob service
         */
        record Azure(
                URI endpoint,
                String container,
                boolean createContainer,
                String prefix,
                AzureAccess access,
                int maxConnections)
                implements Storage {}
    }

    /** How an Azure account lets the gateway in. */
    public sealed interface AzureAccess {
        /** A key of the storage account, in Base64. */
        record Key(String account, Secret key) implements AzureAccess {}

        /** A shared access signature. */
        record Sas(Secret token) implements AzureAccess {}

        /** What the SDK finds. */
        record Identity() implements AzureAccess {}
    }

    /** A role of AWS. */
    public record Role(String arn, Optional<Secret> externalId) {}

    /** How a service checks what it is sent. */
    public enum RequestChecksum {
        CRC32C,
        MD5
    }

    /** What a local account does before a write is acknowledged. */
    public enum Durability {
        /** Flushes the blob to disk. */
        SYNC,
        /** Leaves it to the operating system. */
        NONE
    }

    /** A user besides root; ids and access keys are unique. */
    public record UserConfig(String id, String displayName, Optional<String> email, Credentials credentials) {}

    /**
     * The filters of placement, and how often the accounts' use is read anew.
     *
     * @param maxWait for so long a write waits for an account when rates keep it from all
     * @param maxWaiting so many wait at once
     */
    public record PlacementConfig(
            double maxCapacityRatio,
            double maxRequestRatio,
            double maxByteRateRatio,
            Duration maxWait,
            int maxWaiting,
            Duration usageInterval) {}

    /**
     * When an account's breaker opens, and for how long.
     *
     * @param errorRatio if present, asked beside {@code failures} from {@code minRequests} requests in the window on
     */
    public record BreakerConfig(
            int failures,
            Duration window,
            Duration open,
            Duration probeTimeout,
            Duration stallTimeout,
            Duration probeInterval,
            OptionalDouble errorRatio,
            int minRequests) {}

    /** The threads that wait for the network. */
    public enum Selectors {
        VIRTUAL,
        PLATFORM
    }

    /** Bounds of the S3 endpoint. */
    public record HttpConfig(
            Selectors selectors,
            int maxConnections,
            Duration idleTimeout,
            Duration headTimeout,
            long minBytesPerSecond,
            Duration minRateGrace,
            int maxHeadBytes,
            int maxHeaderFields,
            int maxTargetBytes,
            int copyBufferBytes,
            int maxCopyBuffers,
            Duration drainTimeout) {}

    public record MultipartConfig(long minPartBytes, Duration rememberCompleted) {}

    public record IntentConfig(Duration window, Duration lifetime) {}

    public record GarbageConfig(
            Duration grace,
            Duration interval,
            int batch,
            int parallelism,
            Duration maxBackoff,
            Duration maxBlobBackoff) {}

    public record SweepConfig(Duration interval, int page, Duration pause, Duration maxBackoff) {}

    public record OrphansConfig(
            Duration delay, Duration interval, Duration minAge, int page, Duration pause, double maxRatio) {}

    public record DrainConfig(long bytesPerSecond, int parallelism, Duration interval, double tolerance) {}

    /**
     * That there are several regions.
     *
     * @param regions the own one among them; names are unique
     * @param listen for other regions' gateways
     * @param tls between gateways, if there is any
     * @param newBuckets the region of buckets for which the client names none
     */
    public record RegionsConfig(
            List<RegionConfig> regions,
            HostPort listen,
            Optional<PeerTls> tls,
            WrongRegion wrongRegion,
            String newBuckets,
            RegistryPlace registry) {
        public RegionsConfig {
            regions = List.copyOf(regions);
        }
    }

    /**
     * A region.
     *
     * @param gateways where they listen for others
     * @param endpoint its S3 endpoint, which there is if clients are redirected
     * @param secret shared with it, which others than the own have
     */
    public record RegionConfig(String name, List<URI> gateways, Optional<URI> endpoint, Optional<Secret> secret) {
        public RegionConfig {
            gateways = List.copyOf(gateways);
        }
    }

    /** PEM files: a chain of certificates, its key, and the authorities that sign the others'. */
    public record PeerTls(Path certificate, Path key, Path ca) {}

    /** What becomes of a request for another region's bucket. */
    public enum WrongRegion {
        FORWARD,
        REDIRECT
    }

    /** Where the names of all regions' buckets are. */
    public sealed interface RegistryPlace {
        /** For gateways of one machine. */
        record File(Path path) implements RegistryPlace {}

        record Database(DatabaseUrl url) implements RegistryPlace {}

        /** A server, or nodes of a cluster. */
        record Redis(ClusterUrl url) implements RegistryPlace {}
    }

    /** Where the access log goes. */
    public enum LogDestination {
        OFF,
        FILE,
        STDOUT,
        STDERR
    }

    /**
     * The access log.
     *
     * @param path of the file, also when it is not used
     */
    public record AccessLogConfig(
            LogDestination destination, Path path, long maxFileBytes, int keptFiles, long queuedBytes) {}
}
