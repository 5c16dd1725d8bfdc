package io.headgate.http;

import java.io.InputStream;
import java.time.Instant;
import java.util.OptionalLong;

/**
 * A request being handled: its head, its body as it arrives, and labels for the access log and the metrics. Used by one thread.
 */
public interface Exchange {
    RequestHead head();

    /** When the head had arrived. */
    Instant receivedAt();

    /** Unique over all requests and gateways; 16 upper-case hex digits. */
    String requestId();

    /** The declared Content-Length; empty for a chunked transfer or no body. */
    OptionalLong contentLength();

    /**
     * The body with its transfer coding undone. If the client waits for it, the first read sends {@code 100 Continue}. Reading throws
     * {@link io.headgate.domain.BodyException} when the client hangs up, stalls, or is slower than the least rate.
     */
    InputStream body();

    /** Labels this request for the access log and the metrics; the last call of each wins. */
    void label(Label label, String value);

    /** What can be said of a request. */
    enum Label {
        OPERATION,
        BUCKET,
        KEY,
        USER,
        ERROR_CODE,
        ACCOUNT,
        /** The other region that answered it. */
        REGION
    }
}
