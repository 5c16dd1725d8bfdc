package io.headgate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.account.CircuitBreaker.Status;
import io.headgate.benchmarks.DegradeRun.Transition;
import io.headgate.benchmarks.FaultyAccount.Fault;
import io.headgate.benchmarks.Sample.Operation;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class DegradeRunTest {
    private static final int REQUESTS_PER_SECOND = 120;
    private static final Duration LENGTH = Duration.ofSeconds(3);

    @Test
    void no_write_fails_while_one_account_does_and_the_breaker_opens_only_if_it_is_on() throws Exception {
        DegradeRun on = DegradeRun.of(Fault.ERRORS, true, REQUESTS_PER_SECOND, LENGTH);
        DegradeRun off = DegradeRun.of(Fault.ERRORS, false, REQUESTS_PER_SECOND, LENGTH);

        assertThat(on.between(Duration.ZERO, LENGTH, Operation.PUT))
                .hasSize(300)
                .allMatch(Sample::succeeded);
        assertThat(off.between(Duration.ZERO, LENGTH, Operation.PUT))
                .hasSize(300)
                .allMatch(Sample::succeeded);
        assertThat(on.transitions()).extracting(Transition::to).startsWith(Status.OPEN);
        assertThat(off.transitions()).isEmpty();
        assertThat(off.failedPuts()).isGreaterThan(on.failedPuts());
    }
}
