package io.headgate.benchmarks;

import io.headgate.account.CircuitBreaker.Status;
import io.headgate.benchmarks.DegradeBenchmark.Machine;
import io.headgate.benchmarks.DegradeBenchmark.Pair;
import io.headgate.benchmarks.DegradeBenchmark.Plan;
import io.headgate.benchmarks.DegradeRun.Transition;
import io.headgate.benchmarks.FaultyAccount.Fault;
import io.headgate.benchmarks.Sample.Operation;
import io.headgate.benchmarks.TimelineChart.Line;
import io.headgate.benchmarks.TimelineChart.Span;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Writes what {@link DegradeBenchmark} measured, purely. */
final class DegradeReport {
    private DegradeReport() {}

    /** As on the command line. */
    static String word(Fault fault) {
        return switch (fault) {
            case SLOW -> "slow";
            case ERRORS -> "errors";
        };
    }

    static String pictureName(Fault fault) {
        return switch (fault) {
            case SLOW -> "degradation.svg";
            case ERRORS -> "degradation-errors.svg";
        };
    }

    private static String heading(Fault fault) {
        return switch (fault) {
            case SLOW -> "A slow account";
            case ERRORS -> "An account that fails at once";
        };
    }

    private static String title(Fault fault) {
        return switch (fault) {
            case SLOW -> "Writes while one account of three is slow and fails";
            case ERRORS -> "Writes while one account of three fails at once";
        };
    }

    private static String explanation(Fault fault) {
        return switch (fault) {
            case SLOW ->
                "Each write, deletion and probe of the degraded account takes a second and then fails; each read of it"
                        + " takes a second longer. A write that met it goes on to another account, so it succeeds, but"
                        + " late. The breaker can open only when the first writes have failed, after a second; from then on"
                        + " it lets one write or probe through each time that its period is over. Reads have no other"
                        + " account to go to.";
            case ERRORS ->
                "Each call of the degraded account fails at once, reads too. A write that met it goes on to another"
                        + " account without delay, so clients that write hardly notice, breaker or not; the breaker"
                        + " spares the account and the gateway the attempts. Reads of objects in that account fail.";
        };
    }

    static String markdown(Plan plan, List<Pair> pairs, Machine machine) {
        StringBuilder text = new StringBuilder();
        add(text, "# One account of three degrades%n%n");
        add(
                text,
                "Made by `./headgate bench degrade --seconds %d --rate %d --fault %s --out docs`; run it again to repeat it. The"
                        + " figures second by second are in [degradation.csv](degradation.csv).%n%n",
                plan.seconds(),
                plan.requestsPerSecond(),
                plan.faults().size() == 1 ? word(plan.faults().getFirst()) : "both");
        add(
                text,
                "A gateway with three local accounts gets the same load for %d s, once with the circuit breaker (3 failures"
                        + " in 10 s open it for 5 s: the defaults, shortened so that a minute shows them) and once without. Of"
                        + " %d requests a second %d in %d are PUTs of new objects of 4 KiB, the others GETs of 600 objects that"
                        + " were there before. Requests are sent when their time has come, whatever is unanswered, and latency"
                        + " counts from that time. The client repeats nothing. *In time* means answered without error within"
                        + " %d ms. From second %d to second %d one account degrades. Client and gateway share a process, and"
                        + " nothing is flushed to disk.%n%n",
                plan.seconds(),
                plan.requestsPerSecond(),
                OpenLoad.GET_EVERY - 1,
                OpenLoad.GET_EVERY,
                DegradeBenchmark.PATIENCE.toMillis(),
                plan.degradedFrom().toSeconds(),
                plan.degradedTo().toSeconds());
        add(
                text,
                "Measured on %s on %d processors of a shared, noisy machine (%s, JDK %s; load average %.1f before, %.1f after):"
                        + " read the differences, not single milliseconds.%n",
                machine.date(),
                machine.processors(),
                machine.system(),
                machine.java(),
                machine.loadBefore(),
                machine.loadAfter());
        for (Pair pair : pairs) {
            section(text, plan, pair);
        }
        return text.toString();
    }

    private static void section(StringBuilder text, Plan plan, Pair pair) {
        add(text, "%n## %s%n%n%s%n%n", heading(pair.fault()), explanation(pair.fault()));
        add(
                text,
                "![PUTs in time and their latency over time, breaker on and off](images/%s)%n%n",
                pictureName(pair.fault()));
        add(text, "| | breaker | sent | errors | in time | p50 ms | p99 ms | longest ms |%n");
        add(text, "|---|---|--:|--:|--:|--:|--:|--:|%n");
        Map<String, Duration[]> periods = new LinkedHashMap<>();
        periods.put("before", new Duration[] {Duration.ZERO, plan.degradedFrom()});
        periods.put("while degraded", new Duration[] {plan.degradedFrom(), plan.degradedTo()});
        periods.put("after", new Duration[] {plan.degradedTo(), plan.length()});
        for (Operation operation : Operation.values()) {
            periods.forEach((name, period) -> {
                row(text, operation + " " + name, pair.on(), period, operation);
                row(text, operation + " " + name, pair.off(), period, operation);
            });
        }
        add(
                text,
                "%nWrites that the account failed, each tried again with another: %,d with the breaker, %,d without."
                        + " Probes that it failed: %,d.%n",
                pair.on().failedPuts(),
                pair.off().failedPuts(),
                pair.on().failedProbes());
        add(
                text,
                "%nThe breaker, by the second: %s.%n",
                pair.on().transitions().isEmpty()
                        ? "it never opened"
                        : pair.on().transitions().stream()
                                .map(DegradeReport::transition)
                                .collect(Collectors.joining(", ")));
    }

