package io.headgate.blob;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** The way to a real HTTP service, on which answers break off, never come, or come from somebody who throttles. */
public final class FaultyLink implements AutoCloseable {
    private final URI service;
    private final ServerSocket listener;
    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final AtomicInteger open = new AtomicInteger();
    private final AtomicLong answeredBytes = new AtomicLong();
    private final AtomicInteger cuts = new AtomicInteger();
    private final AtomicInteger canned = new AtomicInteger();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile long cutAfterBytes;
    private volatile String answer = "";
    private volatile boolean silent;

    public FaultyLink(URI service) throws IOException {
        this.service = service;
        this.listener = new ServerSocket(0, 100, InetAddress.getLoopbackAddress());
        Thread.ofVirtual().start(this::accept);
    }

    /** The service's address, by way of this link. */
    public URI endpoint() {
        return URI.create("http://127.0.0.1:" + listener.getLocalPort() + service.getPath());
    }

    /** The next so many answers that are longer than that, head included, break off there. */
    public void cutAnswers(int times, long afterBytes) {
        cutAfterBytes = afterBytes;
        cuts.set(times);
    }

    /** The next so many requests are answered so, by nobody's leave, and their connections closed. */
    public void answerWith(int times, String httpResponse) {
        answer = httpResponse;
        canned.set(times);
    }

    /** From now on requests are taken and not answered. */
    public void fallSilent() {
        silent = true;
    }

    /** First lines of the requests, and their Range headers. */
    public List<String> requests() {
        return List.copyOf(requests);
    }

    public void forgetRequests() {
        requests.clear();
        answeredBytes.set(0);
    }

    /** How many connections clients hold open. */
    public int openConnections() {
        return open.get();
    }

    /** How many bytes have been passed to clients. */
    public long answeredBytes() {
        return answeredBytes.get();
    }

    private void accept() {
        while (true) {
            try {
                Socket client = listener.accept();
                Thread.ofVirtual().start(() -> serve(client));
            } catch (IOException over) {
                return;
            }
        }
    }

    private void serve(Socket client) {
        open.incrementAndGet();
        try (client;
                Socket server = new Socket()) {
            server.connect(new InetSocketAddress(service.getHost(), service.getPort()));
            Thread answers = Thread.ofVirtual().start(() -> copyAnswers(server, client));
            InputStream in = new BufferedInputStream(client.getInputStream());
            while (passRequest(in, server, client)) {
                // one after the other
            }
            // Shut first, so that the thread that copies answers ends.
            server.close();
            answers.join();
        } catch (IOException | InterruptedException broken) {
            // both are closed
        } finally {
            open.decrementAndGet();
        }
    }

    private boolean passRequest(InputStream in, Socket server, Socket client) throws IOException, InterruptedException {
        String head = head(in);
        if (head.isEmpty()) {
            return false;
        }
        String range = header(head, "range").isEmpty() ? header(head, "x-ms-range") : header(head, "range");
        requests.add(
                head.lines().findFirst().orElseThrow().replace(" HTTP/1.1", "") + (range.isEmpty() ? "" : " " + range));
        long bodyBytes = header(head, "content-length").isEmpty() ? 0 : Long.parseLong(header(head, "content-length"));
        if (silent) {
            closed.await();
            return false;
        }
        if (canned.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            if (header(head, "expect").isEmpty()) {
                in.skipNBytes(bodyBytes);
            }
            client.getOutputStream().write(answer.getBytes(StandardCharsets.ISO_8859_1));
            return false;
        }
        OutputStream to = server.getOutputStream();
        to.write(head.getBytes(StandardCharsets.ISO_8859_1));
        byte[] buffer = new byte[65_536];
        while (bodyBytes > 0) {
            int count = in.read(buffer, 0, (int) Math.min(buffer.length, bodyBytes));
            if (count < 0) {
                return false;
            }
            to.write(buffer, 0, count);
            bodyBytes -= count;
        }
        return true;
    }

    /** To its empty line; empty at the end of the stream. */
    private static String head(InputStream in) throws IOException {
        ByteArrayOutputStream head = new ByteArrayOutputStream();
        while (!head.toString(StandardCharsets.ISO_8859_1).endsWith("\r\n\r\n")) {
            int next = in.read();
            if (next < 0) {
                return "";
            }
            head.write(next);
        }
        return head.toString(StandardCharsets.ISO_8859_1);
    }

    private static String header(String head, String name) {
        return head.lines()
                .filter(line -> line.toLowerCase(Locale.ROOT).startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).trim())
                .findFirst()
                .orElse("");
    }

    private void copyAnswers(Socket server, Socket client) {
        byte[] buffer = new byte[16_384];
        try (client) {
            InputStream from = server.getInputStream();
            OutputStream to = client.getOutputStream();
            int asked = requests.size();
            long bytes = 0;
            for (int count = from.read(buffer); count >= 0; count = from.read(buffer)) {
                if (asked != requests.size()) {
                    asked = requests.size();
                    bytes = 0;
                }
                bytes += count;
                if (bytes > cutAfterBytes && cuts.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                    to.write(buffer, 0, (int) (count - (bytes - cutAfterBytes)));
                    return;
                }
                to.write(buffer, 0, count);
                answeredBytes.addAndGet(count);
            }
        } catch (IOException broken) {
            // the client has gone
        }
    }

    @Override
    public void close() throws IOException {
        closed.countDown();
        listener.close();
    }
}
