package io.headgate.app.config;

import io.headgate.app.config.HeadgateConfig.AccountConfig;
import io.headgate.app.config.HeadgateConfig.AccountType;
import io.headgate.app.config.HeadgateConfig.AzureAccess;
import io.headgate.app.config.HeadgateConfig.Credentials;
import io.headgate.app.config.HeadgateConfig.Limits;
import io.headgate.app.config.HeadgateConfig.Role;
import io.headgate.app.config.HeadgateConfig.Storage;
import java.net.URI;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the accounts one after the other, and checks what spans several keys and several accounts. */
final class AccountReader {
    private static final Set<String> OF_LOCAL = keys(AccountSettings.PATH, AccountSettings.DURABILITY);
    private static final Set<String> OF_S3 = keys(
            AccountSettings.ENDPOINT,
            AccountSettings.PREFIX,
            AccountSettings.MAX_CONNECTIONS,
            AccountSettings.BUCKET,
            AccountSettings.PATH_STYLE,
            AccountSettings.ACCESS_KEY,
            AccountSettings.SECRET_KEY,
            AccountSettings.ASSUME_ROLE,
            AccountSettings.EXTERNAL_ID,
            AccountSettings.CHECKSUM);
    private static final Set<String> OF_AZURE = keys(
            AccountSettings.ENDPOINT,
            AccountSettings.PREFIX,
            AccountSettings.MAX_CONNECTIONS,
            AccountSettings.AZURE_ACCOUNT,
            AccountSettings.AZURE_KEY,
            AccountSettings.AZURE_SAS,
            AccountSettings.CONTAINER,
            AccountSettings.CREATE_CONTAINER);

    private final String gatewayRegion;
    private final Map<String, String> names = new HashMap<>();
    private final Map<Object, String> places = new HashMap<>();

    /** @param gatewayRegion of accounts that name none */
    AccountReader(String gatewayRegion) {
        this.gatewayRegion = gatewayRegion;
    }

    /** The keys of one type with those of all. */
    private static Set<String> keys(Setting<?>... ofType) {
        Stream<Setting<?>> ofAll = Stream.of(
                AccountSettings.NAME,
                AccountSettings.TYPE,
                AccountSettings.REGION,
                AccountSettings.CAPACITY,
                AccountSettings.REQUESTS,
                AccountSettings.INGRESS,
                AccountSettings.EGRESS);
        return Stream.concat(ofAll, Stream.of(ofType)).map(Setting::localKey).collect(Collectors.toUnmodifiableSet());
    }

    AccountConfig read(RawConfig.Element element) throws ConfigException {
        Values of = new Values(element.values(), element.origin());
        String name = of.get(AccountSettings.NAME);
        of.unique(names, name, "the name", AccountSettings.NAME);
        Storage storage = switch (of.get(AccountSettings.TYPE)) {
            case LOCAL -> local(of);
            case S3 -> s3(of);
            case AZURE -> azure(of);
        };
        String region = of.find(AccountSettings.REGION).orElse(gatewayRegion);
        return new AccountConfig(name, region, limits(of), storage);
    }

    private Storage local(Values of) throws ConfigException {
        of.refuseOthers(AccountType.LOCAL, OF_LOCAL);
        Storage.Local local = new Storage.Local(of.get(AccountSettings.PATH), of.get(AccountSettings.DURABILITY));
        of.unique(places, local.path(), "the directory", AccountSettings.PATH);
        return local;
    }

    private Storage s3(Values of) throws ConfigException {
        of.refuseOthers(AccountType.S3, OF_S3);
        Optional<URI> endpoint = of.find(AccountSettings.ENDPOINT);
        String bucket = of.need(AccountSettings.BUCKET, AccountType.S3);
        String prefix = of.get(AccountSettings.PREFIX);
        of.unique(
                places,
                List.of(endpoint, bucket, prefix),
                "the prefix of the bucket",
                AccountSettings.BUCKET,
                bucket + "/" + prefix);
        return new Storage.S3(
                endpoint,
                bucket,
                prefix,
                of.get(AccountSettings.PATH_STYLE),
                accessKey(of),
                role(of),
                of.get(AccountSettings.CHECKSUM),
                of.get(AccountSettings.MAX_CONNECTIONS));
    }

