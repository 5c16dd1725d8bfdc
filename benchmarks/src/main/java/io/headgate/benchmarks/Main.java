package io.headgate.benchmarks;

import io.headgate.benchmarks.Flags.UsageException;
import io.headgate.namespace.postgres.PostgresOptions;
import io.headgate.namespace.redis.RedisOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Runs the benchmark that the arguments name. */
public final class Main {
    private static final int FAILED = 1;
    private static final int WRONG_USAGE = 2;
    private static final String USAGE = """
            Usage: headgate bench BENCHMARK

              headgate bench degrade [--seconds N] [--rate R] [--fault slow|errors|both] [--out DIR]
                  What clients see while one account of three degrades, circuit breaker on against off:
                  N seconds a run at R requests a second; writes a report with pictures to DIR
              headgate bench list [--small N] [--large N] [--rounds N] [--pages N]
                  What a page of 1,000 keys costs in a small bucket and in a large one
              headgate bench database --hosts HOST:PORT --database NAME --user NAME [--pools 2,4,8,16,32]
                    [--callers N] [--buckets N] [--gateways N] [--seconds N] [--rounds N]
                  What the engine postgres does a second, in one bucket and in many, by size of its pool;
                  the password is in HEADGATE_BENCH_PASSWORD; buckets named bench-* stay in the database
              headgate bench engines [--postgres URL] [--redis URL] [--callers 1,16,128] [--objects N] [--seconds N] [--rounds N]
                  The engines side by side, as the gateway calls them and as S3 clients see them; the URLs are those of
                  namespace.url, of an empty database and an empty cluster. Nothing is flushed by sqlite
              headgate bench ranges --redis HOST:PORT[,HOST:PORT...] [--objects N] [--ranges 1,8,64] [--seconds N] [--rounds N]
                  Pages of a bucket in one range and in many, clients while ranges are split, and where keys go that come in
                  the order of time; of an empty cluster, in which buckets named bench-* stay
              headgate bench overhead --redis HOST:PORT [--objects N] [--rounds N]
                  What the engine redis adds to the functions that it calls; of an empty cluster of one master, in which
                  a bucket named bench-* stays
              headgate bench hop [--callers 1,16] [--seconds N] [--rounds N]
                  Objects of 4 KiB and 64 MiB, asked of their region and through another one, in this process
              headgate bench scale [--rate R] [--seconds N] [--gateways G --database URL] [--writes N] [--out DIR]
                  What 1, 2, 4 and 8 accounts of R requests a second each take together, N seconds a run; how evenly N
                  writes spread; writes a report with a picture to DIR. The URL is that of an empty PostgreSQL database
                  for each fleet, with %d for its number, from 0
              headgate bench jmh [ARGUMENT...]
                  The JMH benchmarks of single classes; the arguments are JMH's
            """;

    private Main() {}

    /** Exits with 0 when the benchmark is done, 1 if it failed, 2 if the arguments are wrong. */
    public static void main(String[] arguments) {
        // The accounts fail on purpose, and each failure is a warning in the gateway's log.
        System.setProperty("org.slf4j.simpleLogger.defaultLogLevel", "error");
        System.exit(run(List.of(arguments)));
    }

    private static int run(List<String> words) {
        if (words.isEmpty() || words.contains("--help")) {
            System.out.print(USAGE);
            return words.isEmpty() ? WRONG_USAGE : 0;
        }
        List<String> rest = words.subList(1, words.size());
        try {
            switch (words.getFirst()) {
                case "degrade" -> degrade(rest);
                case "list" -> list(rest);
                case "database" -> database(rest);
                case "engines" -> engines(rest);
                case "ranges" -> ranges(rest);
                case "overhead" -> overhead(rest);
                case "hop" -> hop(rest);
                case "scale" -> scale(rest);
                case "jmh" -> org.openjdk.jmh.Main.main(rest.toArray(String[]::new));
                default ->
                    throw new UsageException(words.getFirst() + ": no such benchmark; see headgate bench --help");
            }
            return 0;
        } catch (UsageException wrong) {
            System.err.println("headgate bench: " + wrong.getMessage());
            return WRONG_USAGE;
        } catch (IOException failed) {
            System.err.println("headgate bench: " + failed);
            return FAILED;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return FAILED;
        }
    }

    private static void degrade(List<String> words) throws UsageException, IOException, InterruptedException {
        Flags flags = Flags.parse(words, Set.of("--seconds", "--rate", "--fault", "--out"));
        List<FaultyAccount.Fault> faults = switch (flags.text("--fault", "both")) {
            case "slow" -> List.of(FaultyAccount.Fault.SLOW);
            case "errors" -> List.of(FaultyAccount.Fault.ERRORS);
            case "both" -> List.of(FaultyAccount.Fault.SLOW, FaultyAccount.Fault.ERRORS);
            default -> throw new UsageException("--fault: slow, errors or both");
        };
        DegradeBenchmark.run(
                new DegradeBenchmark.Plan(
                        flags.number("--seconds", 60, 3, 3600), flags.number("--rate", 120, 6, 2000), faults),
                Path.of(flags.text("--out", "bench-degrade")),
                System.out);
    }

