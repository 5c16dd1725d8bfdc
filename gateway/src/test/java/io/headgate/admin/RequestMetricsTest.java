package io.headgate.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.CompletedExchange;
import io.headgate.http.Exchange.Label;
import io.headgate.http.RequestHead;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class RequestMetricsTest {
    private final PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final RequestMetrics metrics = new RequestMetrics(registry);

    private static CompletedExchange exchange(
            Map<Label, String> labels, int status, long in, long out, Duration duration) {
        return new CompletedExchange(
                new RequestHead("GET", "/", List.of(), "192.0.2.1"),
                "0",
                Instant.EPOCH,
                labels,
                status,
                in,
                out,
                duration,
                duration,
                status == 0);
    }

    private static CompletedExchange of(String operation, int status) {
        return exchange(Map.of(Label.OPERATION, operation), status, 0, 0, Duration.ofMillis(1));
    }

    @Test
    void a_request_is_counted_by_operation_and_status_class_with_its_bytes_and_time() {
        metrics.completed(exchange(Map.of(Label.OPERATION, "GetObject"), 206, 1, 1_000, Duration.ofMillis(3)));
        metrics.completed(exchange(Map.of(Label.OPERATION, "GetObject"), 200, 2, 500, Duration.ofMillis(7)));
        metrics.completed(of("PutObject", 200));

        assertThat(registry.scrape())
                .contains(
                        "headgate_requests_total{operation=\"GetObject\",status=\"2xx\"} 2.0",
                        "headgate_requests_total{operation=\"PutObject\",status=\"2xx\"} 1.0",
                        "headgate_request_bytes_total{direction=\"in\",operation=\"GetObject\"} 3.0",
                        "headgate_request_bytes_total{direction=\"out\",operation=\"GetObject\"} 1500.0",
                        "headgate_request_seconds_bucket{operation=\"GetObject\",le=\"0.0025\"} 0",
                        "headgate_request_seconds_bucket{operation=\"GetObject\",le=\"0.005\"} 1",
                        "headgate_request_seconds_bucket{operation=\"GetObject\",le=\"0.01\"} 2",
                        "headgate_request_seconds_sum{operation=\"GetObject\"} 0.01\n");
    }

    @Test
    void an_error_is_counted_by_its_code() {
        Map<Label, String> labels = Map.of(Label.OPERATION, "GetObject", Label.ERROR_CODE, "NoSuchKey");
        metrics.completed(exchange(labels, 404, 0, 300, Duration.ofMillis(1)));

        assertThat(registry.scrape())
                .contains(
                        "headgate_requests_total{operation=\"GetObject\",status=\"4xx\"} 1.0",
                        "headgate_request_errors_total{code=\"NoSuchKey\",operation=\"GetObject\"} 1.0");
    }

    @Test
    void a_request_that_was_refused_before_it_was_routed_is_counted_too() {
        metrics.completed(exchange(Map.of(), 400, 0, 0, Duration.ZERO));
        metrics.completed(exchange(Map.of(), 0, 0, 0, Duration.ZERO));

        assertThat(registry.scrape())
                .contains(
                        "headgate_requests_total{operation=\"Unrouted\",status=\"4xx\"} 1.0",
                        "headgate_requests_total{operation=\"Unrouted\",status=\"none\"} 1.0",
                        "headgate_requests_cut_short_total 1.0");
    }

    @Test
    void the_number_of_series_is_bounded_whatever_names_come() {
        for (int i = 0; i < 3 * RequestMetrics.MAX_NAMES; i++) {
            metrics.completed(exchange(
                    Map.of(Label.OPERATION, "Operation" + i, Label.ERROR_CODE, "Code" + i), 500, 0, 0, Duration.ZERO));
            metrics.completed(exchange(
                    Map.of(Label.OPERATION, "Operation0", Label.ERROR_CODE, "Code" + i), 500, 0, 0, Duration.ZERO));
        }

        String scrape = registry.scrape();
        assertThat(scrape.lines()
                        .filter(line -> line.startsWith("headgate_request_seconds_count"))
                        .count())
                .isEqualTo(RequestMetrics.MAX_NAMES + 1);
        assertThat(scrape)
                .contains(
                        "headgate_requests_total{operation=\"Other\",status=\"5xx\"} %d.0"
                                .formatted(2 * RequestMetrics.MAX_NAMES),
                        "headgate_request_errors_total{code=\"Other\",operation=\"Operation0\"}");
    }
}