    private static Optional<Credentials> accessKey(Values of) throws ConfigException {
        Optional<String> accessKey = of.find(AccountSettings.ACCESS_KEY);
        Optional<Secret> secretKey = of.find(AccountSettings.SECRET_KEY);
        if (accessKey.isPresent() && secretKey.isEmpty()) {
            throw of.error(AccountSettings.ACCESS_KEY, "is set without secret_key");
        }
        if (accessKey.isEmpty() && secretKey.isPresent()) {
            throw of.error(AccountSettings.SECRET_KEY, "is set without access_key");
        }
        return accessKey.map(key -> new Credentials(key, secretKey.orElseThrow()));
    }

    private static Optional<Role> role(Values of) throws ConfigException {
        Optional<String> arn = of.find(AccountSettings.ASSUME_ROLE);
        Optional<Secret> externalId = of.find(AccountSettings.EXTERNAL_ID);
        if (arn.isEmpty() && externalId.isPresent()) {
            throw of.error(AccountSettings.EXTERNAL_ID, "is set without assume_role");
        }
        return arn.map(role -> new Role(role, externalId));
    }

    private Storage azure(Values of) throws ConfigException {
        of.refuseOthers(AccountType.AZURE, OF_AZURE);
        Optional<String> account = of.find(AccountSettings.AZURE_ACCOUNT);
        URI endpoint = azureEndpoint(of, account);
        String container = of.need(AccountSettings.CONTAINER, AccountType.AZURE);
        String prefix = of.get(AccountSettings.PREFIX);
        of.unique(
                places,
                List.of(endpoint, container, prefix),
                "the prefix of the container",
                AccountSettings.CONTAINER,
                container + "/" + prefix);
        return new Storage.Azure(
                endpoint,
                container,
                of.get(AccountSettings.CREATE_CONTAINER),
                prefix,
                azureAccess(of, endpoint, account),
                of.get(AccountSettings.MAX_CONNECTIONS));
    }

    private static URI azureEndpoint(Values of, Optional<String> account) throws ConfigException {
        Optional<URI> endpoint = of.find(AccountSettings.ENDPOINT);
        if (endpoint.isEmpty() && account.isEmpty()) {
            throw of.error(AccountSettings.ENDPOINT, "or account is needed for the type azure");
        }
        return endpoint.orElseGet(() -> URI.create("https://" + account.orElseThrow() + ".blob.core.windows.net"));
    }

    private static AzureAccess azureAccess(Values of, URI endpoint, Optional<String> account) throws ConfigException {
        Optional<Secret> key = of.find(AccountSettings.AZURE_KEY);
        Optional<Secret> sas = of.find(AccountSettings.AZURE_SAS);
        if (key.isPresent()) {
            if (sas.isPresent()) {
                throw of.error(AccountSettings.AZURE_SAS, "is set beside key; one of them is enough");
            }
            if (account.isEmpty()) {
                throw of.error(AccountSettings.AZURE_KEY, "is set without account");
            }
            return new AzureAccess.Key(account.get(), key.get());
        }
        if (sas.isPresent()) {
            return new AzureAccess.Sas(sas.get());
        }
        if (!endpoint.getScheme().equals("https")) {
            throw of.error(AccountSettings.ENDPOINT, "needs key or sas: Microsoft Entra is only spoken to over https");
        }
        return new AzureAccess.Identity();
    }

    private static Limits limits(Values of) throws ConfigException {
        return new Limits(
                of.findLong(AccountSettings.CAPACITY),
                of.findLong(AccountSettings.REQUESTS),
                of.findLong(AccountSettings.INGRESS),
                of.findLong(AccountSettings.EGRESS));
    }
}
