package io.headgate.http;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;

/**
 * What became of a request, for the access log and the metrics.
 *
 * @param head the request's head; method, target and fields are empty as far as a refused head could not be read
 * @param requestId as sent to the client
 * @param receivedAt when the head had arrived
 * @param labels what the handler said of the request
 * @param status the status of the response, also when it could not be sent
 * @param receivedBytes bytes of the request's body that were taken from the client, without transfer coding
 * @param sentBytes bytes of the response's body that were handed to the network
 * @param timeToFirstByte from the head's arrival to the first byte of the response, if there was one, else to the failure
 * @param duration from the head's arrival to the last byte of the response, or to the failure
 * @param cutShort whether the exchange broke off: the client hung up or was cut off as too slow, or the response's source failed
 */
public record CompletedExchange(
        RequestHead head,
        String requestId,
        Instant receivedAt,
        Map<Exchange.Label, String> labels,
        int status,
        long receivedBytes,
        long sentBytes,
        Duration timeToFirstByte,
        Duration duration,
        boolean cutShort) {}
