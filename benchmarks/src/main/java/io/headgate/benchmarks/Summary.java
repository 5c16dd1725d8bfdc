package io.headgate.benchmarks;

import io.headgate.benchmarks.Sample.Operation;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Requests in figures.
 *
 * @param sent how many
 * @param succeeded how many of them were answered as asked
 * @param inTime how many of these within the client's patience
 * @param p50Nanos the median latency, failures included; 0 if nothing was sent
 * @param p99Nanos the latency that 99 % did not exceed
 * @param maxNanos the longest
 */
record Summary(int sent, int succeeded, int inTime, long p50Nanos, long p99Nanos, long maxNanos) {
    static Summary of(List<Sample> samples, Duration patience) {
        long[] latencies =
                samples.stream().mapToLong(Sample::latencyNanos).sorted().toArray();
        long succeeded = samples.stream().filter(Sample::succeeded).count();
        long inTime = samples.stream()
                .filter(sample -> sample.succeeded() && sample.latencyNanos() <= patience.toNanos())
                .count();
        return new Summary(
                samples.size(),
                (int) succeeded,
                (int) inTime,
                percentile(latencies, 0.50),
                percentile(latencies, 0.99),
                latencies.length == 0 ? 0 : latencies[latencies.length - 1]);
    }

    /** A summary for each second of the load, by the time at which requests were to be sent. */
    static List<Summary> perSecond(List<Sample> samples, Operation operation, int seconds, Duration patience) {
        List<List<Sample>> bySecond = new ArrayList<>();
        for (int second = 0; second < seconds; second++) {
            bySecond.add(new ArrayList<>());
        }
        for (Sample sample : samples) {
            int second = (int) TimeUnit.NANOSECONDS.toSeconds(sample.intendedNanos());
            if (sample.operation() == operation && second < seconds) {
                bySecond.get(second).add(sample);
            }
        }
        return bySecond.stream().map(of -> Summary.of(of, patience)).toList();
    }

    /** Of those answered as asked within the client's patience, 0 to 1; 1 if nothing was sent. */
    double inTimeRatio() {
        return sent == 0 ? 1 : (double) inTime / sent;
    }

    /**
     * The least value that the given share of the values does not exceed (nearest rank); 0 of none.
     *
     * @param ascending sorted values
     * @param share above 0, to 1
     */
    static long percentile(long[] ascending, double share) {
        if (!(share > 0 && share <= 1)) {
            throw new IllegalArgumentException("share " + share);
        }
        if (ascending.length == 0) {
            return 0;
        }
        // Rounded first: 0.99 * 100 is a little more than 99.
        int rank = (int) Math.ceil(Math.round(share * ascending.length * 1e6) / 1e6);
        return ascending[rank - 1];
    }

    /** The median of values in any order. */
    static long median(long[] values) {
        long[] sorted = values.clone();
        Arrays.sort(sorted);
        return percentile(sorted, 0.50);
    }
}
