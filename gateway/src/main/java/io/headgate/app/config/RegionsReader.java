package io.headgate.app.config;

import io.headgate.app.config.HeadgateConfig.PeerTls;
import io.headgate.app.config.HeadgateConfig.RegionConfig;
import io.headgate.app.config.HeadgateConfig.RegionsConfig;
import io.headgate.app.config.HeadgateConfig.RegistryPlace;
import io.headgate.app.config.HeadgateConfig.WrongRegion;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads the regions, and checks what spans several keys and several regions. */
final class RegionsReader {
    private static final int MAX_REGIONS = 100;

    private final String ownRegion;
    private final Path dataDir;
    private final Values values;
    private final Problems problems;

    RegionsReader(String ownRegion, Path dataDir, Values values, Problems problems) {
        this.ownRegion = ownRegion;
        this.dataDir = dataDir;
        this.values = values;
        this.problems = problems;
    }

    /** @param elements of the list, empty if it is not set */
    Optional<RegionsConfig> read(List<RawConfig.Element> elements) throws ConfigException {
        if (elements.isEmpty()) {
            refuseAlone();
            return Optional.empty();
        }
        if (elements.size() > MAX_REGIONS) {
            throw new ConfigException("regions: has %d regions, more than %d".formatted(elements.size(), MAX_REGIONS));
        }
        Optional<PeerTls> tls = tls();
        Optional<Secret> secret = values.find(RegionSettings.SECRET);
        WrongRegion wrongRegion = values.get(RegionSettings.WRONG_REGION);
        List<RegionConfig> regions = new ArrayList<>();
        Map<String, String> names = new HashMap<>();
        for (RawConfig.Element element : elements) {
            Values of = new Values(element.values(), element.origin());
            of.check("regions[].", problems);
            problems.check(() -> regions.add(region(of, names, secret, tls.isPresent(), wrongRegion)));
        }
        if (regions.stream().noneMatch(region -> region.name().equals(ownRegion)) && problems.isEmpty()) {
            throw values.error(Settings.REGION, "\"" + ownRegion + "\" is not among regions");
        }
        String newBuckets = values.find(RegionSettings.NEW_BUCKETS).orElse(ownRegion);
        if (regions.stream().noneMatch(region -> region.name().equals(newBuckets)) && problems.isEmpty()) {
            throw values.error(RegionSettings.NEW_BUCKETS, "\"" + newBuckets + "\" is not among regions");
        }
        return Optional.of(new RegionsConfig(
                regions, values.get(RegionSettings.LISTEN), tls, wrongRegion, newBuckets, registry()));
    }

    /** What makes no sense without regions would be a misunderstanding. */
    private void refuseAlone() throws ConfigException {
        for (Setting<?> setting : RegionSettings.ALL) {
            if (!setting.inList() && values.find(setting).isPresent()) {
                throw values.error(setting, "is set without regions");
            }
        }
    }

    private RegionConfig region(
            Values of, Map<String, String> names, Optional<Secret> common, boolean tls, WrongRegion wrongRegion)
            throws ConfigException {
        String name = of.get(RegionSettings.NAME);
        of.unique(names, name, "the name", RegionSettings.NAME);
        boolean own = name.equals(ownRegion);
        Optional<Secret> secret = of.find(RegionSettings.REGION_SECRET).or(() -> common);
        if (!own && secret.isEmpty()) {
            throw of.error(RegionSettings.REGION_SECRET, "is missing, and so is peers.secret");
        }
        RegionConfig region = new RegionConfig(
                name, of.find(RegionSettings.GATEWAYS).orElse(List.of()), of.find(RegionSettings.ENDPOINT), secret);
        if (!own && region.gateways().stream().anyMatch(url -> "https".equals(url.getScheme()) != tls)) {
            throw of.error(
                    RegionSettings.GATEWAYS,
                    tls
                            ? "has a URL that does not begin with https://, though peers.certificate is set"
                            : "has a URL that begins with https://, for which peers.certificate is needed");
        }
        if (!own && wrongRegion == WrongRegion.REDIRECT && region.endpoint().isEmpty()) {
            throw of.error(RegionSettings.ENDPOINT, "is needed for peers.wrong_region: redirect");
        }
        return region;
    }

    private Optional<PeerTls> tls() throws ConfigException {
        Optional<Path> certificate = values.find(RegionSettings.CERTIFICATE);
        Optional<Path> key = values.find(RegionSettings.KEY);
        Optional<Path> ca = values.find(RegionSettings.CA);
        if (certificate.isEmpty() && key.isEmpty() && ca.isEmpty()) {
            return Optional.empty();
        }
        if (certificate.isEmpty() || key.isEmpty() || ca.isEmpty()) {
            throw new ConfigException("peers: needs all or none of the keys certificate, key and ca");
        }
        return Optional.of(new PeerTls(certificate.get(), key.get(), ca.get()));
    }

    private RegistryPlace registry() throws ConfigException {
        Optional<Secret> url = values.find(RegionSettings.REGISTRY);
        if (url.isEmpty()) {
            return new RegistryPlace.File(dataDir.resolve("registry.db"));
        }
        String text = url.get().reveal();
        try {
            if (text.startsWith("file:") && text.length() > "file:".length()) {
                return new RegistryPlace.File(Path.of(text.substring("file:".length()))
                        .toAbsolutePath()
                        .normalize());
            }
            if (text.startsWith("redis")) {
                return new RegistryPlace.Redis(ClusterUrl.parse(text));
            }
            return new RegistryPlace.Database(DatabaseUrl.parse(text));
        } catch (IllegalArgumentException invalid) {
            throw values.error(
                    RegionSettings.REGISTRY,
                    text.startsWith("redis") || text.startsWith("postgres")
                            ? String.valueOf(invalid.getMessage())
                            : "is no postgresql://, redis:// or file: URL");
        }
    }
}
