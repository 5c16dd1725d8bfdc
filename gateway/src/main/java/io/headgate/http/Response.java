package io.headgate.http;

import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.List;

/**
 * A response, written once by the server. The server adds Date, Content-Length and, where framing needs it, Connection.
 *
 * @param status the HTTP status, 200 to 599
 * @param headers in the order in which they are written
 */
public record Response(int status, List<RequestHead.Field> headers, Body body) {
    /** Writes a body. */
    public interface Source {
        void writeTo(OutputStream out) throws IOException;
    }

    /** A response's body. */
    public sealed interface Body {
        /** No body. {@code contentLengthBytes} is what a HEAD says of the body that GET would have; -1 to say nothing. */
        record None(long contentLengthBytes) implements Body {}

        /** A body in memory; not to be changed afterwards. */
        @SuppressWarnings("ArrayRecordComponent")
        record Bytes(byte[] bytes) implements Body {}

        /**
         * A streamed body of known length. The server reads {@code channel} to its end and closes it, whatever happens. If it fails or
         * ends early after the head went out, the connection is cut, so that the client cannot take the part for the whole.
         */
        record Channel(ReadableByteChannel channel, long lengthBytes) implements Body {}

        /**
         * A body of unknown length, written by {@code source} while it is sent, on the request's thread. What is flushed is sent. If the
         * source fails, the connection is cut; if the client hangs up, its writes fail. {@code resource} is closed in the end, whether the
         * source was called or not.
         */
        record Stream(Source source, Closeable resource) implements Body {
            /** Of a source that holds nothing before it is called. */
            public Stream(Source source) {
                this(source, () -> {});
            }
        }
    }

    public Response {
        headers = List.copyOf(headers);
    }

    /** The same with more headers behind these. */
    public Response with(RequestHead.Field... more) {
        List<RequestHead.Field> all = new ArrayList<>(headers);
        all.addAll(List.of(more));
        return new Response(status, all, body);
    }

    /** Releases the body's resources without writing it. */
    public void discard() throws IOException {
        switch (body) {
            case Body.None ignored -> {}
            case Body.Bytes ignored -> {}
            case Body.Channel(ReadableByteChannel channel, long ignored) -> channel.close();
            case Body.Stream(Source ignored, Closeable resource) -> resource.close();
        }
    }
}
