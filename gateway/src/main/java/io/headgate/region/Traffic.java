package io.headgate.region;

/**
 * What has gone to a region since the start.
 *
 * @param requests all, also those that failed
 * @param failures those that no gateway of the region answered
 * @param misdirected those for a bucket that is not the region's
 * @param sentBytes of bodies, with their framing
 * @param receivedBytes of bodies
 * @param answers those that were answered, whatever the answer
 * @param answerNanos the time to the heads of these, added up
 */
public record Traffic(
        String region,
        long requests,
        long failures,
        long misdirected,
        long sentBytes,
        long receivedBytes,
        long answers,
        long answerNanos) {}
