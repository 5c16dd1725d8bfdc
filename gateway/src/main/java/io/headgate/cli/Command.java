package io.headgate.cli;

import java.util.List;

/** What a command line asks for. */
public sealed interface Command {
    /** Start the gateway. */
    record Serve(Settings settings) implements Command {}

    /** Ask a running gateway, over its admin API. */
    record Admin(AdminRequest request, boolean json, Settings settings) implements Command {}

    /**
     * Compare namespace and accounts.
     *
     * @param repair whether to set right what is safe to set right
     * @param checksum whether to read all bytes
     * @param online whether a running gateway does it, else this process
     */
    record Fsck(boolean repair, boolean checksum, boolean online, boolean json, Settings settings) implements Command {}

    /** Write a backup of the namespace into a file that does not exist yet. */
    record Backup(String file, Settings settings) implements Command {}

    /** Make an empty namespace that of a backup. */
    record Restore(String file, Settings settings) implements Command {}

    /**
     * Make an empty namespace the same as another, of any engine.
     *
     * @param from configuration file, or URL, of that which is copied
     * @param to of that which is empty
     * @param online whether gateways may write to that which is copied meanwhile
     */
    record CopyNamespace(String from, String to, boolean online) implements Command {}

    /** Run the benchmarks with those arguments. */
    record Bench(List<String> arguments) implements Command {
        public Bench {
            arguments = List.copyOf(arguments);
        }
    }

    /** A command of the contract that this build does not have. */
    record NotImplemented(String name) implements Command {}

    /** Print how to use the command line. */
    record Help(String text) implements Command {}

    /** Print the version. */
    record Version() implements Command {}

    /** The flags that say where the configuration is or override it, in the order given. */
    record Settings(List<Flag> flags) {
        public Settings {
            flags = List.copyOf(flags);
        }
    }

    /** A flag with its value, such as {@code --listen 127.0.0.1:9000}. */
    record Flag(String name, String value) {}
}
