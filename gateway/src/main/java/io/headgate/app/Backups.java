package io.headgate.app;

import io.headgate.app.config.HeadgateConfig;
import io.headgate.cli.AdminClient;
import io.headgate.domain.OwnerOnly;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.codec.Backup;
import io.headgate.namespace.codec.BackupReader;
import io.headgate.namespace.postgres.PostgresNamespace;
import io.headgate.namespace.sql.SqliteNamespace;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.ConnectException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Optional;
import java.util.Set;

/** The commands {@code admin namespace backup} and {@code restore}. */
final class Backups {
    private final HeadgateConfig config;
    private final InstantSource clock;
    private final PrintStream out;
    private final PrintStream err;

    Backups(HeadgateConfig config, InstantSource clock, PrintStream out, PrintStream err) {
        this.config = config;
        this.clock = clock;
        this.out = out;
        this.err = err;
    }

    private interface Source {
        void writeTo(OutputStream file) throws IOException, StartException;
    }

    /** Asks a gateway for a backup; where none answers, makes it here. The file appears whole or not at all, readable by its owner only. */
    void backup(Path file, Optional<AdminClient> gateway) throws StartException {
        if (Files.exists(file)) {
            throw new StartException(file + " exists already");
        }
        Path part = file.resolveSibling(file.getFileName() + ".part");
        try {
            write(part, gateway);
            Backup.Header header = checked(part);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
            out.println("the namespace " + header.namespaceId() + ", in " + header.engine() + ", as of "
                    + header.madeAt() + ", is in " + file);
        } catch (IOException | NamespaceException failed) {
            throw new StartException("there is no backup: " + failed.getMessage(), failed);
        }
    }

    private void write(Path part, Optional<AdminClient> gateway) throws IOException, StartException {
        if (gateway.isPresent()) {
            try {
                write(part, into -> download(gateway.get(), into));
                return;
            } catch (ConnectException noGateway) {
                // Then nothing holds the namespace, or its lock will say so.
            }
        }
        write(part, this::writeHere);
    }

    private static void write(Path part, Source source) throws IOException, StartException {
        Files.deleteIfExists(part);
        try (FileChannel channel = FileChannel.open(
                part, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), OwnerOnly.FILE)) {
            boolean written = false;
            try {
                source.writeTo(Channels.newOutputStream(channel));
                channel.force(true);
                written = true;
            } finally {
                if (!written) {
                    Files.deleteIfExists(part);
                }
            }
        }
    }

    private static void download(AdminClient gateway, OutputStream into) throws IOException {
        try {
            gateway.download("/admin/v1/namespace/backup", into);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", interrupted);
        }
    }

    private void writeHere(OutputStream into) throws IOException, StartException {
        if (config.namespace().engine() != HeadgateConfig.Engine.SQLITE) {
            writeNamespace(into);
            return;
        }
        if (!Files.exists(Gateway.namespaceFile(config))) {
            throw new StartException("there is no namespace " + Gateway.namespaceFile(config));
        }
        try (DataDirectory _ = DataDirectory.open(config.dataDir())) {
            writeNamespace(into);
        }
    }

    private void writeNamespace(OutputStream into) throws IOException {
        try (Namespace namespace = Gateway.namespace(config, clock)) {
            namespace.backup(clock.instant(), into);
        }
    }

    /** Reads a backup to its end. */
    private static Backup.Header checked(Path file) throws IOException {
        try (InputStream in = open(file)) {
            BackupReader reader = new BackupReader(in);
            while (!(reader.next() instanceof Backup.Entry.End)) {
                // Only its end tells whether it is whole.
            }
            return reader.header();
        }
    }

    private static InputStream open(Path file) throws IOException {
        return new BufferedInputStream(Files.newInputStream(file));
    }

    /** Checks the whole file before anything is changed. */
    void restore(Path file) throws StartException {
        try {
            checked(file);
            Backup.Header header = switch (config.namespace().engine()) {
                case SQLITE -> {
                    try (DataDirectory _ = DataDirectory.open(config.dataDir());
                            InputStream in = open(file)) {
                        yield SqliteNamespace.restore(Gateway.namespaceFile(config), Gateway.sqlite(config), in);
                    }
                }
                case POSTGRES -> {
                    try (InputStream in = open(file)) {
                        yield PostgresNamespace.restore(
                                Gateway.postgres(
                                        config, config.namespace().database().orElseThrow()),
                                clock,
                                in);
                    }
                }
                case REDIS ->
                    throw new StartException("nothing was restored: that is not built for the engine redis yet");
            };
            out.println("the namespace " + header.namespaceId() + " is as it was at " + header.madeAt());
            Duration age = Duration.between(header.madeAt(), clock.instant());
            if (age.compareTo(config.garbage().grace()) > 0) {
                err.println(
                        "headgate: the backup is older than garbage.grace, so what was deleted, overwritten or moved since may be"
                                + " missing in the accounts: headgate fsck names what is");
            }
        } catch (NoSuchFileException missing) {
            throw new StartException("there is no file " + file, missing);
        } catch (IOException | NamespaceException failed) {
            throw new StartException("nothing was restored: " + failed.getMessage(), failed);
        }
    }
}