    private static void row(StringBuilder text, String name, DegradeRun run, Duration[] period, Operation operation) {
        Summary summary = Summary.of(run.between(period[0], period[1], operation), DegradeBenchmark.PATIENCE);
        add(
                text,
                "| %s | %s | %,d | %,d | %.2f %% | %.1f | %.1f | %.1f |%n",
                name,
                onOrOff(run),
                summary.sent(),
                summary.sent() - summary.succeeded(),
                // Rounded down: 100 % is said only of all.
                Math.floor(10_000 * summary.inTimeRatio()) / 100,
                millis(summary.p50Nanos()),
                millis(summary.p99Nanos()),
                millis(summary.maxNanos()));
    }

    private static String transition(Transition change) {
        return String.format(
                Locale.ROOT,
                "%.1f %s",
                change.atNanos() / 1e9,
                change.to().name().toLowerCase(Locale.ROOT).replace('_', ' '));
    }

    /** One line for each run and second. */
    static String csv(Plan plan, List<Pair> pairs) {
        StringBuilder text = new StringBuilder("fault,breaker,second");
        for (Operation operation : Operation.values()) {
            String name = operation.name().toLowerCase(Locale.ROOT);
            add(text, ",%1$s_sent,%1$s_succeeded,%1$s_in_time,%1$s_p50_ms,%1$s_p99_ms", name);
        }
        text.append('\n');
        for (Pair pair : pairs) {
            for (DegradeRun run : List.of(pair.on(), pair.off())) {
                csv(text, plan, pair.fault(), run);
            }
        }
        return text.toString();
    }

    private static void csv(StringBuilder text, Plan plan, Fault fault, DegradeRun run) {
        List<List<Summary>> columns = new ArrayList<>();
        for (Operation operation : Operation.values()) {
            columns.add(perSecond(plan, run, operation));
        }
        for (int second = 0; second < plan.seconds(); second++) {
            add(text, "%s,%s,%d", word(fault), onOrOff(run), second);
            for (List<Summary> column : columns) {
                Summary summary = column.get(second);
                add(
                        text,
                        ",%d,%d,%d,%.1f,%.1f",
                        summary.sent(),
                        summary.succeeded(),
                        summary.inTime(),
                        millis(summary.p50Nanos()),
                        millis(summary.p99Nanos()));
            }
            text.append('\n');
        }
    }

    static String picture(Plan plan, Pair pair) {
        return new TimelineChart(
                        title(pair.fault()),
                        plan.degradedFrom().toMillis() / 1e3,
                        plan.degradedTo().toMillis() / 1e3,
                        line(plan, pair.on()),
                        line(plan, pair.off()),
                        open(pair.on().transitions(), plan.seconds()))
                .svg();
    }

    private static Line line(Plan plan, DegradeRun run) {
        List<Summary> seconds = perSecond(plan, run, Operation.PUT);
        return new Line(
                seconds.stream().map(Summary::inTimeRatio).toList(),
                seconds.stream().map(second -> millis(second.p99Nanos())).toList());
    }

    /** When a breaker was not closed. One account degrades, so one breaker at a time. */
    static List<Span> open(List<Transition> transitions, double endSeconds) {
        List<Span> spans = new ArrayList<>();
        double since = -1;
        for (Transition change : transitions) {
            double at = change.atNanos() / 1e9;
            if (change.from() == Status.CLOSED && since < 0) {
                since = at;
            } else if (change.to() == Status.CLOSED && since >= 0) {
                spans.add(new Span(since, at));
                since = -1;
            }
        }
        if (since >= 0) {
            spans.add(new Span(since, endSeconds));
        }
        return spans;
    }

    private static List<Summary> perSecond(Plan plan, DegradeRun run, Operation operation) {
        return Summary.perSecond(run.samples(), operation, plan.seconds(), DegradeBenchmark.PATIENCE);
    }

    private static String onOrOff(DegradeRun run) {
        return run.breakerOn() ? "on" : "off";
    }

    private static double millis(long nanos) {
        return nanos / 1e6;
    }

    private static void add(StringBuilder text, String format, Object... values) {
        text.append(String.format(Locale.ROOT, format, values));
    }
}
