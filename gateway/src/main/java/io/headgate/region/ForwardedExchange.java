package io.headgate.region;

import io.headgate.http.Exchange;
import io.headgate.http.RequestHead;
import java.io.InputStream;
import java.time.Instant;
import java.util.OptionalLong;

/** A forwarded request as the client sent it. */
final class ForwardedExchange implements Exchange {
    private final Exchange hop;
    private final RequestHead head;
    private final String requestId;
    private final boolean hasBody;

    ForwardedExchange(Exchange hop, RequestHead head, String requestId, boolean hasBody) {
        this.hop = hop;
        this.head = head;
        this.requestId = requestId;
        this.hasBody = hasBody;
    }

    @Override
    public RequestHead head() {
        return head;
    }

    @Override
    public Instant receivedAt() {
        return hop.receivedAt();
    }

    @Override
    public String requestId() {
        return requestId;
    }

    @Override
    public OptionalLong contentLength() {
        return OptionalLong.empty();
    }

    @Override
    public InputStream body() {
        return hasBody ? hop.body() : InputStream.nullInputStream();
    }

    @Override
    public void label(Label label, String value) {
        hop.label(label, value);
    }
}
