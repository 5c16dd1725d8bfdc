package io.headgate.app;

import io.headgate.app.config.HeadgateConfig;
import io.headgate.cli.ExitCode;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.codec.Backup;
import io.headgate.namespace.postgres.PostgresNamespace;
import io.headgate.namespace.redis.RedisNamespace;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.nio.file.Files;
import java.time.InstantSource;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;

/**
 * The command {@code admin namespace copy}: a backup of one namespace goes straight into a restore of another, whatever their engines, and
 * then both are compared.
 */
final class NamespaceCopy {
    private static final int PIPE_BYTES = 1 << 20;

    private final HeadgateConfig from;
    private final HeadgateConfig to;
    private final InstantSource clock;
    private final PrintStream out;
    private final PrintStream err;

    NamespaceCopy(HeadgateConfig from, HeadgateConfig to, InstantSource clock, PrintStream out, PrintStream err) {
        this.from = from;
        this.to = to;
        this.clock = clock;
        this.out = out;
        this.err = err;
    }

    /**
     * Copies and compares.
     *
     * @param online whether gateways may write to the source meanwhile: what they write then is missing in the copy, or not
     */
    ExitCode run(boolean online) throws StartException {
        if (from.namespace().engine() != HeadgateConfig.Engine.SQLITE) {
            return copy(online);
        }
        if (!Files.exists(Gateway.namespaceFile(from))) {
            throw new StartException("there is no namespace " + Gateway.namespaceFile(from));
        }
        try (DataDirectory _ = DataDirectory.open(from.dataDir())) { // no gateway runs on it
            return copy(online);
        }
    }

    private ExitCode copy(boolean online) throws StartException {
        try {
            if (!online && gateways() > 0) {
                throw new StartException(
                        "gateways are connected to the namespace that is to be copied: stop them all first,"
                                + " or copy it --online, without what they write meanwhile");
            }
            try (Namespace source = Gateway.namespace(from, clock)) {
                Backup.Header header = transfer(source);
                out.println("the namespace " + header.namespaceId() + ", in " + header.engine() + ", is copied into "
                        + name(to));
                try (Namespace target = Gateway.namespace(to, clock)) {
                    return compare(source, target, online);
                }
            }
        } catch (IOException | NamespaceException failed) {
            throw new StartException("the namespace was not copied: " + failed.getMessage(), failed);
        }
    }

    private static String name(HeadgateConfig config) {
        return switch (config.namespace().engine()) {
            case SQLITE -> "sqlite";
            case POSTGRES -> "postgres";
            case REDIS -> "redis";
        };
    }

    /** Connections of gateways to the source. A file has its lock. */
    private long gateways() {
        return switch (from.namespace().engine()) {
            case SQLITE -> 0;
            case POSTGRES ->
                PostgresNamespace.gateways(
                        Gateway.postgres(from, from.namespace().database().orElseThrow()), clock);
            case REDIS ->
                RedisNamespace.gateways(
                        Gateway.redis(from, from.namespace().cluster().orElseThrow()));
        };
    }

    /** Whoever fails first ends the other. */
    private Backup.Header transfer(Namespace source) throws IOException, StartException {
        PipedOutputStream into = new PipedOutputStream();
        FutureTask<Boolean> backup = new FutureTask<>(() -> {
            try (into) {
                source.backup(clock.instant(), into);
            }
            return true;
        });
        Backup.Header header;
        try (PipedInputStream in = new PipedInputStream(into, PIPE_BYTES)) {
            Thread.ofPlatform().name("namespace-copy").daemon().start(backup);
            header = Backups.restore(to, clock, in);
        } catch (IOException | NamespaceException failed) {
            throw cause(backup, failed);
        }
        return header;
    }

    /** If the backup failed by itself, that is why the restore did. */
    private static NamespaceException cause(FutureTask<Boolean> backup, Exception restore) {
        try {
            backup.get();
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof NamespaceException first) {
                return first;
            }
            // Else it failed because nobody reads it any more.
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        return restore instanceof NamespaceException itself
                ? itself
                : new NamespaceException(String.valueOf(restore.getMessage()), restore);
    }

    private ExitCode compare(Namespace source, Namespace target, boolean online) {
        NamespaceComparison comparison = new NamespaceComparison(source, target);
        comparison.run();
        out.println(comparison.summary());
        comparison.differences().forEach(line -> err.println("headgate: " + line));
        if (comparison.count() == 0) {
            return ExitCode.OK;
        }
        err.println(
                online
                        ? "headgate: gateways may have written meanwhile: to move for good, stop them and copy into an empty namespace again"
                        : "headgate: do not use the copy: empty it, and copy again");
        return ExitCode.FAILED;
    }
}
