package io.headgate.namespace.cache;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** Passes bytes between a client and a server of this machine, until told to hold them, to delay them, or to cut all connections. */
public final class Wire implements AutoCloseable {
    private enum Mode {
        PASS,
        DELAY,
        HOLD,
        CUT
    }

    private final ServerSocket listener;
    private volatile int server;
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private Mode mode = Mode.PASS;
    private long delayMillis;

    private Wire(ServerSocket listener, int server) {
        this.listener = listener;
        this.server = server;
    }

    public static Wire to(int server) throws IOException {
        Wire wire = new Wire(new ServerSocket(0, 200, InetAddress.getLoopbackAddress()), server);
        Thread.ofVirtual().start(wire::accept);
        return wire;
    }

    /** One whose server has no port yet; until {@link #leadTo} it cuts off whoever connects. */
    public static Wire toNobody() throws IOException {
        Wire wire = to(0);
        wire.cut();
        return wire;
    }

    /** From now on connections are made to that port. */
    public void leadTo(int port) {
        server = port;
        restore();
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Connections end at once, and new ones as soon as they are made. */
    public void cut() {
        set(Mode.CUT, 0);
        sockets.forEach(Wire::close);
    }

    /** Nothing passes any more, and nobody is told. */
    public void hold() {
        set(Mode.HOLD, 0);
    }

    /** Whatever passes takes that much longer. */
    public void delay(long millis) {
        set(Mode.DELAY, millis);
    }

    /** What was held passes now; what was cut can be made anew. */
    public void restore() {
        set(Mode.PASS, 0);
    }

    private synchronized void set(Mode next, long millis) {
        mode = next;
        delayMillis = millis;
        notifyAll();
    }

    /** Waits until the bytes at hand may pass. */
    private synchronized void await() throws InterruptedException {
        if (mode == Mode.DELAY) {
            long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(delayMillis);
            for (long left = delayMillis; left > 0; left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime())) {
                wait(left);
            }
        }
        while (mode == Mode.HOLD) {
            wait();
        }
    }

    private synchronized boolean isCut() {
        return mode == Mode.CUT;
    }

    private void accept() {
        try {
            while (true) {
                Socket client = listener.accept();
                Thread.ofVirtual().start(() -> connect(client));
            }
        } catch (IOException over) {
            // The test is over.
        }
    }

    private void connect(Socket client) {
        Socket upstream = new Socket();
        sockets.add(client);
        sockets.add(upstream);
        try {
            client.setTcpNoDelay(true);
            upstream.setTcpNoDelay(true);
            upstream.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server));
        } catch (IOException refused) {
            close(upstream);
        }
        if (isCut() || upstream.isClosed()) {
            close(client);
            close(upstream);
        }
        Thread.ofVirtual().start(() -> pass(client, upstream));
        Thread.ofVirtual().start(() -> pass(upstream, client));
    }

    private void pass(Socket from, Socket to) {
        byte[] buffer = new byte[65_536];
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                await();
                out.write(buffer, 0, read);
                out.flush();
            }
        } catch (IOException | InterruptedException ended) {
            // The other direction has ended.
        } finally {
            sockets.remove(from);
        }
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException closedAlready) {
            // as good
        }
    }

    @Override
    public void close() throws IOException {
        restore();
        listener.close();
        sockets.forEach(Wire::close);
    }
}
