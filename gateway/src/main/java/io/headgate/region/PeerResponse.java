package io.headgate.region;

import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * What a gateway of another region answered, its body as it comes. Used by one thread.
 *
 * @param fields without those about the connection, and those that each server adds by itself
 * @param contentLengthBytes as declared; of an answer to HEAD what GET would bring
 * @param body empty if the answer has none by its kind, as those to HEAD; closing it early frees the other gateway at once
 */
public record PeerResponse(int status, List<Field> fields, OptionalLong contentLengthBytes, Optional<InputStream> body)
        implements AutoCloseable {
    private static final int COPY_BYTES = 32 * 1024;

    public PeerResponse {
        fields = List.copyOf(fields);
    }

    /** As a response to this gateway's own client, which closes this. If the rest of the body does not come, the client is cut off. */
    public Response relayed() {
        if (body.isEmpty()) {
            return new Response(status, fields, new Response.Body.None(contentLengthBytes.orElse(-1)));
        }
        InputStream from = body.get();
        if (contentLengthBytes.isPresent()) {
            return new Response(
                    status, fields, new Response.Body.Channel(new BodyChannel(from), contentLengthBytes.getAsLong()));
        }
        return new Response(status, fields, new Response.Body.Stream(out -> copy(from, out), from));
    }

    @Override
    public void close() throws IOException {
        if (body.isPresent()) {
            body.get().close();
        }
    }

    /** What has come is sent before more is waited for: some answers keep their client waiting with a byte now and then. */
    private static void copy(InputStream from, OutputStream to) throws IOException {
        try (from) {
            byte[] buffer = new byte[COPY_BYTES];
            for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
                to.write(buffer, 0, count);
                if (from.available() == 0) {
                    to.flush();
                }
            }
        }
    }

    /** The body as a channel; the JDK's own copies by 8 KiB. */
    private static final class BodyChannel implements ReadableByteChannel {
        private final InputStream in;
        private byte[] buffer = new byte[0];
        private boolean open = true;

        BodyChannel(InputStream in) {
            this.in = in;
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            if (buffer.length == 0) {
                buffer = new byte[Math.clamp(target.remaining(), 1, COPY_BYTES)];
            }
            int count = in.read(buffer, 0, Math.min(buffer.length, target.remaining()));
            if (count > 0) {
                target.put(buffer, 0, count);
            }
            return count;
        }

        @Override
        public boolean isOpen() {
            return open;
        }

        @Override
        public void close() throws IOException {
            open = false;
            in.close();
        }
    }
}
