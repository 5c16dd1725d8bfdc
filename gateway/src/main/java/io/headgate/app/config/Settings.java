package io.headgate.app.config;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Every key of the configuration, in the order of the reference ({@code docs/configuration.md}, which a test compares). */
final class Settings {
    private static final List<Setting<?>> DECLARED = new ArrayList<>();

    private static final String DOMAIN_NAME =
            "(?=.{1,190}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*";
    private static final ValueType<Secret> URL = ValueType.secret(1, 2048);

    static final Setting<HostPort> LISTEN = add(Setting.of(
            "listen", ValueType.hostPort(), "127.0.0.1:9000", "Where S3 is served; port 0 takes a free one."));
    static final Setting<HostPort> ADMIN_LISTEN = add(
            Setting.of(
                    "admin_listen",
                    ValueType.hostPort(),
                    "127.0.0.1:9001",
                    "Where the admin API, metrics and health are served. Metrics and health need no token: keep it off public networks."));
    static final Setting<String> REGION =
            add(Setting.of("region", AccountSettings.REGION_NAME, "us-east-1", "The region that clients sign for."));
    static final Setting<Path> DATA_DIR = add(
            Setting.of(
                    "data_dir",
                    ValueType.path(),
                    "./data",
                    "Holds the namespace of the engine `sqlite`, the root credentials, the admin token, the access log and, by default, the accounts."));
    static final Setting<String> DOMAIN = add(Setting.optional(
            "domain",
            ValueType.text("domain name", DOMAIN_NAME, "is not a domain name in lower case"),
            "path style only",
            "Serves virtual-hosted buckets as `BUCKET.DOMAIN`; path style always works."));
    static final Setting<Boolean> DEBUG_HEADERS = add(Setting.of(
            "debug_headers",
            ValueType.bool(),
            "false",
            "Names the account in responses to writes (`x-headgate-account`)."));
    static final Setting<HeadgateConfig.LogLevel> LOG_LEVEL = add(Setting.of(
            "log_level",
            ValueType.oneOf(HeadgateConfig.LogLevel.class),
            "info",
            "Least level of the log on standard error."));

    static final Setting<String> ROOT_ACCESS_KEY = add(
            Setting.optional(
                    "root.access_key",
                    AccountSettings.ACCESS_KEY_TYPE,
                    "made at the first start",
                    "Access key of the root user. Without it and its secret, both are made at the first start, printed once, and kept in `root-credentials` in the data directory."));
    static final Setting<Secret> ROOT_SECRET_KEY = add(Setting.optional(
            "root.secret_key",
            AccountSettings.SECRET_KEY_TYPE,
            "made at the first start",
            "Secret key of the root user; only with the access key."));
    static final Setting<Secret> ADMIN_TOKEN = add(
            Setting.optional(
                    "admin_token",
                    ValueType.secret(16, 256),
                    "made at the first start",
                    "Bearer token of the admin API. Without it, one is made at the first start and kept in `admin-token` in the data directory."));

