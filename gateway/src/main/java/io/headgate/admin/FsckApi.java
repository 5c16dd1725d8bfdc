package io.headgate.admin;

import io.headgate.account.Accounts;
import io.headgate.http.Response;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceException;
import io.headgate.work.Finding;
import io.headgate.work.Fsck;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.InstantSource;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Runs a check in this gateway, one at a time, and answers with what it finds as it finds it: lines that begin with {@code F } (a
 * finding), {@code P } (progress), {@code S } (the summary), and at last {@code X } with the status that the command ends with. An answer
 * without that line was cut off. Thread-safe.
 */
final class FsckApi {
    private final Namespace namespace;
    private final Accounts accounts;
    private final InstantSource clock;
    private final AtomicBoolean running = new AtomicBoolean();

    FsckApi(Namespace namespace, Accounts accounts, InstantSource clock) {
        this.namespace = namespace;
        this.accounts = accounts;
        this.clock = clock;
    }

    /** A check whose lines are the body; empty if one is going on. It ends early when nobody reads them. */
    Optional<Response.Body> check(Fsck.Settings settings, boolean json) {
        return running.get()
                ? Optional.empty()
                : Optional.of(new Response.Body.Stream(out -> run(out, settings, json)));
    }

    private void run(OutputStream out, Fsck.Settings settings, boolean json) throws IOException {
        if (!running.compareAndSet(false, true)) {
            write(out, 'P', "another check is going on in this gateway");
            write(out, 'X', Integer.toString(FsckReport.INCOMPLETE));
            return;
        }
        try {
            Fsck.Summary summary =
                    new Fsck(namespace, accounts, clock, Thread::sleep, settings, new Listener(out, json)).run();
            for (String line : FsckReport.lines(summary, json).split("\n", -1)) {
                write(out, 'S', line);
            }
            write(out, 'X', Integer.toString(FsckReport.status(summary)));
        } catch (NamespaceException outage) {
            write(out, 'P', "the namespace does not answer: " + outage.getMessage());
            write(out, 'X', Integer.toString(FsckReport.INCOMPLETE));
        } catch (UncheckedIOException unread) {
            throw unread.getCause();
        } catch (InterruptedException stopping) {
            Thread.currentThread().interrupt();
            throw new IOException("the gateway is stopping", stopping);
        } finally {
            running.set(false);
        }
    }

    private static final class Listener implements Fsck.Listener {
        private final OutputStream out;
        private final boolean json;
        private final FsckProgress progress = new FsckProgress(System::nanoTime, line -> tell('P', line));

        Listener(OutputStream out, boolean json) {
            this.out = out;
            this.json = json;
        }

        @Override
        public void found(Finding finding) {
            tell('F', FsckReport.line(finding, json));
        }

        @Override
        public void progress(String line) {
            progress.accept(line);
        }

        private void tell(char kind, String line) {
            try {
                write(out, kind, line);
            } catch (IOException unread) {
                throw new UncheckedIOException(unread);
            }
        }
    }

    private static void write(OutputStream out, char kind, String line) throws IOException {
        out.write((kind + " " + line + "\n").getBytes(StandardCharsets.UTF_8));
        out.flush();
    }
}
