package io.headgate.benchmarks;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What a master of Redis is asked by others, as its command MONITOR tells. Not thread-safe. */
final class BareCalls implements AutoCloseable {
    private static final int PATIENCE_MILLIS = 10_000;

    private final Socket socket;
    private final InputStream in;

    BareCalls(String host, int port) throws IOException {
        socket = new Socket(host, port);
        socket.setSoTimeout(PATIENCE_MILLIS);
        in = new BufferedInputStream(socket.getInputStream());
        socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.US_ASCII));
        String answer = line();
        if (!answer.equals("+OK")) {
            throw new IOException("Redis does not tell what it is asked: " + answer);
        }
    }

    /** The words of the next call of the function whose name ends so. */
    List<byte[]> next(String function) throws IOException {
        while (true) {
            String line = line();
            int at = line.indexOf("] \"");
            List<byte[]> words = at < 0 ? List.of() : words(line.substring(at + 2));
            if (words.size() > 1
                    && new String(words.getFirst(), StandardCharsets.US_ASCII)
                            .toUpperCase(Locale.ROOT)
                            .equals("FCALL")
                    && new String(words.get(1), StandardCharsets.US_ASCII).endsWith(function)) {
                return words;
            }
        }
    }

    private String line() throws IOException {
        ByteArrayOutputStream line = new ByteArrayOutputStream();
        for (int b = in.read(); b != '\n'; b = in.read()) {
            if (b < 0) {
                throw new EOFException("Redis hung up");
            }
            if (b != '\r') {
                line.write(b);
            }
        }
        return line.toString(StandardCharsets.ISO_8859_1);
    }

    /** In quotes, with what is not printable escaped. */
    private static List<byte[]> words(String text) {
        List<byte[]> words = new ArrayList<>();
        ByteArrayOutputStream word = new ByteArrayOutputStream();
        boolean quoted = false;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                if (quoted) {
                    words.add(word.toByteArray());
                    word.reset();
                }
                quoted = !quoted;
            } else if (quoted && c == '\\') {
                char escaped = text.charAt(++i);
                if (escaped == 'x') {
                    word.write(Integer.parseInt(text.substring(i + 1, i + 3), 16));
                    i += 2;
                } else {
                    int known = "nrtab".indexOf(escaped);
                    word.write(known < 0 ? escaped : "\n\r\t\u0007\b".charAt(known));
                }
            } else if (quoted) {
                word.write(c);
            }
        }
        return words;
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
