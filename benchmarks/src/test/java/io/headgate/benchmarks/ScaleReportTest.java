package io.headgate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.benchmarks.ScaleBenchmark.Even;
import io.headgate.benchmarks.ScaleBenchmark.Limit;
import io.headgate.benchmarks.ScaleBenchmark.Machine;
import io.headgate.benchmarks.ScaleBenchmark.Plan;
import io.headgate.benchmarks.ScaleBenchmark.Row;
import io.headgate.benchmarks.ScaleBenchmark.Series;
import java.io.StringReader;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

final class ScaleReportTest {
    private static final Plan PLAN = new Plan(100, 20, 3, Optional.of("postgresql://me:hush@db/bench%d"), 1_000);
    private static final Machine MACHINE = new Machine(LocalDate.of(2026, 11, 30), 2, "25", 1.5);
    private static final List<Series> ALL = Limit.ALL.stream()
            .map(limit -> new Series(
                    limit,
                    ScaleBenchmark.ACCOUNTS.stream()
                            .map(n -> new Row(n, n * limit.putsPerSecond(100), 500, 2, 79.2 * n, 33, 0, 1, 0.81))
                            .toList()))
            .toList();

    @Test
    void the_report_says_what_part_of_the_promise_was_kept_and_how_to_measure_it_again() {
        String report = ScaleReport.markdown(PLAN, ALL, new Even(8, 1_000, 1_010, 1_000), MACHINE);
        assertThat(report)
                .contains("(images/scaling-3-gateways.svg)")
                .contains("a fresh fleet of 3 gateways over one PostgreSQL database")
                .contains("| 8 | 640 | 2 of 500 | 633.6 | **0.990** | 33 | 0 | 1 | 0.81 |")
                .contains("| 8 | 800 | 2 of 500 | 633.6 | **0.792** | 33 | 0 | 1 | 0.81 |")
                .contains("the fullest holds 1,010 bytes, the emptiest 1,000, which is 0.99 %")
                .contains("headgate bench scale --rate 100 --seconds 20 --writes 1000 --gateways 3")
                .doesNotContain("hush");
    }

    @Test
    void the_picture_has_a_bar_and_a_promise_for_each_row() throws Exception {
        Document picture = DocumentBuilderFactory.newDefaultInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(ScaleReport.picture(PLAN, ALL))));
        // Beside the bars: the background, and a square for each series in the legend.
        assertThat(picture.getElementsByTagName("rect").getLength()).isEqualTo(12 + 1 + 3);
        assertThat(picture.getElementsByTagName("line").getLength()).isEqualTo(12 + 5);
    }
}
