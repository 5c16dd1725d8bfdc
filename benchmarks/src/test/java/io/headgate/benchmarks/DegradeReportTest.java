package io.headgate.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.account.CircuitBreaker.Status;
import io.headgate.benchmarks.DegradeBenchmark.Machine;
import io.headgate.benchmarks.DegradeBenchmark.Pair;
import io.headgate.benchmarks.DegradeBenchmark.Plan;
import io.headgate.benchmarks.DegradeRun.Transition;
import io.headgate.benchmarks.FaultyAccount.Fault;
import io.headgate.benchmarks.Sample.Operation;
import io.headgate.benchmarks.TimelineChart.Span;
import java.io.StringReader;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.xml.sax.InputSource;

class DegradeReportTest {
    private static final Plan PLAN = new Plan(3, 4, List.of(Fault.SLOW));
    private static final long SECOND = 1_000_000_000L;
    private static final long MILLI = 1_000_000L;

    @Test
    void the_time_that_a_breaker_is_not_closed_is_one_span_however_often_it_is_probed() {
        List<Transition> transitions = List.of(
                change(2.0, Status.CLOSED, Status.OPEN),
                change(7.0, Status.OPEN, Status.HALF_OPEN),
                change(8.0, Status.HALF_OPEN, Status.OPEN),
                change(13.0, Status.OPEN, Status.HALF_OPEN),
                change(13.5, Status.HALF_OPEN, Status.CLOSED),
                change(20.0, Status.CLOSED, Status.OPEN));
        assertThat(DegradeReport.open(transitions, 30)).containsExactly(new Span(2, 13.5), new Span(20, 30));
    }

    @Test
    void a_breaker_that_never_opens_has_no_span() {
        assertThat(DegradeReport.open(List.of(), 30)).isEmpty();
    }

    @Test
    void the_report_tells_each_third_apart_and_late_from_failed() {
        String report = DegradeReport.markdown(
                PLAN, List.of(pair()), new Machine(LocalDate.of(2026, 11, 30), 2, "Linux amd64", "25", 1.25, 2.5));
        assertThat(report)
                .contains("| PUT before | on | 1 | 0 | 100.00 % | 10.0 | 10.0 | 10.0 |")
                .contains("| PUT while degraded | on | 3 | 1 | 33.33 % | 20.0 | 900.0 | 900.0 |")
                .contains("| PUT while degraded | off | 0 | 0 | 100.00 % | 0.0 | 0.0 | 0.0 |")
                .contains("with another: 7 with the breaker, 0 without")
                .contains("The breaker, by the second: 1.5 open.");
    }

    @Test
    void the_table_of_seconds_has_a_line_for_each_run_and_second() {
        assertThat(DegradeReport.csv(PLAN, List.of(pair())).lines())
                .hasSize(1 + 2 * 3)
                .contains("slow,on,1,3,2,1,20.0,900.0,0,0,0,0.0,0.0")
                .contains("slow,off,0,0,0,0,0.0,0.0,0,0,0,0.0,0.0");
    }

    @Test
    void the_picture_is_well_formed_and_stays_inside_its_frame() throws Exception {
        Document svg = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(DegradeReport.picture(PLAN, pair()))));
        String[] frame = svg.getDocumentElement().getAttribute("viewBox").split(" ");
        int lines = svg.getElementsByTagName("polyline").getLength();
        assertThat(lines).isEqualTo(4);
        for (int i = 0; i < lines; i++) {
            Element line = (Element) svg.getElementsByTagName("polyline").item(i);
            String[] points = line.getAttribute("points").strip().split(" ");
            assertThat(points).hasSize(3);
            for (String point : points) {
                String[] at = point.split(",");
                assertThat(Double.parseDouble(at[0])).isBetween(0.0, Double.parseDouble(frame[2]));
                assertThat(Double.parseDouble(at[1])).isBetween(0.0, Double.parseDouble(frame[3]));
            }
        }
    }

    private static Pair pair() {
        List<Sample> samples = new ArrayList<>(List.of(
                new Sample(Operation.PUT, 0, 10 * MILLI, true),
                new Sample(Operation.PUT, SECOND, 20 * MILLI, true),
                new Sample(Operation.PUT, SECOND + 1, 5 * MILLI, false),
                new Sample(Operation.PUT, SECOND + 2, 900 * MILLI, true)));
        List<Transition> opened = List.of(change(1.5, Status.CLOSED, Status.OPEN));
        return new Pair(
                Fault.SLOW,
                new DegradeRun(true, samples, opened, 7, 1),
                new DegradeRun(false, List.of(), List.of(), 0, 0));
    }

    private static Transition change(double second, Status from, Status to) {
        return new Transition((long) (second * SECOND), "two", from, to);
    }
}
