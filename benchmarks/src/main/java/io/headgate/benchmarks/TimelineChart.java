package io.headgate.benchmarks;

import java.util.List;
import java.util.Locale;

/**
 * An SVG picture of two runs over the same time: the share of requests answered in time above, latency on a logarithmic scale below, and
 * between them when the breaker kept the account out. Its colours follow the reader's light or dark scheme, and it brings its own
 * background, so that it can be read on any page.
 *
 * @param from when the account began to degrade, in seconds
 * @param to when it had recovered
 */
record TimelineChart(String title, double from, double to, Line on, Line off, List<Span> breakerOpen) {
    private static final int WIDTH = 860;
    private static final int LEFT = 64;
    private static final int RIGHT = 20;
    private static final int RATIO_TOP = 84;
    private static final int PANEL_HEIGHT = 140;
    private static final int STRIP_TOP = RATIO_TOP + PANEL_HEIGHT + 12;
    private static final int STRIP_HEIGHT = 10;
    private static final int LATENCY_TOP = STRIP_TOP + STRIP_HEIGHT + 42;
    private static final int HEIGHT = LATENCY_TOP + PANEL_HEIGHT + 44;
    private static final int[] RATIO_TICKS = {0, 25, 50, 75, 100};

    private static final String STYLE = """
            <style>
            text { font: 12px system-ui, sans-serif; fill: #1f2328 }
            .title { font-size: 15px; font-weight: 600 }
            .dim { fill: #59636e }
            .page { fill: #ffffff }
            .grid { stroke: #d1d9e0 }
            .degraded { fill: #9a6700; fill-opacity: .13 }
            .on { stroke: #0969da } .bar { fill: #0969da }
            .off { stroke: #bc4c00; stroke-dasharray: 6 3 }
            .on, .off { fill: none; stroke-width: 2.2; stroke-linejoin: round }
            @media (prefers-color-scheme: dark) {
            text { fill: #f0f6fc }
            .dim { fill: #9198a1 }
            .page { fill: #0d1117 }
            .grid { stroke: #3d444d }
            .degraded { fill: #d29922; fill-opacity: .2 }
            .on { stroke: #4493f8 } .bar { fill: #4493f8 }
            .off { stroke: #f0883e }
            }
            </style>
            """;

    /**
     * One run, second by second.
     *
     * @param ratios 0 to 1
     * @param millis positive
     */
    record Line(List<Double> ratios, List<Double> millis) {}

    /** In seconds. */
    record Span(double from, double to) {}