    static final Setting<HeadgateConfig.Engine> ENGINE = add(
            Setting.of(
                    "namespace.engine",
                    ValueType.oneOf(HeadgateConfig.Engine.class),
                    "sqlite",
                    "Where metadata is kept: `sqlite` in a file, for one gateway; `postgres` in a PostgreSQL database (14 or later), `redis` in a [Redis Cluster](redis-cluster.md) (7.0 or later), for many."));
    static final Setting<Secret> NAMESPACE_URL = add(
            Setting.optional(
                    "namespace.url",
                    URL,
                    "none",
                    "`postgres`: `postgresql://USER:PASSWORD@HOST:5432/DATABASE`, with more hosts after commas for failover, and `?sslmode=verify-full` or other parameters. `redis`: `redis://USER:PASSWORD@HOST:6379,HOST:6379`, some nodes of the cluster, `rediss://` for TLS. Of user and password write other characters than letters, digits and `-._~` percent-encoded, such as `%40` for `@`."));
    static final Setting<Secret> NAMESPACE_CACHE = add(
            Setting.optional(
                    "namespace.cache",
                    URL,
                    "no cache",
                    "`postgres`: a Redis (6.2 or later, not a cluster) that answers look-ups: `redis://HOST:6379`, `rediss://USER:PASSWORD@HOST:6379/0`. All gateways of a namespace need the same; while one runs without, none has a cache. Percent-encoded as `namespace.url`."));
    static final Setting<Duration> CACHE_LEASE = add(
            Setting.of(
                    "namespace.cache_lease",
                    ValueType.duration("200ms", "5m"),
                    "1s",
                    "How long look-ups go on being answered from the cache when PostgreSQL does not answer, and how long writes wait, once, when Redis fails. With `1m`, GET and HEAD of what is in the cache survive a minute without PostgreSQL."));
    static final Setting<Duration> CACHE_LIFETIME = add(Setting.of(
            "namespace.cache_lifetime",
            ValueType.duration("1s", "1d"),
            "10m",
            "How long an entry stays in the cache; at most half of `garbage.grace`."));
    static final Setting<Duration> CACHE_TIMEOUT = add(Setting.of(
            "namespace.cache_timeout",
            ValueType.duration("10ms", "10s"),
            "100ms",
            "How long a look-up waits for Redis before it asks PostgreSQL."));
    static final Setting<Duration> CACHE_WRITE_TIMEOUT = add(Setting.of(
            "namespace.cache_write_timeout",
            ValueType.duration("50ms", "10s"),
            "2s",
            "How long a write waits for Redis before the cache is switched off for all gateways."));
    static final Setting<Integer> NAMESPACE_CONNECTIONS = add(
            Setting.of(
                    "namespace.connections",
                    ValueType.integer(2, 1_000),
                    "16",
                    "`postgres`: connections of this gateway. Puts need one; the others serve everything else, an operation at a time."));
    static final Setting<Duration> NAMESPACE_CONNECT_TIMEOUT = add(
            Setting.of(
                    "namespace.connect_timeout",
                    ValueType.duration("250ms", "1m"),
                    "2s",
                    "`postgres`: how long to wait for a connection before the database counts as down; then clients get 503 at once until it is back."));
    static final Setting<Duration> NAMESPACE_STATEMENT_TIMEOUT = add(Setting.of(
            "namespace.statement_timeout",
            ValueType.duration("1s", "10m"),
            "15s",
            "`postgres`: how long the database may work on a statement."));
    static final Setting<Duration> NAMESPACE_LOCK_TIMEOUT = add(
            Setting.of(
                    "namespace.lock_timeout",
                    ValueType.duration("100ms", "10m"),
                    "10s",
                    "`postgres`: how long a statement waits for what another transaction holds. A gateway that stands still in a transaction for half of it loses that."));
    static final Setting<Integer> NAMESPACE_REPLICAS = add(
            Setting.optional(
                    "namespace.replicas",
                    ValueType.integer(0, 100),
                    "1 if the cluster has replicas, otherwise 0",
                    "`redis`: how many replicas have to have a write before it is acknowledged. With `0` a failover may [lose writes](redis-durability.md)."));
    static final Setting<Duration> NAMESPACE_REPLICAS_TIMEOUT = add(
            Setting.of(
                    "namespace.replicas_timeout",
                    ValueType.duration("100ms", "1m"),
                    "1s",
                    "`redis`: how long to wait for replicas before they are asked again, until `namespace.timeout` is over and the client gets 503."));
    static final Setting<Integer> RANGE_MAX_OBJECTS = add(Setting.of(
            "namespace.range_max_objects",
            ValueType.integer(1_000, 1_000_000_000),
            "500000",
            "`redis`: a range of a bucket's keys that holds more objects is split in halves."));
    static final Setting<Integer> RANGE_MAX_REQUESTS = add(
            Setting.of(
                    "namespace.range_max_requests_per_second",
                    ValueType.integer(1, 1_000_000),
                    "5000",
                    "`redis`: a range that is asked more often, by all gateways together, is split where half of the requests lie."));
    static final Setting<Integer> RANGE_JOIN_OBJECTS = add(Setting.of(
            "namespace.range_join_objects",
            ValueType.integer(0, 2_000),
            "1000",
            "`redis`: neighbouring ranges that hold no more objects together, and are hardly asked, become one."));
    static final Setting<HeadgateConfig.Durability> NAMESPACE_DURABILITY = add(
            Setting.of(
                    "namespace.durability",
                    ValueType.oneOf(HeadgateConfig.Durability.class),
                    "sync",
                    "`sqlite`: `sync` flushes each commit to disk before it is acknowledged; `none` does not, for benchmarks."));
    static final Setting<Duration> NAMESPACE_TIMEOUT = add(Setting.of(
            "namespace.timeout",
            ValueType.duration("1s", "10m"),
            "30s",
            "How long an operation waits for the database before the client gets 503."));
    static final Setting<Long> NAMESPACE_WAL_LIMIT = add(Setting.of(
            "namespace.wal_limit",
            ValueType.bytes("1MiB", "1TiB"),
            "64MiB",
            "`sqlite`: size of the write-ahead log from which writers wait until it is folded into the database."));

