package io.headgate.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FsckProgressTest {
    private long nanos = 7;
    private final List<String> told = new ArrayList<>();
    private final FsckProgress progress = new FsckProgress(() -> nanos, told::add);

    private void after(Duration time, String line) {
        nanos += time.toNanos();
        progress.accept(line);
    }

    @Test
    void a_short_check_tells_nothing_and_a_long_one_a_line_now_and_then() {
        after(Duration.ofSeconds(4), "a");
        after(Duration.ofSeconds(1), "b");
        after(Duration.ofMillis(4_999), "c");
        after(Duration.ofMillis(1), "d");
        after(Duration.ofMinutes(1), "e");
        after(Duration.ZERO, "f");

        assertThat(told).containsExactly("b", "d", "e");
    }
}
