package io.headgate.benchmarks;

import io.headgate.benchmarks.ScaleBenchmark.Even;
import io.headgate.benchmarks.ScaleBenchmark.Limit;
import io.headgate.benchmarks.ScaleBenchmark.Machine;
import io.headgate.benchmarks.ScaleBenchmark.Plan;
import io.headgate.benchmarks.ScaleBenchmark.Row;
import io.headgate.benchmarks.ScaleBenchmark.Series;
import java.util.List;
import java.util.Locale;

/** The report of the benchmark {@code scale}, from its figures alone. */
final class ScaleReport {
    private static final int WIDTH = 860;
    private static final int HEIGHT = 400;
    private static final int LEFT = 64;
    private static final int BOTTOM = 340;
    private static final int PLOT_HEIGHT = 260;
    private static final int GROUP = 190;
    private static final int BAR = 44;

    private static final String STYLE = """
            <style>
            text { font: 12px system-ui, sans-serif; fill: #1f2328 }
            .title { font-size: 15px; font-weight: 600 }
            .dim { fill: #59636e }
            .page { fill: #ffffff }
            .grid { stroke: #d1d9e0 }
            .s0 { fill: #0969da } .s1 { fill: #1a7f37 } .s2 { fill: #8250df }
            .promise { stroke: #bc4c00; stroke-width: 2.2 }
            @media (prefers-color-scheme: dark) {
            text { fill: #f0f6fc } .dim { fill: #9198a1 } .page { fill: #0d1117 } .grid { stroke: #3d444d }
            .s0 { fill: #4493f8 } .s1 { fill: #3fb950 } .s2 { fill: #ab7df8 } .promise { stroke: #f0883e }
            }
            </style>
            """;

    private ScaleReport() {}

    static String markdown(Plan plan, List<Series> all, Even even, Machine machine) {
        StringBuilder page = new StringBuilder();
        add(
                page,
                """
                # Scaling

                A storage account has ceilings. Headgate's promise is that N accounts have N times as high ones: here are 1, 2, 4 and 8 accounts
                that each bear %d requests/s, or as many bytes/s as %d writes of %d KiB, and answer 503 to whatever is more in any one second.
                Placement may use 0.8 of that, and in the last runs all of it.

                ![Writes a second that 1, 2, 4 and 8 accounts take](images/%s.svg)

                Each row is a fresh fleet of %s under two loads, %d s each, sent at a fixed rate whatever the answers: one of %.2f of what is
                promised, of which no client may see an error; and one of %.1f times that, of which the accounts must take at least 0.95 of what is
                promised, while the rest is told to slow down.
                """,
                plan.rate(),
                plan.rate(),
                ScaleBenchmark.OBJECT_BYTES >> 10,
                plan.reportName(),
                fleet(plan),
                plan.seconds(),
                ScaleBenchmark.BELOW,
                ScaleBenchmark.ABOVE);
        for (Series series : all) {
            table(page, series);
        }
        add(
                page,
                """

                ## Even

                %,d writes of %d KiB over %d equal accounts without limits: the fullest holds %,d bytes, the emptiest %,d, which is %.2f %%
                less. Drawn at random alone, 8 accounts would part by about 2.5 %%, and 16 by more than 4 %%
                ([decision 14](decisions/0014-placement-draws-evenly.md)).

                ## Measured

                On %s, %d processors, Java %s, all in one process: clients, gateways, and the accounts behind HTTP. Load of the machine: %.1f.

                ```sh
                headgate bench scale --rate %d --seconds %d --writes %d%s --out docs
                ```
                """,
                even.writes(),
                ScaleBenchmark.SMALL_BYTES >> 10,
                even.accounts(),
                even.most(),
                even.least(),
                100.0 * (even.most() - even.least()) / even.most(),
                machine.date(),
                machine.processors(),
                machine.java(),
                machine.load(),
                plan.rate(),
                plan.seconds(),
                plan.writes(),
                plan.database().isPresent()
                        ? " --gateways " + plan.gateways() + " --database 'postgresql://…/bench%d'"
                        : "");
        return page.toString();
    }

    private static String fleet(Plan plan) {
        return plan.gateways() == 1 ? "one gateway" : plan.gateways() + " gateways over one PostgreSQL database";
    }