    static {
        DECLARED.addAll(AccountSettings.ALL);
    }

    static final Setting<String> USER_ID = add(Setting.required(
            "users[].id",
            ValueType.text(
                    "1 to 128 of A-Z a-z 0-9 . _ - $ : @ + =",
                    "[A-Za-z0-9._$:@+=-]{1,128}",
                    "is not 1 to 128 of A-Z a-z 0-9 . _ - $ : @ + ="),
            "Unique id of the user; `root` is taken."));
    static final Setting<String> USER_DISPLAY_NAME = add(Setting.optional(
            "users[].display_name",
            ValueType.text("text, to 256", "\\P{Cntrl}{1,256}", "is not 1 to 256 characters"),
            "the id",
            "Name shown to clients as the owner's."));
    static final Setting<String> USER_EMAIL = add(Setting.optional(
            "users[].email",
            ValueType.text("e-mail address", "[!-?A-~]{1,64}@[A-Za-z0-9.-]{1,190}", "is not an e-mail address"),
            "none",
            "E-mail address."));
    static final Setting<String> USER_ACCESS_KEY =
            add(Setting.required("users[].access_key", AccountSettings.ACCESS_KEY_TYPE, "Unique access key."));
    static final Setting<Secret> USER_SECRET_KEY =
            add(Setting.required("users[].secret_key", AccountSettings.SECRET_KEY_TYPE, "Secret key."));

    static {
        DECLARED.addAll(RegionSettings.ALL);
    }

    static final Setting<Double> MAX_CAPACITY_RATIO = add(Setting.of(
            "placement.max_capacity_ratio",
            ValueType.ratio(),
            "0.90",
            "An account filled beyond this part of its capacity takes no new blobs."));
    static final Setting<Double> MAX_REQUEST_RATIO = add(Setting.of(
            "placement.max_request_ratio",
            ValueType.ratio(),
            "0.80",
            "An account beyond this part of its request rate takes no new blobs."));
    static final Setting<Double> MAX_BYTE_RATE_RATIO = add(Setting.of(
            "placement.max_byte_rate_ratio", ValueType.ratio(), "0.80", "The same for bytes a second, in and out."));
    static final Setting<Duration> MAX_WAIT = add(Setting.of(
            "placement.max_wait",
            ValueType.duration("10ms", "30s"),
            "1s",
            "For so long a write waits when all accounts are busy, before its client is told to slow down."));
    static final Setting<Integer> MAX_WAITING = add(Setting.of(
            "placement.max_waiting",
            ValueType.integer(0, 10_000),
            "64",
            "So many writes wait at once; each holds up to 128 KiB of its body."));
    static final Setting<Duration> USAGE_INTERVAL = add(Setting.of(
            "placement.usage_interval",
            ValueType.duration("100ms", "1h"),
            "1s",
            "How often the bytes held by the accounts are read from the namespace."));

