package io.headgate.namespace.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/** Passes bytes between engine and server, and cuts the connection, when told to, instead of passing the answer to a commit. */
final class LosingProxy implements AutoCloseable {
    private final ServerSocket listener;
    private final int server;
    private final AtomicBoolean losing = new AtomicBoolean();
    private final AtomicInteger lost = new AtomicInteger();

    private LosingProxy(ServerSocket listener, int server) {
        this.listener = listener;
        this.server = server;
    }

    static LosingProxy before(PostgresOptions options) throws IOException {
        LosingProxy proxy =
                new LosingProxy(new ServerSocket(0, 50, InetAddress.getLoopbackAddress()), Postgres.port(options));
        Thread.ofVirtual().start(proxy::accept);
        return proxy;
    }

    int port() {
        return listener.getLocalPort();
    }

    void loseNextCommit() {
        losing.set(true);
    }

    int lost() {
        return lost.get();
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Socket upstream = new Socket(InetAddress.getLoopbackAddress(), server);
                Thread.ofVirtual().start(() -> pass(client, upstream, false));
                Thread.ofVirtual().start(() -> pass(upstream, client, true));
            }
        } catch (IOException closed) {
            // The test is over.
        }
    }

    private void pass(Socket from, Socket to, boolean answers) {
        byte[] buffer = new byte[65_536];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                boolean commit =
                        answers && new String(buffer, 0, read, StandardCharsets.ISO_8859_1).contains("COMMIT\0");
                if (commit && losing.compareAndSet(true, false)) {
                    lost.incrementAndGet();
                    return;
                }
                out.write(buffer, 0, read);
                out.flush();
            }
        } catch (IOException cut) {
            // The other direction has ended.
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
    }
}
