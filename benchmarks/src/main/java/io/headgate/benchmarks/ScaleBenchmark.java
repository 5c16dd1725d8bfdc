package io.headgate.benchmarks;

import io.headgate.benchmarks.Sample.Operation;
import io.headgate.namespace.AccountUsage;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** How much several limited accounts take together, in requests and in bytes, and whether writes spread evenly. */
final class ScaleBenchmark {
    static final List<Integer> ACCOUNTS = List.of(1, 2, 4, 8);
    static final int OBJECT_BYTES = 16 << 10;
    static final int SMALL_BYTES = 1 << 10;

    /** Of what the accounts are to take together: the load that no client may see an error of, and the one that is too much. */
    static final double BELOW = 0.95;

    static final double ABOVE = 1.5;

    private static final Duration WARM_UP = Duration.ofSeconds(4);
    private static final int EVEN_ACCOUNTS = 8;
    private static final int EVEN_WRITERS = 32;

    /**
     * What is measured.
     *
     * @param rate requests/s that one account bears
     * @param seconds of each run
     * @param gateways more than one only with a database
     * @param database URL of an empty PostgreSQL database for each fleet, with {@code %d} for its number
     * @param writes over equal accounts
     */
    record Plan(int rate, int seconds, int gateways, Optional<String> database, int writes) {
        /** Of the report and its picture. */
        String reportName() {
            return gateways == 1 ? "scaling" : "scaling-" + gateways + "-gateways";
        }
    }

    /** What limits the accounts, and how much of it placement may use. */
    record Limit(boolean byBytes, double ratio) {
        static final List<Limit> ALL = List.of(new Limit(false, 0.8), new Limit(true, 0.8), new Limit(false, 1.0));

        /** Puts/s that one account is to take. */
        double putsPerSecond(int rate) {
            return ratio * rate;
        }

        /** In requests/s, or in bytes/s that are as many puts. */
        long perSecond(int rate) {
            return byBytes ? (long) rate * OBJECT_BYTES : rate;
        }
    }

    /**
     * What came of one number of accounts.
     *
     * @param promised puts/s: the number of accounts, times the ratio, times what one bears
     * @param sentBelow puts of the load below
     * @param errorsBelow of them, those that were not done
     * @param taken puts/s done of the load above
     * @param slowedDown puts of the load above answered 503 SlowDown
     * @param failed puts of either answered otherwise
     * @param throttled requests that the accounts answered 503, over both
     * @param mostOfLimit the most that an account took in any one second, over its limit
     */
    record Row(
            int accounts,
            double promised,
            long sentBelow,
            long errorsBelow,
            double taken,
            long slowedDown,
            long failed,
            long throttled,
            double mostOfLimit) {}

    /** The rows of a limit. */
    record Series(Limit limit, List<Row> rows) {}

    /** How many bytes the fullest and the emptiest account hold. */
    record Even(int accounts, int writes, long most, long least) {}

    /** Where and when it was measured. */
    record Machine(LocalDate date, int processors, String java, double load) {}

    private final Plan plan;
    private final PrintStream console;
    private int fleets;

    private ScaleBenchmark(Plan plan, PrintStream console) {
        this.plan = plan;
        this.console = console;
    }

    /** Runs it, and writes the report and its pictures to {@code out}. */
    static void run(Plan plan, Path out, PrintStream console) throws IOException, InterruptedException {
        ScaleBenchmark benchmark = new ScaleBenchmark(plan, console);
        console.println("warming up ...");
        benchmark.even(10_000);
        List<Series> all = new ArrayList<>();
        for (Limit limit : Limit.ALL) {
            List<Row> rows = new ArrayList<>();
            for (int accounts : ACCOUNTS) {
                rows.add(benchmark.row(limit, accounts));
            }
            all.add(new Series(limit, rows));
        }
        Even even = benchmark.even(plan.writes());
        Machine machine = new Machine(
                LocalDate.now(ZoneOffset.UTC),
                Runtime.getRuntime().availableProcessors(),
                Runtime.version().toString(),
                ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage());
        Path images = Files.createDirectories(out.resolve("images"));
        Files.writeString(images.resolve(plan.reportName() + ".svg"), ScaleReport.picture(plan, all));
        Path report = out.resolve(plan.reportName() + ".md");
        Files.writeString(report, ScaleReport.markdown(plan, all, even, machine));
        console.println("report in " + report);
    }