    static final Setting<Integer> BREAKER_FAILURES = add(Setting.of(
            "breaker.failures",
            ValueType.integer(1, 1_000),
            "3",
            "So many faults of an account within the window open its breaker."));
    static final Setting<Duration> BREAKER_WINDOW = add(
            Setting.of("breaker.window", ValueType.duration("1s", "1h"), "60s", "The window in which faults count."));
    static final Setting<Duration> BREAKER_OPEN = add(Setting.of(
            "breaker.open",
            ValueType.duration("1s", "1d"),
            "5m",
            "How long an open breaker keeps the account out before one probe is let through."));
    static final Setting<Duration> BREAKER_PROBE_TIMEOUT = add(Setting.of(
            "breaker.probe_timeout",
            ValueType.duration("1s", "1h"),
            "60s",
            "A probe that has not ended by then is given up, and another may pass."));
    static final Setting<Duration> BREAKER_PROBE_INTERVAL = add(Setting.of(
            "breaker.probe_interval",
            ValueType.duration("100ms", "1h"),
            "1s",
            "How often an open breaker is looked at, to probe the account once it is due."));
    static final Setting<Duration> BREAKER_STALL_TIMEOUT = add(
            Setting.of(
                    "breaker.stall_timeout",
                    ValueType.duration("1s", "1h"),
                    "15s",
                    "A write, delete, listing or read of a slow account with which it has made no progress for so long is given up and counts as a fault; a write goes on to another account. Longer than the slowest flush of a healthy disk."));
    static final Setting<Double> BREAKER_ERROR_RATIO = add(Setting.optional(
            "breaker.error_ratio",
            ValueType.ratio(),
            "not asked",
            "From `breaker.min_requests` requests in the window on, faults must also be at least this part of them."));
    static final Setting<Integer> BREAKER_MIN_REQUESTS = add(
            Setting.of(
                    "breaker.min_requests",
                    ValueType.integer(1, 1_000_000),
                    "20",
                    "Requests in the window from which on `breaker.error_ratio` is asked; below it the number of faults decides alone."));

    static final Setting<HeadgateConfig.Selectors> SELECTORS = add(
            Setting.of(
                    "http.selectors",
                    ValueType.oneOf(HeadgateConfig.Selectors.class),
                    "virtual",
                    "Threads that wait for the network: `virtual` costs less CPU from a few connections on; `platform` keeps them off the virtual threads' scheduler."));
    static final Setting<Integer> MAX_CONNECTIONS = add(Setting.of(
            "http.max_connections",
            ValueType.integer(1, 1_000_000),
            "4096",
            "Open client connections; further ones wait in the system's backlog."));
    static final Setting<Duration> IDLE_TIMEOUT = add(Setting.of(
            "http.idle_timeout",
            ValueType.duration("1s", "1h"),
            "60s",
            "A connection on which nothing moves for so long is cut."));
    static final Setting<Duration> HEAD_TIMEOUT = add(Setting.of(
            "http.head_timeout",
            ValueType.duration("1s", "10m"),
            "20s",
            "How long a request's head may take from its first byte to its last."));
    static final Setting<Long> MIN_RATE = add(
            Setting.of(
                    "http.min_rate",
                    ValueType.bytesPerSecond("0B", "1GiB"),
                    "1KiB",
                    "Least rate of a body in either direction, over the time spent waiting for the client; slower clients are cut. `0B` turns the check off."));
    static final Setting<Duration> MIN_RATE_GRACE = add(Setting.of(
            "http.min_rate_grace",
            ValueType.duration("1s", "1h"),
            "30s",
            "The waiting time over which the least rate is taken; the first such span is not judged."));
    static final Setting<Long> MAX_HEAD_SIZE = add(Setting.of(
            "http.max_head_size",
            ValueType.bytes("1KiB", "64KiB"),
            "32KiB",
            "Bytes of request line and header fields."));
    static final Setting<Integer> MAX_HEADER_FIELDS = add(
            Setting.of("http.max_header_fields", ValueType.integer(16, 10_000), "200", "Header fields of a request."));
    static final Setting<Long> MAX_TARGET_SIZE = add(Setting.of(
            "http.max_target_size", ValueType.bytes("1KiB", "64KiB"), "16KiB", "Bytes of the request target."));
    static final Setting<Long> COPY_BUFFER = add(Setting.of(
            "http.copy_buffer",
            ValueType.bytes("8KiB", "8MiB"),
            "128KiB",
            "How much of a streamed response is read and written at a time."));
    static final Setting<Integer> MAX_COPY_BUFFERS = add(Setting.of(
            "http.max_copy_buffers",
            ValueType.integer(0, 100_000),
            "256",
            "Copy buffers in use at once; further responses stream through 8 KiB."));
    static final Setting<Duration> DRAIN_TIMEOUT = add(Setting.of(
            "http.drain_timeout",
            ValueType.duration("0s", "1h"),
            "30s",
            "How long requests in flight may take to end after SIGTERM."));

