package io.headgate.http;

import java.io.InputStream;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.HttpFields;
import org.eclipse.jetty.server.Request;
import org.jspecify.annotations.Nullable;

/** An exchange over a Jetty request. */
final class JettyExchange implements Exchange {
    private final Request request;
    private final RequestHead head;
    private final String requestId;
    private final Instant receivedAt;
    private final RequestBody body;
    private @Nullable Map<Label, String> labels;

    JettyExchange(Request request, RequestHead head, String requestId, Instant receivedAt, RequestBody body) {
        this.request = request;
        this.head = head;
        this.requestId = requestId;
        this.receivedAt = receivedAt;
        this.body = body;
    }

    @Override
    public RequestHead head() {
        return head;
    }

    @Override
    public Instant receivedAt() {
        return receivedAt;
    }

    @Override
    public String requestId() {
        return requestId;
    }

    @Override
    public OptionalLong contentLength() {
        long length = request.getLength();
        return length < 0 ? OptionalLong.empty() : OptionalLong.of(length);
    }

    @Override
    public InputStream body() {
        return body;
    }

    @Override
    public void label(Label label, String value) {
        if (labels == null) {
            labels = new EnumMap<>(Label.class);
        }
        labels.put(label, value);
    }

    Map<Label, String> labels() {
        return labels == null ? Map.of() : Collections.unmodifiableMap(labels);
    }

    /** @param authority the value that stands for the Host field's, if any */
    static List<RequestHead.Field> fields(HttpFields from, @Nullable String authority) {
        int count = from.size();
        List<RequestHead.Field> fields = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            HttpField field = from.getField(i);
            String name = field.getLowerCaseName();
            String value = field.getValue();
            if (authority != null && name.equals("host")) {
                value = authority;
            }
            fields.add(new RequestHead.Field(name, value == null ? "" : value));
        }
        return fields;
    }
}
