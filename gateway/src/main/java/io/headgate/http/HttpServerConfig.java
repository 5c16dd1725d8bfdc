package io.headgate.http;

import java.time.Duration;
import java.util.function.Consumer;

/**
 * What the HTTP server listens on and the bounds it puts on its clients.
 *
 * @param host the address to listen on
 * @param port the port to listen on; 0 picks a free one
 * @param virtualThreadSelectors whether the selectors run on virtual threads too (less CPU from a few connections up) or on a pool of
 *     platform threads, where only the handlers are virtual
 * @param idleTimeout after this long without a byte a silent connection, a stalled body and an unread response are cut; 75 s by default,
 *     more than the 60 s after which SDKs drop an idle connection of theirs, so that they never send into one that is being closed
 * @param headTimeout how long a request's head may take from its first byte to its last
 * @param minBytesPerSecond the least rate of a body in either direction, over the time spent waiting for the client; 0 for none
 * @param minRateGrace the waiting time over which the least rate is taken; the first such span is free of judgement
 * @param maxConnections connections open at once; more wait in the listen backlog, and silent ones are then closed after 10 s
 * @param maxHeadBytes bytes of request line and header fields. 32 KiB: S3 allows 8 KiB of header fields, a session token may have
 *     some KiB more, and a presigned target can carry a key of 1,024 bytes percent-encoded beside a token
 * @param maxHeaderFields header fields of a request
 * @param maxTargetBytes bytes of the request target
 * @param copyBufferBytes how much of a streamed response is read and written at a time
 * @param maxCopyBuffers how many buffers of that size are in use at once; further responses stream through 8 KiB buffers
 */
public record HttpServerConfig(
        String host,
        int port,
        boolean virtualThreadSelectors,
        Duration idleTimeout,
        Duration headTimeout,
        long minBytesPerSecond,
        Duration minRateGrace,
        int maxConnections,
        int maxHeadBytes,
        int maxHeaderFields,
        int maxTargetBytes,
        int copyBufferBytes,
        int maxCopyBuffers) {

    /** The defaults for an address. */
    public static HttpServerConfig listeningOn(String host, int port) {
        return new HttpServerConfig(
                host,
                port,
                true,
                Duration.ofSeconds(75),
                Duration.ofSeconds(20),
                1024,
                Duration.ofSeconds(30),
                4096,
                32 * 1024,
                200,
                16 * 1024,
                128 * 1024,
                256);
    }

    public HttpServerConfig {
        require(port >= 0 && port <= 65_535, "port");
        require(idleTimeout.isPositive(), "idleTimeout");
        require(headTimeout.isPositive(), "headTimeout");
        require(minBytesPerSecond >= 0, "minBytesPerSecond");
        require(minRateGrace.isPositive(), "minRateGrace");
        require(maxConnections > 0, "maxConnections");
        require(maxHeadBytes >= 1024 && maxHeadBytes <= ServerConnection.INPUT_BUFFER_BYTES, "maxHeadBytes");
        require(maxHeaderFields > 0, "maxHeaderFields");
        require(maxTargetBytes > 0, "maxTargetBytes");
        require(copyBufferBytes >= CopyBuffers.SMALL_BYTES, "copyBufferBytes");
        require(maxCopyBuffers >= 0, "maxCopyBuffers");
    }

    public HttpServerConfig withVirtualThreadSelectors(boolean value) {
        return changed(config -> config.virtualThreadSelectors = value);
    }

    public HttpServerConfig withTimeouts(Duration idle, Duration head) {
        return changed(config -> {
            config.idleTimeout = idle;
            config.headTimeout = head;
        });
    }

    public HttpServerConfig withMinRate(long bytesPerSecond, Duration grace) {
        return changed(config -> {
            config.minBytesPerSecond = bytesPerSecond;
            config.minRateGrace = grace;
        });
    }

    public HttpServerConfig withMaxConnections(int value) {
        return changed(config -> config.maxConnections = value);
    }

    public HttpServerConfig withMaxHead(int bytes, int fields) {
        return changed(config -> {
            config.maxHeadBytes = bytes;
            config.maxHeaderFields = fields;
        });
    }

    public HttpServerConfig withCopyBuffers(int bytes, int max) {
        return changed(config -> {
            config.copyBufferBytes = bytes;
            config.maxCopyBuffers = max;
        });
    }

    private HttpServerConfig changed(Consumer<Draft> change) {
        Draft draft = new Draft(this);
        change.accept(draft);
        return new HttpServerConfig(
                host,
                port,
                draft.virtualThreadSelectors,
                draft.idleTimeout,
                draft.headTimeout,
                draft.minBytesPerSecond,
                draft.minRateGrace,
                draft.maxConnections,
                draft.maxHeadBytes,
                draft.maxHeaderFields,
                maxTargetBytes,
                draft.copyBufferBytes,
                draft.maxCopyBuffers);
    }

    /** What can be changed of a configuration, while it is being changed. */
    private static final class Draft {
        boolean virtualThreadSelectors;
        Duration idleTimeout;
        Duration headTimeout;
        long minBytesPerSecond;
        Duration minRateGrace;
        int maxConnections;
        int maxHeadBytes;
        int maxHeaderFields;
        int copyBufferBytes;
        int maxCopyBuffers;

        Draft(HttpServerConfig from) {
            virtualThreadSelectors = from.virtualThreadSelectors;
            idleTimeout = from.idleTimeout;
            headTimeout = from.headTimeout;
            minBytesPerSecond = from.minBytesPerSecond;
            minRateGrace = from.minRateGrace;
            maxConnections = from.maxConnections;
            maxHeadBytes = from.maxHeadBytes;
            maxHeaderFields = from.maxHeaderFields;
            copyBufferBytes = from.copyBufferBytes;
            maxCopyBuffers = from.maxCopyBuffers;
        }
    }

    private static void require(boolean holds, String name) {
        if (!holds) {
            throw new IllegalArgumentException(name + " is out of range");
        }
    }
}