    static final Setting<Long> UPLOAD_MEMORY = add(
            Setting.optional(
                    "remote.upload_memory",
                    ValueType.bytes("8MiB", "1TiB"),
                    "a quarter of the heap",
                    "Memory for uploads to `s3` and `azure` accounts: each holds up to one part, so that it can be sent again. Further uploads wait."));

    static final Setting<Long> MIN_PART_SIZE = add(Setting.of(
            "multipart.min_part_size",
            ValueType.bytes("1B", "5GiB"),
            "5MiB",
            "Least size of a part other than the last; S3's is the default."));
    static final Setting<Duration> REMEMBER_COMPLETED = add(Setting.of(
            "multipart.remember_completed",
            ValueType.duration("1m", "30d"),
            "1d",
            "How long a repeated CompleteMultipartUpload is answered as the first."));

    static final Setting<Duration> INTENT_WINDOW = add(Setting.of(
            "intents.window",
            ValueType.duration("100ms", "10m"),
            "10s",
            "Writes that begin in one window share one recorded intent."));
    static final Setting<Duration> INTENT_LIFETIME = add(Setting.of(
            "intents.lifetime",
            ValueType.duration("10s", "1d"),
            "5m",
            "An intent that its gateway has not renewed for so long expires, and its writes can no longer commit."));

    static final Setting<Duration> GARBAGE_GRACE = add(
            Setting.of(
                    "garbage.grace",
                    ValueType.duration("0s", "30d"),
                    "1h",
                    "How long the bytes of a deleted object stay at least. Reads that are under way are waited for besides, however long they take, through whichever gateway; but not those of a gateway that has been cut off from the namespace for five minutes."));
    static final Setting<Duration> GARBAGE_INTERVAL = add(Setting.of(
            "garbage.interval", ValueType.duration("100ms", "1h"), "10s", "How often garbage is looked for."));
    static final Setting<Integer> GARBAGE_BATCH = add(Setting.of(
            "garbage.batch", ValueType.integer(1, 10_000), "1000", "Blobs that one look takes from an account."));
    static final Setting<Integer> GARBAGE_PARALLELISM = add(Setting.of(
            "garbage.parallelism", ValueType.integer(1, 256), "4", "Deletions of an account that run at once."));
    static final Setting<Duration> GARBAGE_MAX_BACKOFF = add(Setting.of(
            "garbage.max_backoff",
            ValueType.duration("1s", "1d"),
            "5m",
            "Longest wait of an account whose deletions fail; waits double from the interval."));
    static final Setting<Duration> GARBAGE_MAX_BLOB_BACKOFF = add(Setting.of(
            "garbage.max_blob_backoff",
            ValueType.duration("1s", "30d"),
            "6h",
            "Longest wait after failed deletions of one blob."));

    static final Setting<Duration> SWEEP_INTERVAL = add(Setting.of(
            "sweep.interval",
            ValueType.duration("100ms", "7d"),
            "1m",
            "How often expired intents are looked for, and the blobs of their writes swept."));
    static final Setting<Integer> SWEEP_PAGE =
            add(Setting.of("sweep.page", ValueType.integer(1, 1_000), "1000", "Blobs that are listed at a time."));
    static final Setting<Duration> SWEEP_PAUSE = add(
            Setting.of("sweep.pause", ValueType.duration("0s", "1h"), "50ms", "Pause between the steps of a sweep."));
    static final Setting<Duration> SWEEP_MAX_BACKOFF = add(Setting.of(
            "sweep.max_backoff",
            ValueType.duration("1s", "1d"),
            "10m",
            "Longest wait before what a sweep had to leave is tried again."));

