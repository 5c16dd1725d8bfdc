package io.headgate.app.config;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/** The keys of an account, a part of {@link Settings}. */
final class AccountSettings {
    private static final List<Setting<?>> DECLARED = new ArrayList<>();

    static final ValueType<String> REGION_NAME =
            ValueType.text("region name", "[a-z0-9][a-z0-9-]{0,62}", "is not a region name (1 to 63 of a-z 0-9 -)");
    static final ValueType<String> ACCESS_KEY_TYPE = ValueType.text(
            "3 to 128 of A-Z a-z 0-9 . _ -", "[A-Za-z0-9._-]{3,128}", "is not 3 to 128 of A-Z a-z 0-9 . _ -");
    static final ValueType<Secret> SECRET_KEY_TYPE = ValueType.secret(8, 256);

    static final Setting<String> NAME = add(Setting.required(
            "storage_shards[].name",
            ValueType.text(
                    "1 to 63 of A-Z a-z 0-9 . _ -",
                    "[A-Za-z0-9][A-Za-z0-9._-]{0,62}",
                    "is not 1 to 63 of A-Z a-z 0-9 . _ - beginning with a letter or digit"),
            "Unique name of the account. Blobs are found by it: never give it to another account."));
    static final Setting<HeadgateConfig.AccountType> TYPE = add(Setting.required(
            "storage_shards[].type",
            ValueType.oneOf(HeadgateConfig.AccountType.class),
            "Kind of account. `gcs` is not available in this build; `s3` reaches it by its S3-compatible API."));
    static final Setting<String> REGION = add(
            Setting.optional(
                    "storage_shards[].region",
                    REGION_NAME,
                    "that of the gateway",
                    "Where the account is; buckets with this LocationConstraint prefer it. `s3`: also the region that requests to it are signed for."));
    static final Setting<Path> PATH = add(Setting.required(
            "storage_shards[].path", ValueType.path(), "`local`: the directory; its own for each account."));
    static final Setting<HeadgateConfig.Durability> DURABILITY = add(
            Setting.of(
                    "storage_shards[].durability",
                    ValueType.oneOf(HeadgateConfig.Durability.class),
                    "sync",
                    "`local`: `sync` flushes each blob to disk before the write is acknowledged; `none` does not, for benchmarks."));
    static final Setting<URI> ENDPOINT = add(
            Setting.optional(
                    "storage_shards[].endpoint",
                    ValueType.endpoint(),
                    "the provider's own",
                    "URL of the service. `s3`: AWS's for the region is the default. `azure`: of the account's Blob service; `https://ACCOUNT.blob.core.windows.net` is the default."));
    static final Setting<String> PREFIX = add(Setting.of(
            "storage_shards[].prefix",
            ValueType.text(
                    "to 200 of A-Z a-z 0-9 . _ - /",
                    "[A-Za-z0-9._/-]{0,200}",
                    "is not up to 200 of A-Z a-z 0-9 . _ - /"),
            "blobs/",
            "`s3`, `azure`: what the names of all blobs begin with. Nothing else may be below it."));
    static final Setting<Integer> MAX_CONNECTIONS = add(
            Setting.of(
                    "storage_shards[].max_connections",
                    ValueType.integer(1, 10_000),
                    "256",
                    "`s3`, `azure`: requests under way at once. A read counts until its client has taken the last byte. Further ones wait for `breaker.stall_timeout`, then the account counts as throttled."));
    static final Setting<String> BUCKET = add(Setting.optional(
            "storage_shards[].bucket",
            ValueType.text(
                    "3 to 63 of a-z A-Z 0-9 . _ -",
                    "[A-Za-z0-9][A-Za-z0-9._-]{2,62}",
                    "is not a bucket's name (3 to 63 of a-z A-Z 0-9 . _ -)"),
            "required for `s3`",
            "`s3`: the bucket, which must exist."));
    static final Setting<Boolean> PATH_STYLE = add(Setting.of(
            "storage_shards[].path_style",
            ValueType.bool(),
            "false",
            "`s3`: whether the bucket goes into the path rather than into the host's name."));
    static final Setting<String> ACCESS_KEY = add(
            Setting.optional(
                    "storage_shards[].access_key",
                    ACCESS_KEY_TYPE,
                    "the AWS SDK's default chain",
                    "`s3`: access key; only with the secret key. Without them: environment, profile, web identity, container or machine."));
    static final Setting<Secret> SECRET_KEY = add(Setting.optional(
            "storage_shards[].secret_key",
            SECRET_KEY_TYPE,
            "the AWS SDK's default chain",
            "`s3`: secret key; only with the access key."));
    static final Setting<String> ASSUME_ROLE = add(Setting.optional(
            "storage_shards[].assume_role",
            ValueType.text(
                    "ARN of a role",
                    "arn:[!-~]{1,200}:role/[!-~]{1,200}",
                    "is not the ARN of a role (arn:...:role/...)"),
            "none",
            "`s3`: role to take on by STS with the credentials above."));
    static final Setting<Secret> EXTERNAL_ID = add(Setting.optional(
            "storage_shards[].external_id",
            ValueType.secret(2, 1224),
            "none",
            "`s3`: external id that the role's owner asks for; only with `assume_role`."));
    static final Setting<HeadgateConfig.RequestChecksum> CHECKSUM = add(
            Setting.of(
                    "storage_shards[].checksum",
                    ValueType.oneOf(HeadgateConfig.RequestChecksum.class),
                    "crc32c",
                    "`s3`: how the service checks the bytes it gets: `crc32c` by `x-amz-checksum-crc32c`, `md5` by `Content-MD5`, which older services and GCS know."));
    static final Setting<String> AZURE_ACCOUNT = add(Setting.optional(
            "storage_shards[].account",
            ValueType.text(
                    "3 to 24 of a-z 0-9", "[a-z0-9]{3,24}", "is not a storage account's name (3 to 24 of a-z 0-9)"),
            "needed with `key`, or without `endpoint`",
            "`azure`: the storage account's name."));
    static final Setting<Secret> AZURE_KEY = add(Setting.optional(
            "storage_shards[].key",
            ValueType.base64Secret(16, 256),
            "Microsoft Entra",
            "`azure`: one of the storage account's two keys."));
    static final Setting<Secret> AZURE_SAS = add(
            Setting.optional(
                    "storage_shards[].sas",
                    ValueType.secret(8, 2048),
                    "Microsoft Entra",
                    "`azure`: a shared access signature in the key's place, with or without its question mark. Without both: the identity that the SDK finds in environment, workload, machine or developer's tools; that needs https."));
    static final Setting<String> CONTAINER = add(Setting.optional(
            "storage_shards[].container",
            ValueType.text(
                    "3 to 63 of a-z 0-9 -",
                    "(?=.{3,63}$)[a-z0-9](-?[a-z0-9])*",
                    "is not a container's name (3 to 63 of a-z 0-9 - without two hyphens in a row)"),
            "required for `azure`",
            "`azure`: the container."));
    static final Setting<Boolean> CREATE_CONTAINER = add(Setting.of(
            "storage_shards[].create_container",
            ValueType.bool(),
            "false",
            "`azure`: whether to make the container when it is not there."));
    static final Setting<Long> CAPACITY = add(Setting.optional(
            "storage_shards[].limits.capacity",
            ValueType.bytes("1MiB", "7EiB"),
            "no limit",
            "Bytes that the account holds."));
    static final Setting<Long> REQUESTS = add(Setting.optional(
            "storage_shards[].limits.requests_per_second",
            ValueType.number(1, 1_000_000_000),
            "no limit",
            "Requests that it takes a second."));
    static final Setting<Long> INGRESS = add(Setting.optional(
            "storage_shards[].limits.ingress_per_second",
            ValueType.bytesPerSecond("1KiB", "1PiB"),
            "no limit",
            "Bytes that it takes in a second."));
    static final Setting<Long> EGRESS = add(Setting.optional(
            "storage_shards[].limits.egress_per_second",
            ValueType.bytesPerSecond("1KiB", "1PiB"),
            "no limit",
            "Bytes that it gives out a second."));

    static final List<Setting<?>> ALL = Collections.unmodifiableList(DECLARED);

    private AccountSettings() {}

    private static <T> Setting<T> add(Setting<T> setting) {
        DECLARED.add(setting);
        return setting;
    }
}
