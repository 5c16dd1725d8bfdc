package io.headgate.benchmarks;

import io.headgate.benchmarks.FaultyAccount.Fault;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What clients see while one account of three degrades, with the circuit breaker and without. */
final class DegradeBenchmark {
    /** A client with so much patience has its answer in time or counts it as failed. */
    static final Duration PATIENCE = Duration.ofMillis(500);

    /** @param seconds of one run; there are two for each fault */
    record Plan(int seconds, int requestsPerSecond, List<Fault> faults) {
        Duration length() {
            return Duration.ofSeconds(seconds);
        }

        Duration degradedFrom() {
            return length().dividedBy(3);
        }

        Duration degradedTo() {
            return degradedFrom().multipliedBy(2);
        }
    }

    /** The two runs with one fault. */
    record Pair(Fault fault, DegradeRun on, DegradeRun off) {}

    /** Where and when it was measured. */
    record Machine(LocalDate date, int processors, String system, String java, double loadBefore, double loadAfter) {}

    private DegradeBenchmark() {}

    /** Runs it, and writes the report and what belongs to it to {@code out}. */
    static void run(Plan plan, Path out, PrintStream console) throws IOException, InterruptedException {
        console.println("warming up ...");
        DegradeRun.of(Fault.ERRORS, true, plan.requestsPerSecond(), Duration.ofSeconds(3));
        double loadBefore = load();
        List<Pair> pairs = new ArrayList<>();
        for (Fault fault : plan.faults()) {
            DegradeRun on = run(plan, fault, true, console);
            pairs.add(new Pair(fault, on, run(plan, fault, false, console)));
        }
        Machine machine = new Machine(
                LocalDate.now(ZoneOffset.UTC),
                Runtime.getRuntime().availableProcessors(),
                System.getProperty("os.name") + " " + System.getProperty("os.arch"),
                Runtime.version().toString(),
                loadBefore,
                load());
        Path images = Files.createDirectories(out.resolve("images"));
        for (Pair pair : pairs) {
            Files.writeString(
                    images.resolve(DegradeReport.pictureName(pair.fault())), DegradeReport.picture(plan, pair));
        }
        Files.writeString(out.resolve("degradation.csv"), DegradeReport.csv(plan, pairs));
        Path report = out.resolve("degradation.md");
        Files.writeString(report, DegradeReport.markdown(plan, pairs, machine));
        console.println("report in " + report);
    }

    private static DegradeRun run(Plan plan, Fault fault, boolean breakerOn, PrintStream console)
            throws IOException, InterruptedException {
        console.printf(
                Locale.ROOT,
                "%d s of %d requests/s, fault %s, breaker %s ...%n",
                plan.seconds(),
                plan.requestsPerSecond(),
                DegradeReport.word(fault),
                breakerOn ? "on" : "off");
        DegradeRun run = DegradeRun.of(fault, breakerOn, plan.requestsPerSecond(), plan.length());
        Summary puts = Summary.of(run.between(plan.degradedFrom(), plan.degradedTo(), Sample.Operation.PUT), PATIENCE);
        console.printf(
                Locale.ROOT,
                "  PUTs while it was degraded: %.2f %% in time, p50 %.1f ms, p99 %.1f ms%n",
                100 * puts.inTimeRatio(),
                puts.p50Nanos() / 1e6,
                puts.p99Nanos() / 1e6);
        return run;
    }

    /** Of the system, over the last minute; negative where there is none. */
    private static double load() {
        return ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
    }
}
