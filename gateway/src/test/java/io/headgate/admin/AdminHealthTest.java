package io.headgate.admin;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.headgate.http.Response;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceException;
import io.headgate.placement.Filter;
import io.headgate.placement.Placement;
import io.headgate.placement.Rejection;
import io.headgate.placement.Thresholds;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Health, readiness and metrics. */
final class AdminHealthTest extends AdminFixture {
    @Test
    void health_asks_for_no_token_and_says_ok() {
        Response response = get("/healthz");

        assertThat(response.status()).isEqualTo(200);
        assertThat(text(response)).isEqualTo("ok\n");
    }

    @Test
    void a_gateway_whose_namespace_answers_and_with_one_account_left_is_ready() {
        open(accounts.all().getFirst().breaker());

        Response response = get("/readyz");

        assertThat(response.status()).isEqualTo(200);
        assertThat(text(response)).isEqualTo("{\"ready\":true,\"reasons\":[]}\n");
    }

    @Test
    void without_an_account_that_takes_writes_it_is_not_ready_and_says_why() {
        open(accounts.all().get(0).breaker());
        accounts.all().get(1).setDraining(true);

        Response response = get("/readyz");

        assertThat(response.status()).isEqualTo(503);
        assertThat(text(response))
                .isEqualTo("{\"ready\":false,\"reasons\":[\"no account takes writes\",\"account disk-1: breaker open\","
                        + "\"account disk-2: draining\"]}\n");
    }

    @Test
    void with_a_namespace_that_is_out_it_is_not_ready_and_says_why() {
        handler = handlerOver(failing(new NamespaceException("disk I/O error")));

        Response response = get("/readyz");

        assertThat(response.status()).isEqualTo(503);
        assertThat(text(response)).contains("the namespace does not answer: disk I/O error");
    }

    @Test
    void a_namespace_that_hangs_holds_up_no_check_for_ever_and_no_second_thread() throws Exception {
        CountDownLatch release = new CountDownLatch(1);
        CountDownLatch asked = new CountDownLatch(1);
        AtomicInteger pings = new AtomicInteger();
        Namespace hung = (Namespace) Proxy.newProxyInstance(
                Namespace.class.getClassLoader(), new Class<?>[] {Namespace.class}, (proxy, method, args) -> {
                    pings.incrementAndGet();
                    asked.countDown();
                    release.await();
                    return null;
                });
        Readiness readiness = new Readiness(hung, accounts, new Placement(Thresholds.DEFAULT), Duration.ofMillis(20));

        assertThat(readiness.reasonsAgainst()).containsExactly("the namespace has not answered for 20 ms");
        asked.await();
        assertThat(readiness.reasonsAgainst()).containsExactly("the namespace has not answered for 20 ms");
        assertThat(pings).hasValue(1);

        release.countDown();
        await().until(() -> readiness.reasonsAgainst().isEmpty());
    }

    @Test
    void a_gateway_that_stops_is_not_ready() {
        handler.stopping();

        assertThat(get("/readyz").status()).isEqualTo(503);
        assertThat(text(get("/readyz"))).contains("the gateway is stopping");
        assertThat(get("/healthz").status()).isEqualTo(200);
    }

    @Test
    void metrics_tell_of_accounts_breakers_garbage_namespace_and_jvm() throws IOException {
        accounts.all().get(0).probe(blob());
        open(accounts.all().get(1).breaker());
        metrics.placementRefused(List.of(new Rejection("disk-2", Filter.BREAKER_OPEN, "")));
        metrics.counter("headgate.test.count", "A count", () -> 7);
        System.gc();

        String scrape = text(get("/metrics"));

        assertThat(scrape)
                .contains(
                        "headgate_account_calls_total{account=\"disk-1\",call=\"probe\",result=\"ok\"} 1.0",
                        "headgate_account_call_seconds_count{account=\"disk-1\",call=\"probe\"} 1",
                        "headgate_account_breaker{account=\"disk-1\",state=\"closed\"} 1.0",
                        "headgate_account_breaker{account=\"disk-2\",state=\"open\"} 1.0",
                        "headgate_account_breaker{account=\"disk-2\",state=\"closed\"} 0.0",
                        "headgate_account_breaker_changes_total{account=\"disk-2\",state=\"open\"} 1.0",
                        "headgate_account_capacity_bytes{account=\"disk-1\"} 1.073741824E9",
                        "headgate_account_ingress_limit_bytes{account=\"disk-1\"} +Inf",
                        "headgate_placement_refusals_total{filter=\"breaker_open\"} 1.0",
                        "headgate_placement_rejecting{account=\"disk-2\",filter=\"breaker_open\"} 1.0",
                        "headgate_garbage_blobs{account=\"disk-1\"} 0.0",
                        "headgate_namespace_call_seconds_count{call=\"account_usage\"} 1",
                        "headgate_test_count_total 7.0",
                        "jvm_memory_used_bytes");
    }

    @Test
    void metrics_come_also_while_the_namespace_is_out() {
        handler = handlerOver(failing(new NamespaceException("out")));

        Response response = get("/metrics");

        assertThat(response.status()).isEqualTo(200);
        assertThat(text(response)).contains("headgate_namespace_failures_total{call=\"account_usage\"} 1.0");
    }
}
