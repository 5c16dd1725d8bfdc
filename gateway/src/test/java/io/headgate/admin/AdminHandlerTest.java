package io.headgate.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BucketName;
import io.headgate.http.Response;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.redis.RedisNamespace;
import io.headgate.namespace.redis.RedisOptions;
import io.headgate.servers.RedisCluster;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who is answered, and what of buckets and objects. */
final class AdminHandlerTest extends AdminFixture {
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Bearer",
                "Bearer ",
                "Bearer wrong",
                "Basic " + TOKEN,
                TOKEN,
                "Bearer " + TOKEN + "x",
                "Bearer the-admin-token-of-this-tes"
            })
    void the_api_refuses_whoever_has_not_the_token(String authorization) {
        for (String target :
                List.of("/admin/v1/accounts", "/admin/v1/buckets", "/admin/v1/explain?bucket=b&key=k", "/admin/x")) {
            Response response = authorization.isEmpty() ? get(target) : get(target, "authorization", authorization);
            assertThat(response.status()).isEqualTo(401);
            assertThat(text(response)).doesNotContain("disk-1");
        }
    }

    @Test
    void the_scheme_of_the_token_may_be_written_in_any_case() {
        assertThat(get("/admin/v1/accounts", "authorization", "bearer  " + TOKEN)
                        .status())
                .isEqualTo(200);
    }

    @Test
    void explain_says_of_a_new_write_which_filter_rejects_which_account() {
        bucket("photos", "alice", "eu-west");
        open(accounts.all().get(0).breaker());
        accounts.all().get(1).meter().setUsage(1_000_000_000, 0, 0);

        assertThat(text(getAsAdmin("/admin/v1/explain?bucket=photos&key=a%20b", "text/plain")))
                .isEqualTo("""
                The object does not exist.

                A new write of 0 bytes, preferred region eu-west:
                ACCOUNT  REGION   VERDICT
                disk-1   eu-west  rejected by breaker_open (breaker open)
                disk-2   eu-west  rejected by capacity (1000000000 of 1073741824 bytes used, 0 more wanted)
                """);
        assertThat(text(getAsAdmin("/admin/v1/explain?bucket=photos&key=a%20b", "application/json")))
                .startsWith(
                        "{\"object\":null,\"new_write\":{\"size_bytes\":0,\"preferred_region\":\"eu-west\",\"accounts\":[")
                .contains(
                        "{\"name\":\"disk-1\",\"region\":\"eu-west\",\"eligible\":false,\"rejected_by\":[{\"filter\":\"breaker_open\",");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/admin/v1/explain", "/admin/v1/explain?bucket=photos", "/admin/v1/explain?bucket=photos&key=",
                "/admin/v1/explain?bucket=P&key=k", "/admin/v1/explain?bucket=photos&key=%zz", "/admin/v1/buckets/%2F"
            })
    void a_malformed_question_is_refused(String target) {
        assertThat(getAsAdmin(target, "text/plain").status()).isEqualTo(400);
    }

    @Test
    void buckets_of_every_user_are_listed_and_one_is_shown_with_its_use() {
        bucket("photos", "alice", "eu-west");
        bucket("logs", "root", "");

        assertThat(text(getAsAdmin("/admin/v1/buckets", "text/plain"))).isEqualTo("""
                NAME    OWNER  REGION     CREATED
                logs    root   us-east-1  2026-11-30T06:00:00Z
                photos  alice  eu-west    2026-11-30T06:00:00Z
                """);
        assertThat(text(getAsAdmin("/admin/v1/buckets/photos", "application/json")))
                .isEqualTo(
                        "{\"name\":\"photos\",\"owner\":\"alice\",\"location\":\"eu-west\",\"region\":\"eu-west\",\"created\":\"2026-11-30T06:00:00.000Z\","
                                + "\"objects\":0,\"bytes\":0}\n");
        assertThat(getAsAdmin("/admin/v1/buckets/nothing", "text/plain").status())
                .isEqualTo(404);
        assertThat(getAsAdmin("/admin/v1/explain?bucket=nothing&key=k", "text/plain")
                        .status())
                .isEqualTo(404);
    }

    @Test
    void a_gateway_of_one_region_says_so() {
        assertThat(text(getAsAdmin("/admin/v1/regions", "text/plain")))
                .isEqualTo("one region, us-east-1: none are configured\n");
        assertThat(text(getAsAdmin("/admin/v1/regions", "application/json"))).isEqualTo("{\"own\":\"us-east-1\"}\n");
    }

    @Test
    void an_engine_that_keeps_buckets_in_one_place_says_that_it_has_no_ranges() {
        bucket("photos", "alice", "");

        Response response = getAsAdmin("/admin/v1/buckets/photos/ranges", "text/plain");

        assertThat(response.status()).isEqualTo(409);
        assertThat(text(response)).contains("has no ranges");
        assertThat(getAsAdmin("/admin/v1/buckets/nothing/ranges", "text/plain").status())
                .isEqualTo(404);
    }

    @Test
    @DisabledIfSystemProperty(named = "headgate.test.redis", matches = "off")
    void the_ranges_are_shown_that_a_bucket_is_spread_in() {
        RedisCluster cluster = RedisCluster.shared();
        cluster.flush();
        List<RedisOptions.Node> nodes = cluster.masters().stream()
                .map(node -> new RedisOptions.Node("127.0.0.1", node.port()))
                .toList();
        RedisOptions options = new RedisOptions(nodes, false, null, null, Duration.ofSeconds(30), 1);
        try (RedisNamespace namespace =
                RedisNamespace.open(options, InstantSource.system(), RandomGenerator.of("Random"))) {
            namespace.createHashedBucket(new Bucket(new BucketName("photos"), "alice", "", Instant.EPOCH), 2);
            handler = handlerOver(namespace);

            String ranges = text(getAsAdmin("/admin/v1/buckets/photos/ranges", "text/plain"));
            assertThat(ranges.replaceAll(" +", " ")).matches("""
                    FROM TO SLOT OBJECTS BYTES REQUESTS/S
                     8000 \\d+ 0 0 0
                    8000 \\d+ 0 0 0
                    """);
            assertThat(text(getAsAdmin("/admin/v1/buckets/photos/ranges", "application/json")))
                    .matches(
                            "\\{\"ranges\":\\[\\{\"from\":\"\",\"to\":\"8000\",\"slot\":\\d+,\"objects\":0,\"bytes\":0,"
                                    + "\"requests_per_second\":0},\\{\"from\":\"8000\",\"to\":null,.*}]}\n");
        }
    }

    @Test
    void while_the_namespace_is_out_the_api_says_so_without_its_inner_words() {
        handler = handlerOver(failing(new NamespaceException("secret path /srv/x")));

        Response response = getAsAdmin("/admin/v1/buckets", "text/plain");

        assertThat(response.status()).isEqualTo(503);
        assertThat(text(response)).isEqualTo("the namespace does not answer\n");
    }

    @Test
    void other_methods_and_other_pages_are_refused() {
        assertThat(ask("PATCH", "/healthz").status()).isEqualTo(405);
        assertThat(ask("POST", "/healthz").status()).isEqualTo(401);
        assertThat(askAsAdmin("POST", "/healthz", "text/plain").status()).isEqualTo(405);
        assertThat(get("/").status()).isEqualTo(404);
        assertThat(getAsAdmin("/admin/v1/nothing", "text/plain").status()).isEqualTo(404);
    }

    @Test
    void a_head_request_is_answered_with_the_length_alone() {
        assertThat(ask("HEAD", "/healthz").body()).isEqualTo(new Response.Body.None(3));
    }
}
