package io.headgate.app;

import io.headgate.account.AccountListener;
import io.headgate.account.Accounts;
import io.headgate.admin.FsckProgress;
import io.headgate.admin.FsckReport;
import io.headgate.app.config.AddedAccounts;
import io.headgate.app.config.ConfigException;
import io.headgate.app.config.HeadgateConfig;
import io.headgate.app.config.HeadgateConfig.AccountConfig;
import io.headgate.app.config.HeadgateConfig.Storage;
import io.headgate.blob.CarrierWatch;
import io.headgate.cli.ExitCode;
import io.headgate.namespace.AddedAccount;
import io.headgate.namespace.Namespace;
import io.headgate.namespace.NamespaceException;
import io.headgate.work.AccountRoster;
import io.headgate.work.Finding;
import io.headgate.work.Fsck;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The command {@code fsck} in a process of its own: it opens what a gateway of that configuration would open. */
final class Check {
    private static final int BLOBS_AT_ONCE = 1_000_000;
    /** So much longer than its grace garbage may wait, for workers that were busy or an account that was down. */
    private static final Duration CLEANUP_PATIENCE = Duration.ofHours(1);

    private final HeadgateConfig config;
    private final PrintStream out;
    private final PrintStream err;

    Check(HeadgateConfig config, PrintStream out, PrintStream err) {
        this.config = config;
        this.out = out;
        this.err = err;
    }

    /** How a gateway of that configuration checks, without repair and checksums. */
    static Fsck.Settings settings(HeadgateConfig config) {
        return new Fsck.Settings(
                false,
                false,
                config.orphans().minAge(),
                config.garbage().grace().plus(CLEANUP_PATIENCE),
                config.orphans().maxRatio(),
                BLOBS_AT_ONCE);
    }

    /** @throws StartException if it cannot begin, as the namespace is not there or a gateway holds it */
    ExitCode run(boolean repair, boolean checksum, boolean json) throws StartException {
        if (config.namespace().engine() != HeadgateConfig.Engine.SQLITE) {
            return check(repair, checksum, json);
        }
        Path file = Gateway.namespaceFile(config);
        if (!Files.exists(file)) {
            throw new StartException("there is no namespace " + file);
        }
        try (DataDirectory _ = hold()) {
            return check(repair, checksum, json);
        }
    }

    private DataDirectory hold() throws StartException {
        try {
            return DataDirectory.open(config.dataDir());
        } catch (StartException held) {
            throw new StartException(
                    held.getMessage() + "; if that is a gateway, ask it with --online, or stop it first", held);
        }
    }

    private ExitCode check(boolean repair, boolean checksum, boolean json) throws StartException {
        InstantSource clock = InstantSource.system();
        try (Namespace namespace = Gateway.namespace(config, clock);
                CarrierWatch carriers = new CarrierWatch();
                Accounts accounts = accounts(namespace, clock, carriers)) {
            Fsck.Summary summary = new Fsck(
                            namespace,
                            accounts,
                            clock,
                            Thread::sleep,
                            settings(config).with(repair, checksum),
                            new Printer(json))
                    .run();
            out.println(FsckReport.lines(summary, json));
            return switch (FsckReport.status(summary)) {
                case FsckReport.CLEAN -> ExitCode.OK;
                case FsckReport.FOUND -> ExitCode.FOUND;
                default -> {
                    err.println(
                            "headgate: not everything could be checked; if a gateway serves these accounts, ask it with"
                                    + " --online");
                    yield ExitCode.INCOMPLETE;
                }
            };
        } catch (NamespaceException failed) {
            throw new StartException(failed.getMessage() == null ? failed.toString() : failed.getMessage(), failed);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted", interrupted);
        }
    }

    /**
     * Those of the configuration, and those that were added at run time. Nothing is made where an account has not been used yet: there is
     * nothing to check.
     */
    private Accounts accounts(Namespace namespace, InstantSource clock, CarrierWatch carriers) throws StartException {
        List<AccountConfig> all = new ArrayList<>(config.accounts());
        Set<String> configured = all.stream().map(AccountConfig::name).collect(Collectors.toSet());
        AddedAccounts reader = new AddedAccounts(config);
        for (AddedAccount added : AccountRoster.taken(namespace.addedAccounts(), configured)) {
            try {
                all.add(reader.reread(added.definition()));
            } catch (ConfigException invalid) {
                throw new StartException(
                        "the account " + added.name() + " cannot be opened: " + invalid.getMessage(), invalid);
            }
        }
        Set<String> known = namespace.accountUsage().keySet();
        all.removeIf(account -> !known.contains(account.name()) && isUnused(account));
        Set<String> used = all.stream().map(AccountConfig::name).collect(Collectors.toSet());
        Stores stores = new Stores(config, namespace.id(), used, clock, carriers);
        return new Accounts(all.stream()
                .map(account -> Gateway.account(
                        config, account, AccountListener.NONE, stores.open(account, (name, store) -> store)))
                .toList());
    }

    private static boolean isUnused(AccountConfig account) {
        if (!(account.storage() instanceof Storage.Local local)) {
            return false;
        }
        try (Stream<Path> files = Files.list(local.path())) {
            return files.findAny().isEmpty();
        } catch (NoSuchFileException missing) {
            return true;
        } catch (IOException unreadable) {
            return false; // which the check will tell
        }
    }

    private final class Printer implements Fsck.Listener {
        private final boolean json;
        private final FsckProgress progress = new FsckProgress(System::nanoTime, err::println);

        Printer(boolean json) {
            this.json = json;
        }

        @Override
        public void found(Finding finding) {
            out.println(FsckReport.line(finding, json));
        }

        @Override
        public void progress(String line) {
            progress.accept(line);
        }
    }
}
