package io.headgate.app;

import io.headgate.app.config.ClusterUrl;
import io.headgate.app.config.DatabaseUrl;
import io.headgate.app.config.HeadgateConfig;
import io.headgate.app.config.HeadgateConfig.PeerTls;
import io.headgate.app.config.HeadgateConfig.RegionConfig;
import io.headgate.app.config.HeadgateConfig.RegionsConfig;
import io.headgate.app.config.HeadgateConfig.RegistryPlace;
import io.headgate.app.config.HeadgateConfig.WrongRegion;
import io.headgate.app.config.Secret;
import io.headgate.http.Tls;
import io.headgate.http.TlsFiles;
import io.headgate.namespace.Namespace;
import io.headgate.region.BucketDirectory;
import io.headgate.region.BucketNames;
import io.headgate.region.PeerRegion;
import io.headgate.region.PeerSecret;
import io.headgate.region.PeerSettings;
import io.headgate.region.Peers;
import io.headgate.region.Regions;
import io.headgate.region.Registry;
import io.headgate.region.redis.RedisRegistry;
import io.headgate.region.redis.RedisRegistryOptions;
import io.headgate.region.sql.PostgresRegistryOptions;
import io.headgate.region.sql.SqlRegistry;
import java.io.IOException;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/** Opens what makes several regions one. */
final class RegionWiring {
    /** About 200 bytes each. */
    private static final int MAX_KNOWN_BUCKETS = 100_000;

    private static final Duration FILE_TIMEOUT = Duration.ofSeconds(10);

    private RegionWiring() {}

    /**
     * Opens the registry and the way to the other regions.
     *
     * @param bounds of the hop
     * @param claimIds gives ids that nobody has given
     */
    static Regions open(
            HeadgateConfig config,
            RegionsConfig regions,
            Namespace namespace,
            PeerSettings bounds,
            Supplier<String> claimIds,
            InstantSource clock) {
        Registry registry = registry(regions.registry());
        BucketDirectory directory = new BucketDirectory(registry, MAX_KNOWN_BUCKETS, clock);
        Peers peers = new Peers(
                config.region(),
                others(config, regions).stream()
                        .map(region -> new PeerRegion(region.name(), region.gateways(), secret(region)))
                        .toList(),
                regions.tls().map(RegionWiring::tls),
                bounds,
                clock,
                new SecureRandom());
        return new Regions(
                config.region(),
                regions.regions().stream().map(RegionConfig::name).collect(Collectors.toSet()),
                regions.newBuckets(),
                registry,
                directory,
                new BucketNames(registry, directory, namespace, config.region(), claimIds),
                peers,
                redirects(config, regions));
    }

    private static List<RegionConfig> others(HeadgateConfig config, RegionsConfig regions) {
        return regions.regions().stream()
                .filter(region -> !region.name().equals(config.region()))
                .toList();
    }

    /** What each of the other regions signs with. */
    static Map<String, PeerSecret> secrets(HeadgateConfig config, RegionsConfig regions) {
        return others(config, regions).stream()
                .collect(Collectors.toUnmodifiableMap(RegionConfig::name, RegionWiring::secret));
    }

    private static PeerSecret secret(RegionConfig region) {
        return new PeerSecret(region.secret().orElseThrow().reveal());
    }

    private static Map<String, URI> redirects(HeadgateConfig config, RegionsConfig regions) {
        Map<String, URI> endpoints = new HashMap<>();
        if (regions.wrongRegion() == WrongRegion.REDIRECT) {
            others(config, regions)
                    .forEach(region ->
                            endpoints.put(region.name(), region.endpoint().orElseThrow()));
        }
        return endpoints;
    }

    static Tls tls(PeerTls files) {
        try {
            return Tls.load(
                    new TlsFiles(Optional.of(files.certificate()), Optional.of(files.key()), Optional.of(files.ca())));
        } catch (IOException unusable) {
            throw new RegionException("peers: " + unusable.getMessage(), unusable);
        }
    }

    /** What the configuration says of regions cannot be used; the message is for the operator. */
    static final class RegionException extends RuntimeException {
        private static final long serialVersionUID = 1L;

        RegionException(String message, Throwable cause) {
            super(message, cause);
        }
    }

    private static Registry registry(RegistryPlace place) {
        return switch (place) {
            case RegistryPlace.File file -> SqlRegistry.sqlite(file.path(), FILE_TIMEOUT);
            case RegistryPlace.Database(DatabaseUrl url) -> {
                PostgresRegistryOptions options = PostgresRegistryOptions.defaults(
                                url.hosts(), url.database(), url.user())
                        .withParameters(url.parameters());
                yield SqlRegistry.postgres(url.password()
                        .map(Secret::reveal)
                        .map(options::withPassword)
                        .orElse(options));
            }
            case RegistryPlace.Redis(ClusterUrl url) ->
                RedisRegistry.open(new RedisRegistryOptions(
                        url.hosts().stream()
                                .map(host -> new RedisRegistryOptions.Node(host.host(), host.port()))
                                .toList(),
                        url.tls(),
                        url.user().orElse(null),
                        url.password().map(Secret::reveal).orElse(null)));
        };
    }
}
