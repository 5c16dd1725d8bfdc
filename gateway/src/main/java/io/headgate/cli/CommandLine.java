package io.headgate.cli;

import io.headgate.cli.Command.Flag;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;

/** Parses the words after {@code headgate}, purely. */
public final class CommandLine {
    private static final List<String> SETTING_FLAGS = List.of("--config", "--data", "--listen", "--admin-listen");
    private static final String SERVE_USAGE =
            "[--config FILE] [--data DIR] [--listen HOST:PORT] [--admin-listen HOST:PORT]";

    /**
     * A command of the contract.
     *
     * @param words that name it
     * @param operands names of what must follow
     * @param flags flags with a value that it takes
     * @param required those of them that must be given
     * @param switches flags without a value that it takes
     * @param usage what follows the words, for people
     * @param maker makes the command of its parsed rest
     */
    private record Form(
            String words,
            List<String> operands,
            List<String> flags,
            List<String> required,
            Set<String> switches,
            String usage,
            String meaning,
            Function<Parsed, Command> maker) {
        Form(
                String words,
                List<String> operands,
                Set<String> switches,
                String usage,
                String meaning,
                Function<Parsed, Command> maker) {
            this(words, operands, SETTING_FLAGS, List.of(), switches, usage, meaning, maker);
        }
    }

    private record Parsed(List<String> operands, List<Flag> flags, Set<String> switches) {
        boolean has(String option) {
            return switches.contains(option);
        }

        /** Of a flag that is required. */
        String value(String flag) {
            return flags.stream()
                    .filter(given -> given.name().equals(flag))
                    .map(Flag::value)
                    .findFirst()
                    .orElse("");
        }

        boolean json() {
            return switches.contains(JSON);
        }
    }

    private static final String JSON = "--json";
    private static final String FROM = "--from";
    private static final String TO = "--to";
    private static final String ONLINE = "--online";