    private static void table(StringBuilder page, Series series) {
        add(page, """

                ## %s

                | accounts | promised, writes/s | errors below | taken above, writes/s | of what is promised | slowed down | other errors | 503s of the accounts | most in a second, of the limit |
                |---|---|---|---|---|---|---|---|---|
                """, title(series.limit()));
        for (Row row : series.rows()) {
            add(
                    page,
                    "| %d | %.0f | %d of %d | %.1f | **%.3f** | %d | %d | %d | %.2f |%n",
                    row.accounts(),
                    row.promised(),
                    row.errorsBelow(),
                    row.sentBelow(),
                    row.taken(),
                    row.taken() / row.promised(),
                    row.slowedDown(),
                    row.failed(),
                    row.throttled(),
                    row.mostOfLimit());
        }
    }

    private static String title(Limit limit) {
        return "Limited by %s, of which placement uses %s"
                .formatted(limit.byBytes() ? "bytes" : "requests", limit.ratio() < 1 ? limit.ratio() : "all");
    }

    /** Bars of what was taken, and a line across each of what is promised. */
    static String picture(Plan plan, List<Series> all) {
        double top = all.stream()
                        .flatMap(series -> series.rows().stream())
                        .mapToDouble(row -> Math.max(row.promised(), row.taken()))
                        .max()
                        .orElse(1)
                * 1.08;
        StringBuilder svg = new StringBuilder();
        add(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">%n",
                WIDTH,
                HEIGHT,
                WIDTH,
                HEIGHT);
        String title = "Writes a second that accounts of %d requests/s each take together".formatted(plan.rate());
        add(
                svg,
                "<title>%s</title>%n%s<rect class=\"page\" width=\"%d\" height=\"%d\"/>%n",
                title,
                STYLE,
                WIDTH,
                HEIGHT);
        text(svg, "title", LEFT, 24, "start", title);
        for (int i = 0; i < all.size(); i++) {
            int x = LEFT + i * 260;
            add(svg, "<rect class=\"s%d\" x=\"%d\" y=\"38\" width=\"12\" height=\"12\"/>%n", i, x);
            text(svg, "dim", x + 18, 48, "start", title(all.get(i).limit()).replace("Limited by ", ""));
        }
        for (int quarter = 0; quarter <= 4; quarter++) {
            double y = BOTTOM - quarter * PLOT_HEIGHT / 4.0;
            add(svg, "<line class=\"grid\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>%n", LEFT, WIDTH - 20, y, y);
            text(svg, "dim", LEFT - 8, y + 4, "end", "%.0f".formatted(top * quarter / 4));
        }
        for (int i = 0; i < all.size(); i++) {
            List<Row> rows = all.get(i).rows();
            for (int group = 0; group < rows.size(); group++) {
                bar(svg, i, LEFT + 24 + group * GROUP + i * (BAR + 6), rows.get(group), top);
            }
        }
        for (int group = 0; group < ScaleBenchmark.ACCOUNTS.size(); group++) {
            int accounts = ScaleBenchmark.ACCOUNTS.get(group);
            text(
                    svg,
                    "",
                    LEFT + 96 + group * GROUP,
                    BOTTOM + 22,
                    "middle",
                    accounts == 1 ? "1 account" : accounts + " accounts");
        }
        text(
                svg,
                "dim",
                LEFT,
                HEIGHT - 12,
                "start",
                "Across each bar: what is promised, the accounts times what placement uses of one.");
        return svg.append("</svg>\n").toString();
    }

    private static void bar(StringBuilder svg, int series, int x, Row row, double top) {
        double height = PLOT_HEIGHT * row.taken() / top;
        double promise = BOTTOM - PLOT_HEIGHT * row.promised() / top;
        add(
                svg,
                "<rect class=\"s%d\" x=\"%d\" y=\"%.1f\" width=\"%d\" height=\"%.1f\"/>%n",
                series,
                x,
                BOTTOM - height,
                BAR,
                height);
        add(
                svg,
                "<line class=\"promise\" x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\"/>%n",
                x - 3,
                x + BAR + 3,
                promise,
                promise);
        text(svg, "", x + BAR / 2.0, Math.min(BOTTOM - height, promise) - 6, "middle", "%.0f".formatted(row.taken()));
    }

    private static void text(StringBuilder svg, String style, double x, double y, String anchor, String words) {
        add(svg, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", style, x, y, anchor, words);
    }

    private static void add(StringBuilder text, String format, Object... arguments) {
        text.append(String.format(Locale.ROOT, format, arguments));
    }
}
