package io.headgate.app.config;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The keys of regions: see {@link Settings}, which has them in their place. */
final class RegionSettings {
    private static final List<Setting<?>> DECLARED = new ArrayList<>();
    private static final int MAX_GATEWAYS = 100;
    private static final ValueType<Secret> SECRET_TYPE = ValueType.secret(32, 256);

    static final Setting<String> NAME = add(Setting.required(
            "regions[].name",
            AccountSettings.REGION_NAME,
            "Unique name of a region. One is this gateway's own, `region`; clients may sign for any of them."));
    static final Setting<List<URI>> GATEWAYS = add(
            Setting.optional(
                    "regions[].gateways",
                    gateways(),
                    "none: nothing can be forwarded there",
                    "Where the region's gateways listen for others (their `peers.listen`): `http://10.1.0.1:9002,http://10.1.0.2:9002`. Not needed for the own region."));
    static final Setting<Secret> REGION_SECRET = add(Setting.optional(
            "regions[].secret",
            SECRET_TYPE,
            "`peers.secret`",
            "What the own region and this one share: each gateway signs with it what it sends to the other."));
    static final Setting<URI> ENDPOINT = add(Setting.optional(
            "regions[].endpoint",
            ValueType.endpoint(),
            "none: requests are forwarded",
            "The region's S3 endpoint, which clients are sent to with `peers.wrong_region: redirect`."));

    static final Setting<HostPort> LISTEN = add(Setting.of(
            "peers.listen",
            ValueType.hostPort(),
            "127.0.0.1:9002",
            "Where gateways of other regions send requests for this region's buckets. Only with `regions`."));
    static final Setting<Secret> SECRET = add(Setting.optional(
            "peers.secret",
            SECRET_TYPE,
            "none",
            "What all regions share; a region may have one of its own (`regions[].secret`)."));
    static final Setting<Path> CERTIFICATE = add(
            Setting.optional(
                    "peers.certificate",
                    ValueType.path(),
                    "no TLS between regions",
                    "PEM file of this gateway's certificate, then of those that signed it. With it, its key and `peers.ca`, gateways speak TLS with each other, and each has to show a certificate."));
    static final Setting<Path> KEY = add(Setting.optional(
            "peers.key", ValueType.path(), "no TLS between regions", "PEM file of the certificate's key (PKCS #8)."));
    static final Setting<Path> CA = add(Setting.optional(
            "peers.ca",
            ValueType.path(),
            "no TLS between regions",
            "PEM file of the authorities that sign the gateways' certificates; give them no other purpose."));
    static final Setting<HeadgateConfig.WrongRegion> WRONG_REGION = add(
            Setting.of(
                    "peers.wrong_region",
                    ValueType.oneOf(HeadgateConfig.WrongRegion.class),
                    "forward",
                    "What becomes of a request for another region's bucket: `forward` sends it there and its answer back; `redirect` answers 307 with that region's endpoint, for clients that can follow."));
    static final Setting<String> NEW_BUCKETS = add(Setting.optional(
            "peers.new_buckets",
            AccountSettings.REGION_NAME,
            "the own region",
            "The region where buckets are made for which the client names none."));
    static final Setting<Secret> REGISTRY = add(
            Setting.optional(
                    "registry.url",
                    ValueType.secret(1, 2048),
                    "`registry.db` in the data directory",
                    "Where the names of all regions' buckets are kept: `postgresql://USER:PASSWORD@HOST:5432/DATABASE`, `redis://HOST:6379` (a server, or nodes of a cluster with commas), or `file:PATH` for gateways of one machine. The same for all regions. Percent-encoded as `namespace.url`."));

    static final List<Setting<?>> ALL = List.copyOf(DECLARED);

    private RegionSettings() {}

    private static ValueType<List<URI>> gateways() {
        ValueType<URI> one = ValueType.endpoint();
        return new ValueType<>("URLs, with commas between them", false, text -> {
            List<URI> urls = Arrays.stream(text.split(",", -1))
                    .map(url -> one.parser().apply(url.strip()))
                    .toList();
            if (urls.size() > MAX_GATEWAYS) {
                throw new IllegalArgumentException("names more than " + MAX_GATEWAYS + " gateways");
            }
            for (URI url : urls) {
                if (!url.getRawPath().isEmpty() && !url.getRawPath().equals("/")) {
                    throw new IllegalArgumentException("has a URL with a path");
                }
            }
            return urls;
        });
    }

    private static <T> Setting<T> add(Setting<T> setting) {
        DECLARED.add(setting);
        return setting;
    }
}