    private static final List<Form> FORMS = List.of(
            new Form(
                    "serve",
                    List.of(),
                    Set.of(),
                    SERVE_USAGE,
                    "Serve S3 until SIGTERM",
                    parsed -> new Command.Serve(new Command.Settings(parsed.flags()))),
            admin(
                    "accounts list",
                    List.of(),
                    "List accounts, their state and use",
                    _ -> new AdminRequest.ListAccounts()),
            admin(
                    "accounts explain",
                    List.of("BUCKET", "KEY"),
                    "Tell where an object's bytes are and where a new write would go",
                    of -> new AdminRequest.Explain(of.get(0), of.get(1))),
            admin(
                    "accounts add",
                    List.of("FILE"),
                    List.of("--force"),
                    "Check and add an account that FILE describes, with --force though the check fails",
                    of -> new AdminRequest.AddAccount(Path.of(of.operands().getFirst()), of.has("--force"))),
            admin(
                    "accounts probe",
                    List.of("NAME"),
                    "Try all that a gateway asks of an account",
                    of -> new AdminRequest.ProbeAccount(of.getFirst())),
            admin(
                    "accounts drain",
                    List.of("NAME"),
                    "Move an account's blobs elsewhere, and write no new ones to it",
                    of -> new AdminRequest.SetDraining(of.getFirst(), true)),
            admin(
                    "accounts undrain",
                    List.of("NAME"),
                    "Stop to drain an account",
                    of -> new AdminRequest.SetDraining(of.getFirst(), false)),
            admin(
                    "accounts read-only",
                    List.of("NAME"),
                    "Write no new blobs to an account",
                    of -> new AdminRequest.SetReadOnly(of.getFirst(), true)),
            admin(
                    "accounts read-write",
                    List.of("NAME"),
                    "Write new blobs to an account again",
                    of -> new AdminRequest.SetReadOnly(of.getFirst(), false)),
            admin(
                    "accounts rebalance",
                    List.of(),
                    List.of("--stop"),
                    "Move blobs until accounts are equally full, or stop to",
                    of -> new AdminRequest.SetRebalancing(!of.has("--stop"))),
            admin(
                    "accounts remove",
                    List.of("NAME"),
                    List.of("--force"),
                    "Remove an account that was added, drained and empty, with --force though garbage waits there",
                    of -> new AdminRequest.RemoveAccount(of.operands().getFirst(), of.has("--force"))),
            admin("buckets list", List.of(), "List buckets", _ -> new AdminRequest.ListBuckets()),
            admin(
                    "buckets show",
                    List.of("NAME"),
                    "Show a bucket and its use",
                    of -> new AdminRequest.ShowBucket(of.getFirst())),
            admin(
                    "buckets ranges",
                    List.of("NAME"),
                    "Show the ranges that a bucket is spread in (engine redis)",
                    of -> new AdminRequest.ShowRanges(of.getFirst())),
            admin(
                    "regions",
                    List.of(),
                    "List the regions, their gateways, and names that two of them have",
                    _ -> new AdminRequest.ListRegions()),
            new Form(
                    "admin namespace backup",
                    List.of("FILE"),
                    Set.of(),
                    "FILE",
                    "Write everything that the namespace keeps into a file",
                    parsed -> new Command.Backup(parsed.operands().getFirst(), new Command.Settings(parsed.flags()))),
            new Form(
                    "admin namespace restore",
                    List.of("FILE"),
                    Set.of(),
                    "FILE",
                    "Make an empty namespace that of a backup, while no gateway runs",
                    parsed -> new Command.Restore(parsed.operands().getFirst(), new Command.Settings(parsed.flags()))),
            new Form(
                    "admin namespace copy",
                    List.of(),
                    List.of(FROM, TO),
                    List.of(FROM, TO),
                    Set.of(ONLINE),
                    "--from CONFIG|URL --to CONFIG|URL [--online]",
                    "Make an empty namespace the same as another, of any engine, and compare them",
                    parsed -> new Command.CopyNamespace(parsed.value(FROM), parsed.value(TO), parsed.has(ONLINE))),
            later("admin users list", "", "List users"),
            later("admin users create", "ID", "Create a user"),
            later("admin users delete", "ID", "Delete a user"),
            later("admin keys list", "", "List access keys"),
            later("admin keys create", "USER", "Create an access key"),
            later("admin keys delete", "ACCESS_KEY", "Delete an access key"),
            new Form(
                    "fsck",
                    List.of(),
                    Set.of("--repair", "--checksum", "--online", JSON),
                    "[--repair] [--checksum] [--online] [--json]",
                    "Compare namespace and accounts, and set right what is safe",
                    parsed -> new Command.Fsck(
                            parsed.switches().contains("--repair"),
                            parsed.switches().contains("--checksum"),
                            parsed.switches().contains("--online"),
                            parsed.json(),
                            new Command.Settings(parsed.flags()))));

    private CommandLine() {}

    /**
     * The command that the words ask for.
     *
     * @throws UsageException if they ask for none
     */
    public static Command parse(List<String> words) throws UsageException {
        if (words.isEmpty()) {
            throw new UsageException("no command given; see headgate --help");
        }
        String first = words.getFirst();
        if (first.equals("bench")) {
            return new Command.Bench(words.subList(1, words.size()));
        }
        if (first.equals("--version")) {
            return new Command.Version();
        }
        List<String> beforeOperands =
                words.stream().takeWhile(word -> !word.equals("--")).toList();
        if (beforeOperands.contains("--help") || beforeOperands.contains("-h") || first.equals("help")) {
            return new Command.Help(help());
        }
        for (Form form : FORMS) {
            List<String> name = List.of(form.words().split(" "));
            if (words.size() >= name.size() && words.subList(0, name.size()).equals(name)) {
                Parsed parsed = parse(form, words.subList(name.size(), words.size()));
                return form.maker().apply(parsed);
            }
        }
        throw unknown(words);
    }

    /** With the commands of the group, if the words begin with one. */
    private static UsageException unknown(List<String> words) {
        for (int count = Math.min(2, words.size()); count > 0; count--) {
            String group = String.join(" ", words.subList(0, count));
            List<Form> forms = FORMS.stream()
                    .filter(form -> form.words().startsWith(group + " "))
                    .toList();
            if (!forms.isEmpty()) {
                boolean more = words.size() > count && !words.get(count).startsWith("-");
                StringBuilder text = new StringBuilder(more ? "unknown command: " + named(words) + "; " : "");
                text.append("usage:");
                forms.forEach(form -> text.append("\n  ").append(usage(form)));
                return new UsageException(text.toString());
            }
        }
        return new UsageException("unknown command: " + named(words) + "; see headgate --help");
    }