    private Row row(Limit limit, int accounts) throws IOException, InterruptedException {
        double promised = accounts * limit.putsPerSecond(plan.rate());
        try (Scratch scratch = Scratch.create();
                LimitedAccounts service = new LimitedAccounts(limit.byBytes(), limit.perSecond(plan.rate()));
                Fleet fleet = fleet(scratch.path(), remote(service, limits(limit), accounts), limit.ratio());
                PutClient warmUp = client(fleet);
                PutClient below = client(fleet);
                PutClient above = client(fleet)) {
            load(warmUp, BELOW * promised, WARM_UP);
            service.mostInASecond();
            long throttledBefore = service.throttled();
            List<Sample> few = load(below, BELOW * promised, Duration.ofSeconds(plan.seconds()));
            // Its first seconds, until the load is that of a second, do not count.
            List<Sample> many = load(above, ABOVE * promised, WARM_UP.plusSeconds(plan.seconds()));
            long taken = many.stream()
                    .filter(sample -> sample.succeeded() && sample.intendedNanos() >= WARM_UP.toNanos())
                    .count();
            Row row = new Row(
                    accounts,
                    promised,
                    few.size(),
                    few.stream().filter(sample -> !sample.succeeded()).count(),
                    (double) taken / plan.seconds(),
                    above.slowedDown(),
                    below.failed() + above.failed(),
                    service.throttled() - throttledBefore,
                    (double) service.mostInASecond() / limit.perSecond(plan.rate()));
            console.printf(
                    Locale.ROOT,
                    "%s, ratio %.1f, %d accounts: promised %.0f/s; below %d of %d failed; above %.1f/s = %.3f; %s%n",
                    limit.byBytes() ? "bytes" : "requests",
                    limit.ratio(),
                    accounts,
                    promised,
                    row.errorsBelow(),
                    row.sentBelow(),
                    row.taken(),
                    row.taken() / promised,
                    row);
            return row;
        }
    }

    private static List<Sample> load(PutClient client, double putsPerSecond, Duration length)
            throws InterruptedException {
        return OpenLoad.run(client, (int) Math.round(putsPerSecond), length, System.nanoTime());
    }

    private static PutClient client(Fleet fleet) {
        return new PutClient(fleet.addresses(), OBJECT_BYTES, Instant.now());
    }

    private Fleet fleet(Path directory, String shards, double ratio) throws IOException {
        int number = fleets++;
        return new Fleet(
                directory,
                plan.gateways(),
                plan.database().map(url -> url.formatted(number)),
                shards,
                Map.of(
                        "HEADGATE_PLACEMENT_MAX_REQUEST_RATIO", Double.toString(ratio),
                        "HEADGATE_PLACEMENT_MAX_BYTE_RATE_RATIO", Double.toString(ratio),
                        "HEADGATE_ORPHANS_DELAY", "1d"));
    }

    private String limits(Limit limit) {
        return limit.byBytes()
                ? "\"ingress_per_second\": \"" + limit.perSecond(plan.rate()) + "B\""
                : "\"requests_per_second\": " + limit.perSecond(plan.rate());
    }

    private static String remote(LimitedAccounts service, String limits, int accounts) {
        return IntStream.rangeClosed(1, accounts)
                .mapToObj(n -> ("{\"name\": \"account-%d\", \"type\": \"s3\", \"endpoint\": \"http://127.0.0.1:%d\","
                                + " \"bucket\": \"account-%d\", \"path_style\": true, \"access_key\": \"%s\","
                                + " \"secret_key\": \"%s\", \"limits\": {%s}}")
                        .formatted(
                                n,
                                service.address().getPort(),
                                n,
                                ClientSignature.ACCESS_KEY,
                                ClientSignature.SECRET,
                                limits))
                .collect(Collectors.joining(", ", "[", "]"));
    }

    /** Writes small objects over equal accounts without limits, as fast as it goes. */
    private Even even(int writes) throws IOException, InterruptedException {
        try (Scratch scratch = Scratch.create();
                LimitedAccounts service = new LimitedAccounts(false, Long.MAX_VALUE);
                Fleet fleet = fleet(scratch.path(), remote(service, "", EVEN_ACCOUNTS), 1.0);
                PutClient client = new PutClient(fleet.addresses(), SMALL_BYTES, Instant.now())) {
            write(client, writes);
            LongSummaryStatistics held = fleet.namespace().accountUsage().values().stream()
                    .mapToLong(AccountUsage::liveBytes)
                    .summaryStatistics();
            Even even = new Even(EVEN_ACCOUNTS, writes, held.getMax(), held.getMin());
            console.println(even);
            return even;
        }
    }

    private static void write(PutClient client, int writes) throws InterruptedException {
        List<Future<?>> writers = new ArrayList<>();
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int i = 0; i < EVEN_WRITERS; i++) {
                int first = i;
                writers.add(threads.submit(() -> {
                    for (int n = first; n < writes; n += EVEN_WRITERS) {
                        if (!client.send(Operation.PUT, n)) {
                            throw new IllegalStateException("a gateway without limits failed a put");
                        }
                    }
                    return true;
                }));
            }
            for (Future<?> writer : writers) {
                writer.get();
            }
        } catch (ExecutionException failed) {
            throw new IllegalStateException(failed);
        }
    }
}
