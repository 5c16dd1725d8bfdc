package io.headgate.s3.auth;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.US_ASCII;

import io.headgate.http.RequestHead;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalLong;

/** Reads {@code client-requests.txt}. */
final class ClientRequests {
    record ClientRequest(String client, RequestHead head, byte[] body) {
        OptionalLong contentLength() {
            return head.header("content-length") == null && body.length > 0
                    ? OptionalLong.empty()
                    : OptionalLong.of(body.length);
        }

        @Override
        public String toString() {
            return client + ": " + head.method() + " " + head.target();
        }
    }

    private ClientRequests() {}

    static List<ClientRequest> all() {
        List<ClientRequest> requests = new ArrayList<>();
        String client = "";
        for (String paragraph : text().split("\n\n")) {
            String[] lines = paragraph.strip().split("\n");
            if (lines[0].startsWith("client ")) {
                client = lines[0].substring("client ".length());
            } else if (lines[0].startsWith("request ")) {
                requests.add(request(client, lines));
            }
        }
        return requests;
    }

    private static ClientRequest request(String client, String[] lines) {
        String[] start = unescape(lines[0].substring("request ".length())).split(" ", 2);
        List<RequestHead.Field> fields = new ArrayList<>();
        byte[] body = new byte[0];
        for (String line : Arrays.asList(lines).subList(1, lines.length)) {
            if (line.startsWith("header ")) {
                String field = unescape(line.substring("header ".length()));
                int colon = field.indexOf(':');
                fields.add(new RequestHead.Field(
                        field.substring(0, colon), field.substring(colon + 1).strip()));
            } else {
                body = unescape(line.substring("body ".length())).getBytes(ISO_8859_1);
            }
        }
        return new ClientRequest(client, new RequestHead(start[0], start[1], fields, "127.0.0.1"), body);
    }

    private static String unescape(String text) {
        StringBuilder plain = new StringBuilder();
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c != '\\') {
                plain.append(c);
                continue;
            }
            char kind = text.charAt(++i);
            switch (kind) {
                case '\\' -> plain.append('\\');
                case 'r' -> plain.append('\r');
                case 'n' -> plain.append('\n');
                case 'x' -> {
                    plain.append((char) Integer.parseInt(text, i + 1, i + 3, 16));
                    i += 2;
                }
                default -> throw new IllegalArgumentException("escape " + kind);
            }
        }
        return plain.toString();
    }

    private static String text() {
        try (InputStream in = ClientRequests.class.getResourceAsStream("client-requests.txt")) {
            return new String(in.readAllBytes(), US_ASCII);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