    static final Setting<Duration> ORPHANS_DELAY = add(Setting.of(
            "orphans.delay",
            ValueType.duration("0s", "30d"),
            "1h",
            "Time from the start to the first search for blobs that nothing knows."));
    static final Setting<Duration> ORPHANS_INTERVAL = add(Setting.of(
            "orphans.interval", ValueType.duration("1s", "365d"), "1d", "Time from one search to the next."));
    static final Setting<Duration> ORPHANS_MIN_AGE = add(
            Setting.of(
                    "orphans.min_age",
                    ValueType.duration("0s", "365d"),
                    "6h",
                    "Younger blobs are left to a later search: more than the clocks of gateways differ, and than an intent's window."));
    static final Setting<Integer> ORPHANS_PAGE =
            add(Setting.of("orphans.page", ValueType.integer(1, 1_000), "1000", "Blobs that are listed at a time."));
    static final Setting<Duration> ORPHANS_PAUSE =
            add(Setting.of("orphans.pause", ValueType.duration("0s", "1h"), "200ms", "Pause after each page."));
    static final Setting<Double> ORPHANS_MAX_RATIO = add(
            Setting.of(
                    "orphans.max_ratio",
                    ValueType.ratio(),
                    "0.1",
                    "A search stops before more than this part of the blobs that it saw are orphans: then the namespace, not the account, has lost something."));

    static final Setting<Long> DRAIN_BYTES_PER_SECOND = add(
            Setting.of(
                    "drain.bytes_per_second",
                    ValueType.bytesPerSecond("1KiB", "1TiB"),
                    "64MiB",
                    "Bytes that move a second, of all accounts that are draining together. Each is read, written, and read back once."));
    static final Setting<Integer> DRAIN_PARALLELISM =
            add(Setting.of("drain.parallelism", ValueType.integer(1, 256), "4", "Blobs that are copied at once."));
    static final Setting<Duration> DRAIN_INTERVAL = add(Setting.of(
            "drain.interval",
            ValueType.duration("100ms", "1h"),
            "5s",
            "How often accounts are looked for that are to be drained, and a drained one is looked at again."));

    static final Setting<Double> REBALANCE_TOLERANCE = add(
            Setting.of(
                    "rebalance.tolerance",
                    ValueType.ratio(),
                    "0.02",
                    "By which part of its share an account may hold more or less bytes and still counts as balanced. The bounds of `drain` hold for rebalancing too."));

    static final Setting<HeadgateConfig.LogDestination> ACCESS_LOG = add(Setting.of(
            "access_log.destination",
            ValueType.oneOf(HeadgateConfig.LogDestination.class),
            "file",
            "Where one line of JSON for each request goes."));
    static final Setting<Path> ACCESS_LOG_PATH = add(Setting.optional(
            "access_log.path",
            ValueType.path(),
            "`access.log` in the data directory",
            "The file; older ones are `access.log.1` and so on."));
    static final Setting<Long> ACCESS_LOG_MAX_SIZE = add(Setting.of(
            "access_log.max_size", ValueType.bytes("64KiB", "1TiB"), "64MiB", "Size at which the file is rotated."));
    static final Setting<Integer> ACCESS_LOG_KEEP =
            add(Setting.of("access_log.keep", ValueType.integer(0, 1_000), "4", "Rotated files that are kept."));
    static final Setting<Long> ACCESS_LOG_QUEUE = add(
            Setting.of(
                    "access_log.queue",
                    ValueType.bytes("64KiB", "1GiB"),
                    "16MiB",
                    "Memory for lines that wait for a slow disk; beyond it lines are dropped and counted, requests are not held up."));

    static final List<Setting<?>> ALL = Collections.unmodifiableList(DECLARED);
    static final Map<String, Setting<?>> BY_KEY =
            ALL.stream().collect(Collectors.toUnmodifiableMap(Setting::key, Function.identity()));

    private Settings() {}

    private static <T> Setting<T> add(Setting<T> setting) {
        DECLARED.add(setting);
        return setting;
    }
}
