package io.headgate.app.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.app.config.HeadgateConfig.Durability;
import io.headgate.app.config.HeadgateConfig.Engine;
import io.headgate.app.config.HeadgateConfig.Limits;
import io.headgate.app.config.HeadgateConfig.Storage;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ConfigLoaderTest {
    @TempDir
    private Path directory;

    private final Map<String, String> environment = new HashMap<>();

    private Path file() {
        return directory.resolve("headgate.yaml");
    }

    private HeadgateConfig load(String yaml, ConfigLoader.Flag... flags) throws Exception {
        Files.writeString(file(), yaml);
        return ConfigLoader.load(Optional.of(file()), environment, List.of(flags));
    }

    private HeadgateConfig withoutFile(ConfigLoader.Flag... flags) throws ConfigException {
        return ConfigLoader.load(Optional.empty(), environment, List.of(flags));
    }

    private AbstractThrowableAssert<?, ?> assertError(String yaml) {
        return assertThatThrownBy(() -> load(yaml)).isInstanceOf(ConfigException.class);
    }

    private String line(int number) {
        return file() + ":" + number + ": ";
    }

    @Test
    void without_a_file_the_embedded_defaults_hold() throws Exception {
        HeadgateConfig config = withoutFile();

        assertThat(config.listen()).isEqualTo(new HostPort("127.0.0.1", 9000));
        assertThat(config.adminListen()).isEqualTo(new HostPort("127.0.0.1", 9001));
        assertThat(config.region()).isEqualTo("us-east-1");
        assertThat(config.dataDir()).isEqualTo(Path.of("data").toAbsolutePath());
        assertThat(config.namespace().engine()).isEqualTo(Engine.SQLITE);
        assertThat(config.root()).isEmpty();
        assertThat(config.users()).isEmpty();
        assertThat(config.accounts())
                .extracting(HeadgateConfig.AccountConfig::name)
                .containsExactly("disk-1", "disk-2", "disk-3");
        assertThat(config.accounts().get(1).storage())
                .isEqualTo(new Storage.Local(config.dataDir().resolve("disk-2"), Durability.SYNC));
        assertThat(config.placement().maxCapacityRatio()).isEqualTo(0.9);
        assertThat(config.placement().maxRequestRatio()).isEqualTo(0.8);
        assertThat(config.breaker().failures()).isEqualTo(3);
        assertThat(config.breaker().window()).isEqualTo(Duration.ofSeconds(60));
        assertThat(config.breaker().open()).isEqualTo(Duration.ofMinutes(5));
    }

    @Test
    void an_empty_file_means_the_defaults() throws Exception {
        assertThat(load("# nothing here\n")).isEqualTo(withoutFile());
        assertThat(load("")).isEqualTo(withoutFile());
        assertThat(load("placement:\n")).isEqualTo(withoutFile());
    }

    @Test
    void a_file_sets_every_kind_of_value() throws Exception {
        HeadgateConfig config = load("""
                listen: "[::1]:9000"
                data_dir: /srv/headgate
                domain: s3.example.com
                debug_headers: true
                storage_shards:
                  - {name: one, type: local, path: /srv/one, region: eu-west, durability: none}
                  - name: two
                    type: local
                    path: /srv/two/../2
                    limits: {capacity: 5PiB, requests_per_second: 20000, ingress_per_second: 7.5GB, egress_per_second: 25GB}
                users:
                  - {id: alice, display_name: "Alice \\u00e9", email: alice@example.com, access_key: ALICE, secret_key: alice-secret}
                placement: {max_capacity_ratio: 0.5}
                breaker: {window: 1m30s, error_ratio: 0.25}
                """);

        assertThat(config.listen()).isEqualTo(new HostPort("::1", 9000));
        assertThat(config.domain()).contains("s3.example.com");
        assertThat(config.debugHeaders()).isTrue();
        assertThat(config.accessLog().path()).isEqualTo(Path.of("/srv/headgate/access.log"));
        assertThat(config.accounts())
                .containsExactly(
                        new HeadgateConfig.AccountConfig(
                                "one", "eu-west", Limits.NONE, new Storage.Local(Path.of("/srv/one"), Durability.NONE)),
                        new HeadgateConfig.AccountConfig(
                                "two",
                                "us-east-1",
                                new Limits(
                                        OptionalLong.of(5L << 50),
                                        OptionalLong.of(20_000),
                                        OptionalLong.of(7_500_000_000L),
                                        OptionalLong.of(25_000_000_000L)),
                                new Storage.Local(Path.of("/srv/2"), Durability.SYNC)));
        assertThat(config.users().getFirst().displayName()).isEqualTo("Alice é");
        assertThat(config.users().getFirst().credentials().secretKey().reveal()).isEqualTo("alice-secret");
        assertThat(config.placement().maxCapacityRatio()).isEqualTo(0.5);
        assertThat(config.breaker().window()).isEqualTo(Duration.ofSeconds(90));
        assertThat(config.breaker().errorRatio()).hasValue(0.25);
    }

    @Test
    void a_number_like_text_is_taken_as_written() throws Exception {
        HeadgateConfig config = load("users: [{id: 0123, access_key: 1e3, secret_key: 00000008}]");

        assertThat(config.users().getFirst().id()).isEqualTo("0123");
        assertThat(config.users().getFirst().credentials().accessKey()).isEqualTo("1e3");
        assertThat(config.users().getFirst().credentials().secretKey().reveal()).isEqualTo("00000008");
    }

    @Test
    void the_environment_overrides_the_file_and_flags_override_both() throws Exception {
        String yaml =
                "listen: 127.0.0.1:1\nregion: from-file\nplacement: {max_capacity_ratio: 0.1, max_request_ratio: 0.2}\n";
        environment.put("HEADGATE_LISTEN", "127.0.0.1:2");
        environment.put("HEADGATE_PLACEMENT_MAX_CAPACITY_RATIO", "0.3");
        environment.put("HEADGATE_REGION", "");

        HeadgateConfig config = load(yaml, new ConfigLoader.Flag("--listen", "listen", "127.0.0.1:3"));

        assertThat(config.listen().port()).isEqualTo(3);
        assertThat(config.region()).as("an empty variable is none").isEqualTo("from-file");
        assertThat(config.placement().maxCapacityRatio()).isEqualTo(0.3);
        assertThat(config.placement().maxRequestRatio()).isEqualTo(0.2);
    }

    @Test
    void lists_come_from_the_environment_as_json_and_replace_the_files() throws Exception {
        environment.put("STORAGE_SHARDS", """
                [{"name": "env", "type": "local", "path": "/srv/env", "limits": {"requests_per_second": 20000}},
                 {"name": "env-2", "type": "local", "path": "${BASE}/2"}]""");
        environment.put("BASE", "/srv");
        environment.put("HEADGATE_USERS", "[{\"id\":\"bob\",\"access_key\":\"BOB\",\"secret_key\":\"bob-secret\"}]");

        HeadgateConfig config = load("storage_shards: [{name: file, type: local, path: /srv/file}]");

        assertThat(config.accounts())
                .extracting(HeadgateConfig.AccountConfig::name)
                .containsExactly("env", "env-2");
        assertThat(config.accounts().get(1).storage()).isEqualTo(new Storage.Local(Path.of("/srv/2"), Durability.SYNC));
        assertThat(config.users().getFirst().id()).isEqualTo("bob");
    }

    @Test
    void an_error_in_a_variable_names_it() {
        environment.put("STORAGE_SHARDS", "[{\"name\": \"a\",\n \"typ\": \"local\"}]");
        assertThatThrownBy(this::withoutFile)
                .hasMessage("STORAGE_SHARDS:1: storage_shards[0]: needs the key type\n"
                        + "STORAGE_SHARDS:2: storage_shards[0].typ: is not a known key");

        environment.put("STORAGE_SHARDS", "{}");
        assertThatThrownBy(this::withoutFile).hasMessage("STORAGE_SHARDS:1: storage_shards: is not a list");

        environment.clear();
        environment.put("HEADGATE_BREAKER_WINDOW", "60");
        assertThatThrownBy(this::withoutFile)
                .hasMessageStartingWith("HEADGATE_BREAKER_WINDOW (environment): \"60\" is not a duration");
    }

    @Test
    void an_error_in_a_flag_names_it() {
        assertThatThrownBy(() -> withoutFile(new ConfigLoader.Flag("--listen", "listen", "9000")))
                .hasMessageStartingWith("--listen: \"9000\" is not HOST:PORT");
    }

    @Test
    void variables_that_look_like_keys_and_are_none_are_told() {
        assertThat(ConfigLoader.unknownVariables(Map.of(
                        "HEADGATE_LISTEN",
                        "x",
                        "HEADGATE_USERS",
                        "x",
                        "HEADGATE_LISTEM",
                        "x",
                        "PATH",
                        "x",
                        "STORAGE_SHARDS",
                        "x")))
                .containsExactly("HEADGATE_LISTEM");
    }

    @Test
    void references_to_the_environment_are_replaced_in_values() throws Exception {
        environment.put("NAME", "ali");
        environment.put("KEY", "secret: # not yaml");
        environment.put("PORT", "7");

        HeadgateConfig config = load("""
                listen: 127.0.0.1:${PORT}
                users: [{id: "${NAME}ce", display_name: "$${NAME} costs $5", access_key: KEY-1, secret_key: "x${PORT}secret$${a}"}]
                """);

        assertThat(config.listen().port()).isEqualTo(7);
        assertThat(config.users().getFirst().id()).isEqualTo("alice");
        assertThat(config.users().getFirst().displayName()).isEqualTo("${NAME} costs $5");
        assertThat(config.users().getFirst().credentials().secretKey().reveal()).isEqualTo("x7secret${a}");
    }

    @Test
    void a_reference_to_a_missing_variable_is_an_error_with_its_line() {
        assertError("region: us\nlisten: ${NOWHERE}\n")
                .hasMessage(line(2) + "listen: refers to the environment variable NOWHERE, which is not set");
        assertError("listen: ${NOWHERE").hasMessageStartingWith(line(1) + "listen: has a ${ without NAME}");
        assertError("listen: ${}").hasMessageStartingWith(line(1) + "listen: has a ${ without NAME}");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    region: a\\nlisen: x                        | 2 | lisen: is not a known key
                    breaker:\\n  failure: 3                     | 2 | breaker.failure: is not a known key
                    placement.max_capacity_ratio: 0.5          | 1 | placement.max_capacity_ratio: is not a known key; write sections as nested mappings
                    storage_shards[]: {name: a}                | 1 | storage_shards[]: is not a known key; write sections as nested mappings
                    listen: {a: b}                             | 1 | listen: is a mapping, not a single value
                    listen: [a]                                | 1 | listen: is a list, not a single value
                    listen:                                    | 1 | listen: has no value; give one, or leave the key out
                    breaker: 3                                 | 1 | breaker: is not a mapping of keys to values
                    users: {id: a}                             | 1 | users: is not a list
                    users:\\n- alice                            | 2 | users[0]: is not a mapping of keys to values
                    storage_shards:                            | 1 | storage_shards: is not a list
                    region: a\\nbreaker: {open: 1m}\\nregion: b   | 3 | region: is set already in line 1
                    listen: !!binary aGVsbG8=                  | 1 | listen: has the tag tag:yaml.org,2002:binary, which is not allowed
                    listen: !!java.net.URL [x]                 | 1 | listen: is a list, not a single value
                    debug_headers: yes                         | 1 | debug_headers: "yes" is not true or false
                    breaker: {failures: 0}                     | 1 | breaker.failures: "0" is not in the range 1 to 1000
                    breaker: {failures: 3.5}                   | 1 | breaker.failures: "3.5" is not a whole number
                    placement: {max_capacity_ratio: 90}        | 1 | placement.max_capacity_ratio: "90" is not in the range above 0 to 1
                    placement: {max_capacity_ratio: 0}         | 1 | placement.max_capacity_ratio: "0" is not in the range above 0 to 1
                    http: {copy_buffer: 1Mb}                    | 1 | http.copy_buffer: "1Mb" is not a size such as 65536, 64KiB, 7.5GB or 5PiB
                    http: {copy_buffer: 1GiB}                   | 1 | http.copy_buffer: "1GiB" is not in the range 8KiB to 8MiB
                    breaker: {window: 60}                      | 1 | breaker.window: "60" is not a duration such as 250ms, 60s, 5m, 1h30m or 7d
                    breaker: {window: 2h}                      | 1 | breaker.window: "2h" is not in the range 1s to 1h
                    namespace: {engine: mysql}                 | 1 | namespace.engine: "mysql" is not one of sqlite, postgres, redis
                    namespace:\\n  engine: redis                | 2 | namespace.engine: "redis" needs the key namespace.url
                    namespace:\\n  engine: postgres             | 2 | namespace.engine: "postgres" needs the key namespace.url
                    namespace: {url: x}                        | 1 | namespace.url: is not for the engine sqlite
                    namespace:\\n  cache: redis://h            | 2 | namespace.cache: is for the engine postgres only
                    listen: 127.0.0.1:9001                     | 0 | the configuration: admin_listen "127.0.0.1:9001" is the address of listen, too
                    domain: S3.example.com                     | 1 | domain: "S3.example.com" is not a domain name in lower case
                    """)
    void an_error_names_file_line_and_key(String yaml, int line, String message) {
        assertError(yaml.replace("\\n", "\n")).hasMessage((line == 0 ? "" : line(line)) + message);
    }

    @Test
    void all_errors_are_told_at_once_in_the_order_of_the_file_and_then_of_what_else_sets_keys() {
        environment.put("HEADGATE_REGION", "Nowhere!");
        assertError("""
                lisen: x
                storage_shards:
                  - {name: a, type: local}
                  - {nmae: b, type: local, path: /b, limits: {capacity: many}}
                  - {name: a, type: local, path: "${NOWHERE}"}
                  - disk
                namespace:
                  engine: postgres
                  url: nothing
                  timeout: 5
                users:
                  - {id: alice, access_key: K, secret_key: 12345678}
                breaker: {failures: 0, window: 60}
                """)
                .message()
                .satisfies(
                        message -> assertThat(message.lines())
                                .containsExactly(
                                        line(1) + "lisen: is not a known key",
                                        line(3) + "storage_shards[0]: needs the key path",
                                        line(4) + "storage_shards[1].nmae: is not a known key",
                                        line(4)
                                                + "storage_shards[1].limits.capacity: \"many\" is not a size such as 65536,"
                                                + " 64KiB, 7.5GB or 5PiB",
                                        line(4) + "storage_shards[1]: needs the key name",
                                        line(5)
                                                + "storage_shards[2].path: refers to the environment variable NOWHERE, which is"
                                                + " not set",
                                        line(5) + "storage_shards[2].name: the name \"a\" is taken by " + line(3)
                                                + "storage_shards[0]",
                                        line(6) + "storage_shards[3]: is not a mapping of keys to values",
                                        line(9) + "namespace.url: is not a URL such as"
                                                + " postgresql://USER:PASSWORD@HOST:5432/DATABASE (write other characters than"
                                                + " letters, digits and -._~ of user and password percent-encoded)",
                                        line(10)
                                                + "namespace.timeout: \"5\" is not a duration such as 250ms, 60s, 5m, 1h30m or"
                                                + " 7d",
                                        line(12) + "users[0].access_key: \"K\" is not 3 to 128 of A-Z a-z 0-9 . _ -",
                                        line(13) + "breaker.failures: \"0\" is not in the range 1 to 1000",
                                        line(13)
                                                + "breaker.window: \"60\" is not a duration such as 250ms, 60s, 5m, 1h30m or 7d",
                                        "HEADGATE_REGION (environment): \"Nowhere!\" is not a region name (1 to 63 of a-z 0-9 -)"));
    }

    @Test
    void of_very_many_errors_some_are_told_and_the_others_counted() {
        assertError("users: [" + "{},".repeat(150) + "]")
                .message()
                .satisfies(message -> assertThat(message.lines()).hasSize(101).endsWith("and 50 more"));
    }

    @Test
    void the_url_of_a_database_is_taken_apart_and_its_password_not_shown() throws Exception {
        HeadgateConfig config = load("""
                namespace:
                  engine: postgres
                  url: postgresql://head%40gate:p%3Aw+d@db-1,db-2:6543/meta?sslmode=verify-full&application_name=g
                  connections: 5
                """);
        HeadgateConfig.DatabaseConfig database = config.namespace().database().orElseThrow();
        assertThat(database.url())
                .isEqualTo(new DatabaseUrl(
                        "db-1:5432,db-2:6543",
                        "meta",
                        "head@gate",
                        Optional.of(new Secret("p:w+d")),
                        Map.of("sslmode", "verify-full", "ApplicationName", "g")));
        assertThat(database.connections()).isEqualTo(5);
        assertThat(config.toString()).doesNotContain("p:w").doesNotContain("p%3A");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "mysql://user:hush@host/db",
                "postgresql://user:hush@host",
                "postgresql://user:hush@host/db#x",
                "postgresql://:hush@host/db",
                "postgresql://user:hu%sh@host/db",
                "postgresql://user:hush@host:0/db",
                "postgresql://user:hush@ho st/db",
                "postgresql://user:hush@host/db?password=hush",
            })
    void a_url_that_is_none_is_an_error_that_does_not_repeat_it(String url) {
        assertError("namespace:\n  engine: postgres\n  url: \"" + url + "\"\n")
                .hasMessageStartingWith(line(3) + "namespace.url: ")
                .hasMessageNotContaining("hush");
    }

    @Test
    void any_character_of_a_password_can_be_written_percent_encoded() throws Exception {
        String password = "p@ss:w/rd?#%+ [é]";
        String encoded = "p%40ss%3Aw%2Frd%3F%23%25%2B%20%5B%C3%A9%5D";
        HeadgateConfig config = load("namespace:\n  engine: postgres\n  url: \"postgresql://u:" + encoded
                + "@h/d\"\n  cache: \"redis://u:" + encoded + "@h\"\n");

        assertThat(config.namespace().database().orElseThrow().url().password()).contains(new Secret(password));
        assertThat(config.namespace().cache().orElseThrow().url().password()).contains(new Secret(password));
    }

    @Test
    void the_url_of_a_cluster_names_some_nodes_and_its_password_is_not_shown() throws Exception {
        HeadgateConfig config =
                load(withCluster("rediss://gate:p%3Aw+d@redis-1:7001,redis-2,[fd00::7]:7003/") + "  timeout: 5s\n");
        assertThat(config.namespace().cluster().map(HeadgateConfig.ClusterConfig::url))
                .contains(new ClusterUrl(
                        List.of(
                                new HostPort("redis-1", 7001),
                                new HostPort("redis-2", 6379),
                                new HostPort("fd00::7", 7003)),
                        true,
                        Optional.of("gate"),
                        Optional.of(new Secret("p:w+d"))));
        assertThat(config.namespace().timeout()).hasSeconds(5);
        assertThat(config.namespace().database()).isEmpty();
        assertThat(config.toString()).doesNotContain("p:w").doesNotContain("p%3A");
    }

    @Test
    void a_cluster_s_replicas_and_ranges_can_be_set() throws Exception {
        HeadgateConfig.ClusterConfig usual =
                load(withCluster("redis://h")).namespace().cluster().orElseThrow();
        assertThat(usual)
                .isEqualTo(new HeadgateConfig.ClusterConfig(
                        usual.url(), OptionalInt.empty(), Duration.ofSeconds(1), 500_000, 5_000, 1_000));

        HeadgateConfig config = load(withCluster("redis://h")
                + "  replicas: 2\n  replicas_timeout: 500ms\n"
                + "  range_max_objects: 10000\n  range_max_requests_per_second: 100\n  range_join_objects: 0\n");
        assertThat(config.namespace().cluster())
                .contains(new HeadgateConfig.ClusterConfig(
                        usual.url(), OptionalInt.of(2), Duration.ofMillis(500), 10_000, 100, 0));
    }

    private static String withCluster(String url) {
        return "namespace:\n  engine: redis\n  url: \"" + url + "\"\n";
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "postgresql://user:hush@host/db",
                "redis://",
                "redis://user:hush@",
                "redis://user@host",
                "redis://user:hush@host,",
                "redis://user:hu%sh@host",
                "redis://:hush@host:70000",
                "redis://:hush@host/0",
                "redis://:hush@one,redis://two",
                "redis://:hush@one?tls=yes",
            })
    void a_cluster_s_url_that_is_none_is_an_error_that_does_not_repeat_it(String url) {
        assertError(withCluster(url))
                .hasMessageStartingWith(line(3) + "namespace.url: ")
                .hasMessageNotContaining("hush");
    }

    @Test
    void a_cluster_has_no_cache_before_it() {
        assertError(withCluster("redis://h") + "  cache: redis://c\n")
                .hasMessage(line(4) + "namespace.cache: is for the engine postgres only");
    }

    private static String withCache(String cache) {
        return "namespace:\n  engine: postgres\n  url: postgresql://u@h/d\n  cache: \"" + cache + "\"\n";
    }

    @Test
    void the_url_of_a_cache_is_taken_apart_and_its_password_not_shown() throws Exception {
        HeadgateConfig config = load(withCache("rediss://gate:p%3Aw+d@cache.example:6380/2"));
        assertThat(config.namespace().cache().orElseThrow().url())
                .isEqualTo(new RedisUrl(
                        "cache.example", 6380, true, Optional.of("gate"), Optional.of(new Secret("p:w+d")), 2));
        assertThat(config.toString()).doesNotContain("p:w").doesNotContain("p%3A");
    }

    @Test
    void a_cache_without_more_than_a_host_has_the_usual_port_and_database() throws Exception {
        assertThat(load(withCache("redis://[::1]"))
                        .namespace()
                        .cache()
                        .orElseThrow()
                        .url())
                .isEqualTo(new RedisUrl("::1", 6379, false, Optional.empty(), Optional.empty(), 0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "http://host",
                "redis://",
                "redis://user@host",
                "redis://user:hu%sh@host",
                "redis://:hush@host:70000",
                "redis://:hush@host/db",
                "redis://:hush@one,two",
            })
    void a_cache_s_url_that_is_none_is_an_error_that_does_not_repeat_it(String url) {
        assertError(withCache(url))
                .hasMessageStartingWith(line(4) + "namespace.cache: ")
                .hasMessageNotContaining("hush");
    }

    @Test
    void entries_of_the_cache_do_not_outlive_the_blobs_that_they_may_lead_to() {
        assertError(withCache("redis://h") + "garbage: {grace: 19m}\n")
                .hasMessage(line(5) + "garbage.grace: must be at least twice namespace.cache_lifetime");
        assertError(withCache("redis://h") + "  cache_lifetime: 31m\n")
                .hasMessage(line(5) + "namespace.cache_lifetime: must be at most half of garbage.grace");
    }

    @Test
    void kinds_of_account_of_later_builds_are_known_but_refused_with_their_line() {
        assertError("""
                storage_shards:
                  - {name: disk, type: local, path: /srv/disk}
                  - name: gcs-1
                    type: gcs
                    bucket: blobs
                """)
                .hasMessageStartingWith(
                        line(4) + "storage_shards[1].type: accounts of the kind \"gcs\" are not available");
    }

    @Test
    void an_s3_account_has_its_keys() throws Exception {
        HeadgateConfig config = load("""
                region: eu-north-1
                storage_shards:
                  - {name: aws, type: s3, bucket: hg-1, assume_role: "arn:aws:iam::1:role/hg", external_id: ext-1}
                  - name: other
                    type: s3
                    region: us-east-1
                    endpoint: "http://127.0.0.1:9100"
                    bucket: hg-1
                    prefix: a/b/
                    access_key: KEY
                    secret_key: other-secret
                    path_style: true
                    checksum: md5
                    max_connections: 20
                """);

        assertThat(config.accounts())
                .extracting(HeadgateConfig.AccountConfig::region)
                .containsExactly("eu-north-1", "us-east-1");
        assertThat(config.accounts().get(0).storage())
                .isEqualTo(new Storage.S3(
                        Optional.empty(),
                        "hg-1",
                        "blobs/",
                        false,
                        Optional.empty(),
                        Optional.of(
                                new HeadgateConfig.Role("arn:aws:iam::1:role/hg", Optional.of(new Secret("ext-1")))),
                        HeadgateConfig.RequestChecksum.CRC32C,
                        256));
        assertThat(config.accounts().get(1).storage())
                .isEqualTo(new Storage.S3(
                        Optional.of(URI.create("http://127.0.0.1:9100")),
                        "hg-1",
                        "a/b/",
                        true,
                        Optional.of(new HeadgateConfig.Credentials("KEY", new Secret("other-secret"))),
                        Optional.empty(),
                        HeadgateConfig.RequestChecksum.MD5,
                        20));
        assertThat(config.toString()).doesNotContain("other-secret", "ext-1");
    }

    @Test
    void an_azure_account_has_its_keys() throws Exception {
        environment.put("AZ1_KEY", "c2VjcmV0IG9mIGF6LTEgc2VjcmV0");
        HeadgateConfig config = load("""
                storage_shards:
                  - name: az-1
                    type: azure
                    endpoint: http://127.0.0.1:10000/devstoreaccount1
                    account: devstoreaccount1
                    key: ${AZ1_KEY}
                    container: blobs
                    create_container: true
                    region: eu-west
                  - {name: az-2, type: azure, account: two, container: blobs, sas: "?sv=1&sig=abc", prefix: ""}
                  - {name: az-3, type: azure, account: three, container: blobs, max_connections: 9}
                """);

        assertThat(config.accounts())
                .extracting(HeadgateConfig.AccountConfig::storage)
                .containsExactly(
                        new Storage.Azure(
                                URI.create("http://127.0.0.1:10000/devstoreaccount1"),
                                "blobs",
                                true,
                                "blobs/",
                                new HeadgateConfig.AzureAccess.Key(
                                        "devstoreaccount1", new Secret("c2VjcmV0IG9mIGF6LTEgc2VjcmV0")),
                                256),
                        new Storage.Azure(
                                URI.create("https://two.blob.core.windows.net"),
                                "blobs",
                                false,
                                "",
                                new HeadgateConfig.AzureAccess.Sas(new Secret("?sv=1&sig=abc")),
                                256),
                        new Storage.Azure(
                                URI.create("https://three.blob.core.windows.net"),
                                "blobs",
                                false,
                                "blobs/",
                                new HeadgateConfig.AzureAccess.Identity(),
                                9));
        assertThat(config.toString()).doesNotContain("c2VjcmV0", "sig=abc");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
                    type: s3                                        | : needs the key bucket for the type s3
                    type: s3, bucket: b1c, path: /x                  | .path: is not for accounts of the type s3
                    type: local, path: /x, bucket: b1c               | .bucket: is not for accounts of the type local
                    type: s3, bucket: b1c, access_key: KEY           | .access_key: is set without secret_key
                    type: s3, bucket: b1c, secret_key: 12345678      | .secret_key: is set without access_key
                    type: s3, bucket: b1c, external_id: ext          | .external_id: is set without assume_role
                    type: s3, bucket: b1c, assume_role: me           | .assume_role: "me" is not the ARN of a role (arn:...:role/...)
                    type: s3, bucket: b1c, endpoint: s3.example      | .endpoint: "s3.example" is not a URL that begins with http:// or https://
                    type: s3, bucket: b1c, endpoint: "http://u:p@h"  | .endpoint: "http://u:p@h" is a URL with more than scheme, host, port and path
                    type: azure, container: c-1                      | : endpoint or account is needed for the type azure
                    type: azure, account: acc                        | : needs the key container for the type azure
                    type: azure, account: acc, container: c--1       | .container: "c--1" is not a container's name (3 to 63 of a-z 0-9 - without two hyphens in a row)
                    type: azure, account: acc, container: c-1, bucket: b1c | .bucket: is not for accounts of the type azure
                    type: azure, account: acc, container: c-1, key: "?notbase64?notbase64" | .key: the value is not Base64
                    type: azure, account: acc, container: c-1, key: c2VjcmV0c2VjcmV0, sas: "sig=12345" | .sas: is set beside key; one of them is enough
                    type: azure, endpoint: "https://h", container: c-1, key: c2VjcmV0c2VjcmV0 | .key: is set without account
                    type: azure, endpoint: "http://h", container: c-1 | .endpoint: needs key or sas: Microsoft Entra is only spoken to over https
                    type: s3, bucket: b1c, checksum: sha1            | .checksum: "sha1" is not one of crc32c, md5
                    """)
    void a_wrong_key_of_an_account_is_named(String keys, String message) {
        assertError("storage_shards:\n- {name: a, " + keys + "}").hasMessage(line(2) + "storage_shards[0]" + message);
    }

    @Test
    void no_two_accounts_have_one_bucket_and_prefix() {
        assertError("""
                storage_shards:
                  - {name: a, type: s3, bucket: b1c, access_key: KEY, secret_key: 12345678}
                  - {name: c, type: s3, bucket: b1c, prefix: other/}
                  - {name: b, type: s3, bucket: b1c}
                """)
                .hasMessage(line(4) + "storage_shards[2].bucket: the prefix of the bucket \"b1c/blobs/\" is taken by "
                        + line(2) + "storage_shards[0]");
    }

    @Test
    void an_account_needs_its_keys() {
        assertError("storage_shards:\n- {name: a, path: /a}")
                .hasMessage(line(2) + "storage_shards[0]: needs the key type");
        assertError("storage_shards:\n- {name: a, type: local}")
                .hasMessage(line(2) + "storage_shards[0]: needs the key path");
        assertError("storage_shards: []").hasMessage("storage_shards: has 0 accounts, not 1 to 1000");
    }

    @Test
    void no_two_accounts_have_one_name_or_one_directory() {
        assertError("""
                storage_shards:
                  - {name: a, type: local, path: /a}
                  - {name: a, type: local, path: /b}
                """)
                .hasMessage(line(3) + "storage_shards[1].name: the name \"a\" is taken by " + line(2)
                        + "storage_shards[0]");
        assertError("""
                storage_shards:
                  - {name: a, type: local, path: /a}
                  - {name: b, type: local, path: /x/../a}
                """)
                .hasMessage(line(3) + "storage_shards[1].path: the directory \"/a\" is taken by " + line(2)
                        + "storage_shards[0]");
    }

    @Test
    void no_two_users_have_one_id_or_one_access_key() {
        String alice = "- {id: alice, access_key: KEY, secret_key: 12345678}\n";
        assertError("users:\n" + alice + alice.replace("alice", "bob"))
                .hasMessage(
                        line(3) + "users[1].access_key: the access key \"KEY\" is taken by " + line(2) + "users[0]");
        assertError("users:\n" + alice + alice.replace("KEY", "KEY2"))
                .hasMessageContaining("users[1].id: the id \"alice\" is taken by");
        assertError("users:\n" + alice.replace("alice", "root"))
                .hasMessageContaining("users[0].id: the id \"root\" is taken by the root user");
        environment.put("HEADGATE_ROOT_ACCESS_KEY", "KEY");
        environment.put("HEADGATE_ROOT_SECRET_KEY", "12345678");
        assertError("users:\n" + alice)
                .hasMessageContaining("users[0].access_key: the access key \"KEY\" is taken by the root user");
    }

    @Test
    void root_credentials_come_both_or_not_at_all() throws Exception {
        environment.put("HEADGATE_ROOT_ACCESS_KEY", "ROOT");
        assertThatThrownBy(this::withoutFile)
                .hasMessage("HEADGATE_ROOT_ACCESS_KEY (environment): is set without root.secret_key");
        environment.put("HEADGATE_ROOT_SECRET_KEY", "short");
        assertThatThrownBy(this::withoutFile)
                .hasMessage("HEADGATE_ROOT_SECRET_KEY (environment): the value has 5 characters, not 8 to 256");
        environment.put("HEADGATE_ROOT_SECRET_KEY", "long enough");
        assertThatThrownBy(this::withoutFile).hasMessageEndingWith("has characters other than printable ASCII");
        environment.put("HEADGATE_ROOT_SECRET_KEY", "long-enough");
        assertThat(withoutFile().root()).contains(new HeadgateConfig.Credentials("ROOT", new Secret("long-enough")));
        environment.remove("HEADGATE_ROOT_ACCESS_KEY");
        assertThatThrownBy(this::withoutFile)
                .hasMessage("HEADGATE_ROOT_SECRET_KEY (environment): is set without root.access_key");
    }

    @Test
    void no_error_and_no_text_form_shows_a_secret() throws Exception {
        environment.put("SESAME", "open\tsesame");
        assertError("users: [{id: a, access_key: KEY, secret_key: \"${SESAME}\"}]")
                .message()
                .doesNotContain("sesame");
        assertError("users: [{id: a, access_key: KEY, secret_key: tiny}]")
                .message()
                .doesNotContain("tiny");
        assertError("users: [{id: a, access_key: KEY, secret_key: 'sesame]")
                .message()
                .doesNotContain("sesame");
        assertError("listen: ${SESAME}").message().doesNotContain("sesame").contains("\"${SESAME}\"");
        assertThat(load("users: [{id: a, access_key: KEY, secret_key: open-sesame}]")
                        .toString())
                .doesNotContain("sesame")
                .contains("***");
    }

    @Test
    void malformed_yaml_is_an_error_with_its_line() {
        assertError("region: a\nlisten: 'b\n").hasMessageStartingWith(file() + ":3: is not well-formed YAML");
        assertError("region: a\n--- \nregion: b\n").hasMessageContaining("is not well-formed YAML");
        assertError("region: *nowhere").hasMessageContaining("is not well-formed YAML");
        assertError("- a").hasMessage(line(1) + "the document: is not a mapping of keys to values");
    }

    @Test
    void aliases_share_a_mapping() throws Exception {
        HeadgateConfig config = load("""
                storage_shards:
                  - {name: a, type: local, path: /a, limits: &small {capacity: 1GiB}}
                  - {name: b, type: local, path: /b, limits: *small}
                """);
        assertThat(config.accounts().get(1).limits().capacityBytes()).hasValue(1L << 30);
    }

    @Test
    void documents_made_to_exhaust_memory_or_stack_are_refused() {
        assertError("region: " + "[".repeat(100_000)).hasMessageContaining("is nested deeper than");
        assertError("region: &a {region: *a}").hasMessageContaining("is a mapping, not a single value");
        assertError("users: &a [*a]").hasMessageContaining("is not a mapping");
        assertError("# " + "x".repeat(YamlSource.MAX_CHARACTERS)).hasMessageContaining("is longer than");
        assertError("users: [" + "{},".repeat(YamlSource.MAX_ELEMENTS + 1) + "]")
                .hasMessageContaining("elements");
    }

    @Test
    void a_file_that_cannot_be_read_is_an_error() throws IOException {
        Path missing = directory.resolve("missing.yaml");
        assertThatThrownBy(() -> ConfigLoader.load(Optional.of(missing), environment, List.of()))
                .hasMessage(missing + ": no such file");
        assertThatThrownBy(() -> ConfigLoader.load(Optional.of(directory), environment, List.of()))
                .isInstanceOf(ConfigException.class)
                .hasMessageStartingWith(directory + ": cannot be read");
        Files.write(file(), new byte[] {'a', ':', ' ', (byte) 0xFF});
        assertThatThrownBy(() -> ConfigLoader.load(Optional.of(file()), environment, List.of()))
                .hasMessage(file() + ": is not UTF-8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1:9000", "[::1]:9000", "localhost:0", "[fe80::1]:65535"})
    void an_address_reads_back_as_written(String text) {
        assertThat(HostPort.parse(text).toString()).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "9000", ":9000", "127.0.0.1", "127.0.0.1:", "::1:9000", "a:65536", "a b:1", "a:-1", "[::1]"})
    void what_is_no_address_is_refused(String text) {
        assertThatThrownBy(() -> HostPort.parse(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "0,0",
        "1,1",
        "1B,1",
        "1kB,1000",
        "1KB,1000",
        "1 MiB,1048576",
        "7.5GB,7500000000",
        "5PiB,5629499534213120",
        "0.5KiB,512"
    })
    void sizes_are_read_in_both_kinds_of_unit(String text, long bytes) {
        assertThat(Units.bytes(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "-1", "1.", ".5", "1Gb", "1gib", "GiB", "0.3B", "9999PiB", "99999999999999999999", "1e3"})
    void what_is_no_size_is_refused(String text) {
        assertThatThrownBy(() -> Units.bytes(text)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @CsvSource({"250ms,250", "60s,60000", "5m,300000", "1h30m,5400000", "7d,604800000", "0s,0", "1m1ms,60001"})
    void durations_are_read(String text, long millis) {
        assertThat(Units.duration(text)).isEqualTo(Duration.ofMillis(millis));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "60", "1.5h", "-1s", "30m1h", "1w", "1 s", "9999999999s"})
    void what_is_no_duration_is_refused(String text) {
        assertThatThrownBy(() -> Units.duration(text)).isInstanceOf(IllegalArgumentException.class);
    }
}