    /** The whole file. */
    String svg() {
        StringBuilder svg = new StringBuilder();
        add(
                svg,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">%n",
                WIDTH,
                HEIGHT,
                WIDTH,
                HEIGHT);
        add(svg, "<title>%s</title>%n", title);
        svg.append(STYLE);
        add(svg, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>%n", WIDTH, HEIGHT);
        text(svg, "title", LEFT, 24, "start", title);
        legend(svg);
        text(svg, "dim", LEFT, RATIO_TOP - 8, "start", "PUTs answered in time, % of each second");
        shade(svg, RATIO_TOP);
        for (int tick : RATIO_TICKS) {
            gridLine(svg, ratioY(tick / 100.0), String.valueOf(tick));
        }
        line(svg, "off", off.ratios().stream().map(TimelineChart::ratioY).toList());
        line(svg, "on", on.ratios().stream().map(TimelineChart::ratioY).toList());
        strip(svg);
        latencies(svg);
        times(svg);
        return svg.append("</svg>\n").toString();
    }

    private void legend(StringBuilder svg) {
        add(svg, "<path class=\"on\" d=\"M%d 46h28\"/>%n", LEFT);
        text(svg, "", LEFT + 34, 50, "start", "breaker on");
        add(svg, "<path class=\"off\" d=\"M%d 46h28\"/>%n", LEFT + 124);
        text(svg, "", LEFT + 158, 50, "start", "breaker off");
        add(svg, "<rect class=\"degraded\" x=\"%d\" y=\"38\" width=\"28\" height=\"16\"/>%n", LEFT + 250);
        text(svg, "", LEFT + 284, 50, "start", "one account of three degraded");
        add(svg, "<rect class=\"bar\" x=\"%d\" y=\"41\" width=\"28\" height=\"%d\"/>%n", LEFT + 490, STRIP_HEIGHT);
        text(svg, "", LEFT + 524, 50, "start", "breaker open or half open");
    }

    private void strip(StringBuilder svg) {
        add(
                svg,
                "<rect class=\"grid\" fill=\"none\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>%n",
                LEFT,
                STRIP_TOP,
                WIDTH - LEFT - RIGHT,
                STRIP_HEIGHT);
        for (Span span : breakerOpen) {
            double begin = x(span.from());
            add(
                    svg,
                    "<rect class=\"bar\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>%n",
                    begin,
                    STRIP_TOP,
                    x(span.to()) - begin,
                    STRIP_HEIGHT);
        }
    }

    private void latencies(StringBuilder svg) {
        int decades = decades();
        text(svg, "dim", LEFT, LATENCY_TOP - 8, "start", "PUT latency, 99th percentile of each second, ms");
        shade(svg, LATENCY_TOP);
        for (int decade = 0; decade <= decades; decade++) {
            double millis = Math.pow(10, decade);
            gridLine(svg, latencyY(millis, decades), String.format(Locale.ROOT, "%,.0f", millis));
        }
        line(svg, "off", off.millis().stream().map(ms -> latencyY(ms, decades)).toList());
        line(svg, "on", on.millis().stream().map(ms -> latencyY(ms, decades)).toList());
    }

    private void times(StringBuilder svg) {
        int seconds = seconds();
        int step = Math.max(1, (seconds + 6) / 12);
        step = step > 5 ? (step + 4) / 5 * 5 : step;
        int bottom = LATENCY_TOP + PANEL_HEIGHT;
        for (int second = 0; second <= seconds; second += step) {
            text(svg, "dim", x(second), bottom + 18, "middle", String.valueOf(second));
        }
        text(svg, "dim", WIDTH - RIGHT, bottom + 36, "end", "seconds");
    }

    private void shade(StringBuilder svg, int top) {
        add(
                svg,
                "<rect class=\"degraded\" x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\"/>%n",
                x(from),
                top,
                x(to) - x(from),
                PANEL_HEIGHT);
    }

    private static void gridLine(StringBuilder svg, double y, String label) {
        add(svg, "<path class=\"grid\" d=\"M%d %.1fH%d\"/>%n", LEFT, y, WIDTH - RIGHT);
        text(svg, "dim", LEFT - 8, y + 4, "end", label);
    }

    /** Through the middle of each second. */
    private void line(StringBuilder svg, String name, List<Double> heights) {
        add(svg, "<polyline class=\"%s\" points=\"", name);
        for (int second = 0; second < heights.size(); second++) {
            add(svg, "%.1f,%.1f ", x(second + 0.5), heights.get(second));
        }
        add(svg, "\"/>%n");
    }

    private int seconds() {
        return on.ratios().size();
    }

    private double x(double second) {
        double inside = Math.clamp(second / seconds(), 0, 1);
        return LEFT + inside * (WIDTH - LEFT - RIGHT);
    }

    private static double ratioY(double ratio) {
        return RATIO_TOP + (1 - ratio) * PANEL_HEIGHT;
    }

    /** From 1 ms up, as many powers of ten as hold every latency. */
    private int decades() {
        double longest = Math.max(longest(on), longest(off));
        return (int) Math.clamp(Math.ceil(Math.log10(longest)), 1, 6);
    }

    private static double longest(Line line) {
        return line.millis().stream().mapToDouble(Double::doubleValue).max().orElse(1);
    }

    private static double latencyY(double millis, int decades) {
        double height = Math.clamp(Math.log10(Math.max(1, millis)) / decades, 0, 1);
        return LATENCY_TOP + (1 - height) * PANEL_HEIGHT;
    }

    private static void text(StringBuilder svg, String name, double x, double y, String anchor, String words) {
        add(svg, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\">%s</text>%n", name, x, y, anchor, words);
    }

    private static void add(StringBuilder svg, String format, Object... values) {
        svg.append(String.format(Locale.ROOT, format, values));
    }
}
