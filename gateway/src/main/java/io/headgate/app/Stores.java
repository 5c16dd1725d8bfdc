package io.headgate.app;

import io.headgate.app.config.HeadgateConfig;
import io.headgate.app.config.HeadgateConfig.AccountConfig;
import io.headgate.app.config.HeadgateConfig.Storage;
import io.headgate.app.config.Secret;
import io.headgate.blob.Allowance;
import io.headgate.blob.BlobStore;
import io.headgate.blob.CarrierWatch;
import io.headgate.blob.StallGuard;
import io.headgate.blob.azure.AzureBlobStore;
import io.headgate.blob.azure.AzureCredentials;
import io.headgate.blob.azure.AzureSettings;
import io.headgate.blob.local.Durability;
import io.headgate.blob.local.LocalBlobStore;
import io.headgate.blob.s3.S3BlobStore;
import io.headgate.blob.s3.S3Credentials;
import io.headgate.blob.s3.S3Settings;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Set;
import java.util.function.BiFunction;

/**
 * Makes the stores of the configured accounts. A library of a cloud is loaded when the first account needs it.
 *
 * <p>Local directories are guarded against calls that hang; the clients of remote services have time-outs of their own, so a guard
 * around them would only cost a thread and a second clock.
 */
final class Stores {
    /** Of one account. Each may hold a thread of the operating system. */
    private static final int MAX_HANGING_CALLS = 32;

    private final Duration stallTimeout;
    private final Allowance uploadMemory;
    private final String namespaceId;
    private final Set<String> inUse;
    private final InstantSource clock;
    private final CarrierWatch watch;

    /**
     * @param namespaceId stands in the marker of each directory, so that no other namespace takes it for its own
     * @param inUse accounts of which the namespace knows blobs: their directories are not made anew
     */
    Stores(HeadgateConfig config, String namespaceId, Set<String> inUse, InstantSource clock, CarrierWatch watch) {
        this.stallTimeout = config.breaker().stallTimeout();
        this.uploadMemory = Allowance.ofMemory(
                "units of 64 KiB of memory for uploads",
                config.uploadMemoryBytes().orElse(Runtime.getRuntime().maxMemory() / 4),
                stallTimeout);
        this.namespaceId = namespaceId;
        this.inUse = inUse;
        this.clock = clock;
        this.watch = watch;
    }

    static String kind(Storage storage) {
        return switch (storage) {
            case Storage.Local _ -> "local";
            case Storage.S3 _ -> "s3";
            case Storage.Azure _ -> "azure";
        };
    }

    /** @param between given an account's name and its bare store, returns the store to use */
    BlobStore open(AccountConfig account, BiFunction<String, BlobStore, BlobStore> between) {
        String name = account.name();
        return switch (account.storage()) {
            case Storage.Local local ->
                new StallGuard(between.apply(name, local(name, local)), name, stallTimeout, MAX_HANGING_CALLS, watch);
            case Storage.S3 s3 ->
                between.apply(name, new S3BlobStore(name, settings(account.region(), s3), uploadMemory));
            case Storage.Azure azure -> between.apply(name, new AzureBlobStore(name, settings(azure), uploadMemory));
        };
    }

    private LocalBlobStore local(String name, Storage.Local local) {
        Durability durability = switch (local.durability()) {
            case SYNC -> Durability.SYNC;
            case NONE -> Durability.NONE;
        };
        return new LocalBlobStore(name, namespaceId, local.path(), durability, !inUse.contains(name), clock);
    }

    private S3Settings settings(String region, Storage.S3 s3) {
        return new S3Settings(
                s3.endpoint(),
                region,
                s3.bucket(),
                s3.prefix(),
                s3.pathStyle(),
                credentials(s3),
                switch (s3.checksum()) {
                    case CRC32C -> S3Settings.Checksum.CRC32C;
                    case MD5 -> S3Settings.Checksum.MD5;
                },
                s3.maxConnections(),
                stallTimeout,
                S3Settings.PART_BYTES);
    }

    private static S3Credentials credentials(Storage.S3 s3) {
        S3Credentials own = s3.key()
                .<S3Credentials>map(key ->
                        new S3Credentials.Key(key.accessKey(), key.secretKey().reveal()))
                .orElseGet(S3Credentials.DefaultChain::new);
        return s3.role()
                .<S3Credentials>map(role -> new S3Credentials.Role(
                        own, role.arn(), role.externalId().map(Secret::reveal)))
                .orElse(own);
    }

    private AzureSettings settings(Storage.Azure azure) {
        return new AzureSettings(
                azure.endpoint(),
                azure.container(),
                azure.createContainer(),
                azure.prefix(),
                switch (azure.access()) {
                    case HeadgateConfig.AzureAccess.Key(String account, Secret key) ->
                        new AzureCredentials.SharedKey(account, key.reveal());
                    case HeadgateConfig.AzureAccess.Sas(Secret token) ->
                        new AzureCredentials.Sas(
                                token.reveal().startsWith("?") ? token.reveal().substring(1) : token.reveal());
                    case HeadgateConfig.AzureAccess.Identity() -> new AzureCredentials.Identity();
                },
                azure.maxConnections(),
                stallTimeout,
                AzureSettings.BLOCK_BYTES);
    }
}
