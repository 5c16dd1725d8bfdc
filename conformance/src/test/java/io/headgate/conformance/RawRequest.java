package io.headgate.conformance;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A request exactly as it goes over the wire: what no client library would send can be said with it.
 *
 * @param target the request target, already percent-encoded as the test wants it
 * @param headers in the order sent; values are written as UTF-8
 * @param body the bytes after the head; their framing is whatever the headers say
 */
record RawRequest(String method, String target, List<Header> headers, byte[] body) {
    record Header(String name, String value) {}

    private static final byte[] NO_BODY = {};

    RawRequest {
        headers = List.copyOf(headers);
    }

    static RawRequest of(String method, String target) {
        return new RawRequest(method, target, List.of(), NO_BODY);
    }

    /** Adds a header, beside any of the same name. */
    RawRequest with(String name, String value) {
        List<Header> more = new ArrayList<>(headers);
        more.add(new Header(name, value));
        return new RawRequest(method, target, more, body);
    }

    /** Leaves out the headers of that name. */
    RawRequest without(String name) {
        return new RawRequest(
                method,
                target,
                headers.stream()
                        .filter(header -> !header.name().equalsIgnoreCase(name))
                        .toList(),
                body);
    }

    RawRequest withTarget(String other) {
        return new RawRequest(method, other, headers, body);
    }

    /** With this body and its Content-Length. */
    RawRequest withBody(byte[] bytes) {
        return withUnframedBody(bytes).without("Content-Length").with("Content-Length", Integer.toString(bytes.length));
    }

    RawRequest withBody(String text) {
        return withBody(text.getBytes(StandardCharsets.UTF_8));
    }

    /** With these bytes after the head; the headers stay as they are. */
    RawRequest withUnframedBody(byte[] bytes) {
        return new RawRequest(method, target, headers, bytes);
    }

    /** With this body in chunks of HTTP's own chunked coding. */
    RawRequest withChunkedBody(byte[] bytes, int chunkSize) {
        ByteArrayOutputStream framed = new ByteArrayOutputStream();
        for (int start = 0; start < bytes.length; start += chunkSize) {
            int length = Math.min(chunkSize, bytes.length - start);
            framed.writeBytes((Integer.toHexString(length) + "\r\n").getBytes(StandardCharsets.US_ASCII));
            framed.write(bytes, start, length);
            framed.writeBytes("\r\n".getBytes(StandardCharsets.US_ASCII));
        }
        framed.writeBytes("0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        return withUnframedBody(framed.toByteArray()).with("Transfer-Encoding", "chunked");
    }

    Optional<String> header(String name) {
        return headers.stream()
                .filter(header -> header.name().equalsIgnoreCase(name))
                .map(Header::value)
                .findFirst();
    }

    byte[] head() {
        StringBuilder head =
                new StringBuilder(method).append(' ').append(target).append(" HTTP/1.1\r\n");
        for (Header header : headers) {
            head.append(header.name()).append(": ").append(header.value()).append("\r\n");
        }
        return head.append("\r\n").toString().getBytes(StandardCharsets.UTF_8);
    }
}