    private static void list(List<String> words) throws UsageException, IOException, InterruptedException {
        Flags flags = Flags.parse(words, Set.of("--small", "--large", "--rounds", "--pages"));
        ListBenchmark.run(
                new ListBenchmark.Plan(
                        flags.number("--small", 10_000, 2_000, 10_000_000),
                        flags.number("--large", 1_000_000, 2_000, 10_000_000),
                        flags.number("--rounds", 15, 1, 1_000),
                        flags.number("--pages", 100, 1, 100_000)),
                System.out);
    }

    private static void database(List<String> words) throws UsageException, InterruptedException {
        Flags flags = Flags.parse(
                words,
                Set.of(
                        "--hosts",
                        "--database",
                        "--user",
                        "--pools",
                        "--callers",
                        "--buckets",
                        "--gateways",
                        "--seconds",
                        "--rounds"));
        PostgresOptions options = PostgresOptions.defaults(
                flags.text("--hosts", "127.0.0.1:5432"),
                flags.text("--database", "headgate"),
                flags.text("--user", "headgate"));
        String password = System.getenv("HEADGATE_BENCH_PASSWORD");
        DatabaseBenchmark.run(
                new DatabaseBenchmark.Plan(
                        password == null ? options : options.withPassword(password),
                        flags.numbers("--pools", "2,4,8,16,32", 2, 1_000),
                        flags.number("--callers", 128, 1, 10_000),
                        flags.number("--buckets", 64, 2, 1_000),
                        flags.number("--gateways", 1, 1, 32),
                        flags.number("--seconds", 3, 1, 600),
                        flags.number("--rounds", 3, 1, 100)),
                System.out);
    }

    private static void engines(List<String> words) throws UsageException, IOException, InterruptedException {
        Flags flags =
                Flags.parse(words, Set.of("--postgres", "--redis", "--callers", "--objects", "--seconds", "--rounds"));
        Map<String, String> urls = new LinkedHashMap<>();
        for (String engine : List.of("postgres", "redis")) {
            String url = flags.text("--" + engine, "");
            if (!url.isEmpty()) {
                urls.put(engine, url);
            }
        }
        EnginesBenchmark.run(
                new EnginesBenchmark.Plan(
                        urls,
                        flags.numbers("--callers", "1,16,128", 1, 10_000),
                        flags.number("--objects", 100_000, 10_000, 10_000_000),
                        flags.number("--seconds", 3, 1, 600),
                        flags.number("--rounds", 3, 1, 100)),
                System.out);
    }

    private static void hop(List<String> words) throws UsageException, IOException, InterruptedException {
        Flags flags = Flags.parse(words, Set.of("--callers", "--seconds", "--rounds"));
        HopBenchmark.run(
                new HopBenchmark.Plan(
                        flags.numbers("--callers", "1,16", 1, 1_000),
                        flags.number("--seconds", 3, 1, 600),
                        flags.number("--rounds", 3, 1, 100)),
                System.out);
    }

    private static void ranges(List<String> words) throws UsageException, InterruptedException {
        Flags flags = Flags.parse(words, Set.of("--redis", "--objects", "--ranges", "--seconds", "--rounds"));
        RangesBenchmark.run(
                new RangesBenchmark.Plan(
                        cluster(flags),
                        flags.number("--objects", 1_000_000, 10_000, 100_000_000),
                        flags.numbers("--ranges", "1,8,64", 1, 1_000),
                        flags.number("--seconds", 3, 1, 600),
                        flags.number("--rounds", 3, 1, 100)),
                System.out);
    }

    private static void overhead(List<String> words) throws UsageException, IOException {
        Flags flags = Flags.parse(words, Set.of("--redis", "--objects", "--rounds"));
        OverheadBenchmark.run(
                cluster(flags),
                flags.number("--objects", 100_000, 2_000, 10_000_000),
                flags.number("--rounds", 50, 1, 10_000),
                System.out);
    }

    private static RedisOptions cluster(Flags flags) throws UsageException {
        List<RedisOptions.Node> nodes = new ArrayList<>();
        for (String node : flags.text("--redis", "127.0.0.1:7000").split(",", -1)) {
            int colon = node.lastIndexOf(':');
            if (colon < 1 || !node.substring(colon + 1).matches("[0-9]{1,5}")) {
                throw new UsageException("--redis: HOST:PORT,HOST:PORT...");
            }
            nodes.add(new RedisOptions.Node(node.substring(0, colon), Integer.parseInt(node.substring(colon + 1))));
        }
        return new RedisOptions(nodes, false, null, null, Duration.ofSeconds(30), 1);
    }

    private static void scale(List<String> words) throws UsageException, IOException, InterruptedException {
        Flags flags =
                Flags.parse(words, Set.of("--rate", "--seconds", "--gateways", "--database", "--writes", "--out"));
        String database = flags.text("--database", "");
        int gateways = flags.number("--gateways", 1, 1, 16);
        if (gateways > 1 && database.isEmpty()) {
            throw new UsageException("--gateways: several share a --database");
        }
        ScaleBenchmark.run(
                new ScaleBenchmark.Plan(
                        flags.number("--rate", 100, 10, 10_000),
                        flags.number("--seconds", 20, 3, 3600),
                        gateways,
                        Optional.of(database).filter(url -> !url.isEmpty()),
                        flags.number("--writes", 100_000, 1_000, 10_000_000)),
                Path.of(flags.text("--out", "bench-scale")),
                System.out);
    }
}