    private static String usage(Form form) {
        return ("headgate " + form.words() + " " + form.usage()).stripTrailing();
    }

    private static Parsed parse(Form form, List<String> words) throws UsageException {
        boolean later =
                form.maker().apply(new Parsed(form.operands(), List.of(), Set.of())) instanceof Command.NotImplemented;
        List<String> operands = new ArrayList<>();
        List<Flag> flags = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        Set<String> switches = new HashSet<>();
        boolean flagsEnded = false;
        for (int i = 0; i < words.size() && !later; i++) {
            String word = words.get(i);
            if (flagsEnded || !word.startsWith("--")) {
                operands.add(word);
            } else if (word.equals("--")) {
                flagsEnded = true;
            } else {
                int equals = word.indexOf('=');
                String name = equals < 0 ? word : word.substring(0, equals);
                if (!seen.add(name)) {
                    throw new UsageException(name + ": given twice");
                }
                if (form.switches().contains(name) && equals < 0) {
                    switches.add(name);
                } else if (!form.flags().contains(name)) {
                    throw new UsageException(name + ": unknown flag of headgate " + form.words());
                } else if (equals >= 0) {
                    flags.add(new Flag(name, valueOf(name, word.substring(equals + 1))));
                } else if (i + 1 < words.size()) {
                    flags.add(new Flag(name, valueOf(name, words.get(++i))));
                } else {
                    throw new UsageException(name + ": needs a value");
                }
            }
        }
        boolean complete = operands.size() == form.operands().size() && seen.containsAll(form.required());
        if (!later && !complete) {
            throw new UsageException("usage: headgate " + form.words() + " " + form.usage());
        }
        return new Parsed(operands, flags, switches);
    }

    private static String valueOf(String flag, String value) throws UsageException {
        if (value.isEmpty() || value.startsWith("--")) {
            throw new UsageException(flag + ": needs a value");
        }
        return value;
    }

    /** The leading words that are no flags, at most three. */
    private static String named(List<String> words) {
        List<String> leading =
                words.stream().limit(3).takeWhile(word -> !word.startsWith("-")).toList();
        return leading.isEmpty() ? words.getFirst() : String.join(" ", leading);
    }

    private static Form admin(
            String words, List<String> operands, String meaning, Function<List<String>, AdminRequest> request) {
        return admin(words, operands, List.of(), meaning, parsed -> request.apply(parsed.operands()));
    }

    private static Form admin(
            String words,
            List<String> operands,
            List<String> options,
            String meaning,
            Function<Parsed, AdminRequest> request) {
        List<String> switches = new ArrayList<>(options);
        switches.add(JSON);
        StringBuilder usage = new StringBuilder(String.join(" ", operands));
        switches.forEach(option -> usage.append(" [").append(option).append(']'));
        return new Form(
                "admin " + words,
                operands,
                Set.copyOf(switches),
                usage.toString().strip(),
                meaning,
                parsed ->
                        new Command.Admin(request.apply(parsed), parsed.json(), new Command.Settings(parsed.flags())));
    }

    private static Form later(String words, String usage, String meaning) {
        return new Form(
                words,
                List.of(),
                Set.of(),
                usage,
                meaning + " (not implemented yet)",
                _ -> new Command.NotImplemented(words));
    }

    private static String help() {
        StringBuilder text = new StringBuilder("Usage: headgate COMMAND\n\n");
        for (Form form : FORMS) {
            text.append("  ")
                    .append(usage(form))
                    .append('\n')
                    .append("      ")
                    .append(form.meaning())
                    .append('\n');
        }
        return text.append("  headgate bench ...\n      Run the benchmarks\n")
                .append("  headgate --version | --help\n\n")
                .append("Commands of admin and fsck take the flags of serve, to find the gateway, and --json.\n")
                .append("Exit status: 0 done, 1 failed, 2 wrong usage, 3 wrong configuration, 4 not implemented yet;\n")
                .append("of fsck: 0 clean, 1 something found, 2 it could not run or not check everything.\n")
                .toString();
    }
}
