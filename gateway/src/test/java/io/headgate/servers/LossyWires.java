package io.headgate.servers;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Wires to the masters of a cluster, which lead whoever comes over one of them over the others too. They can break between a call of a
 * function, which the master runs, and its answer, which nobody gets.
 */
public final class LossyWires implements AutoCloseable {
    private static final String HOST = "127.0.0.1:";

    private final Map<String, String> addresses = new ConcurrentHashMap<>();
    private final List<ServerSocket> listening = new ArrayList<>();
    private final List<Integer> ports = new ArrayList<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final AtomicInteger lost = new AtomicInteger();
    private volatile Predicate<String> breaks = _ -> false;

    public LossyWires(RedisCluster cluster) {
        for (RedisCluster.Node master : cluster.masters()) {
            ports.add(wire(master));
            cluster.replicasOf(master).forEach(this::wire); // which tell of the masters too
        }
    }

    private int wire(RedisCluster.Node node) {
        try {
            ServerSocket socket = socket();
            listening.add(socket);
            addresses.put(HOST + node.port(), HOST + socket.getLocalPort());
            Thread.ofVirtual().start(() -> accept(socket, node.port()));
            return socket.getLocalPort();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    /** On a port with as many digits as those of the masters: its address takes the place of theirs. */
    private static ServerSocket socket() throws IOException {
        while (true) {
            ServerSocket socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
            if (socket.getLocalPort() >= 10_000) {
                return socket;
            }
            socket.close();
        }
    }

    /** Of the masters. */
    public List<Integer> ports() {
        return List.copyOf(ports);
    }

    /** @param functions is asked of each call, by the function's name, whether its answer is to be lost */
    public void breakAfter(Predicate<String> functions) {
        breaks = functions;
    }

    /** Answers that were lost. */
    public int lost() {
        return lost.get();
    }

    private void accept(ServerSocket socket, int port) {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                open.add(client);
                Socket server = new Socket(InetAddress.getLoopbackAddress(), port);
                open.add(server);
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                Wire wire = new Wire(client, server);
                Thread.ofVirtual().start(wire::calls);
                Thread.ofVirtual().start(wire::answers);
            } catch (IOException closed) {
                return;
            }
        }
    }

    private final class Wire {
        /** Comes back when the master has done what was sent before it. */
        private static final String ECHO = "the call before this has been run";

        private final Socket client;
        private final Socket server;
        private volatile boolean breaking;

        Wire(Socket client, Socket server) {
            this.client = client;
            this.server = server;
        }

        private void calls() {
            try (client;
                    server) {
                InputStream in = new BufferedInputStream(client.getInputStream());
                OutputStream out = server.getOutputStream();
                while (true) {
                    ByteArrayOutputStream command = new ByteArrayOutputStream();
                    String function = read(in, command);
                    if (function != null && breaks.test(function)) {
                        breaking = true;
                        command.writeBytes(("*2\r\n$4\r\nECHO\r\n$" + ECHO.length() + "\r\n" + ECHO + "\r\n")
                                .getBytes(StandardCharsets.US_ASCII));
                    }
                    out.write(command.toByteArray());
                }
            } catch (IOException broken) {
                open.remove(client);
                open.remove(server);
            }
        }

        /** Reads one command; the function that it calls, or null. */
        private static @Nullable String read(InputStream in, ByteArrayOutputStream command) throws IOException {
            int words = Integer.parseInt(line(in, command).substring(1));
            List<String> first = new ArrayList<>();
            for (int i = 0; i < words; i++) {
                int length = Integer.parseInt(line(in, command).substring(1));
                byte[] word = in.readNBytes(length + 2);
                if (word.length < length + 2) {
                    throw new IOException("hung up");
                }
                command.writeBytes(word);
                if (i < 2) {
                    first.add(new String(word, 0, length, StandardCharsets.ISO_8859_1));
                }
            }
            return first.getFirst().equalsIgnoreCase("FCALL") ? first.get(1) : null;
        }

        private static String line(InputStream in, ByteArrayOutputStream command) throws IOException {
            StringBuilder line = new StringBuilder();
            for (int next = in.read(); next != '\n'; next = in.read()) {
                if (next < 0) {
                    throw new IOException("hung up");
                }
                line.append((char) next);
            }
            command.writeBytes((line + "\n").getBytes(StandardCharsets.ISO_8859_1));
            return line.toString().strip();
        }

        private void answers() {
            try (client;
                    server) {
                InputStream in = server.getInputStream();
                OutputStream out = client.getOutputStream();
                byte[] buffer = new byte[1 << 16];
                StringBuilder swallowed = new StringBuilder();
                for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                    String text = new String(buffer, 0, read, StandardCharsets.ISO_8859_1);
                    if (breaking) {
                        swallowed.append(text);
                        if (swallowed.indexOf(ECHO) >= 0) {
                            lost.incrementAndGet();
                            return;
                        }
                    } else {
                        out.write(led(text).getBytes(StandardCharsets.ISO_8859_1));
                    }
                }
            } catch (IOException broken) {
                open.remove(client);
                open.remove(server);
            }
        }

        private String led(String text) {
            String led = text;
            if (text.contains(HOST)) {
                for (Map.Entry<String, String> address : addresses.entrySet()) {
                    led = led.replace(address.getKey(), address.getValue());
                }
            }
            return led;
        }
    }

    @Override
    public void close() {
        try {
            for (ServerSocket socket : listening) {
                socket.close();
            }
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
