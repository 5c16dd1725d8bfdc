package io.headgate.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.cli.Command.Flag;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class CommandLineTest {
    private static Command parse(String line) throws UsageException {
        return CommandLine.parse(line.isEmpty() ? List.of() : List.of(line.split(" ")));
    }

    @Test
    void serve_takes_its_flags_in_both_forms() throws Exception {
        assertThat(parse("serve")).isEqualTo(new Command.Serve(new Command.Settings(List.of())));
        assertThat(parse("serve --config a.yaml --data=d --listen [::1]:1 --admin-listen=h:2"))
                .isEqualTo(new Command.Serve(new Command.Settings(List.of(
                        new Flag("--config", "a.yaml"),
                        new Flag("--data", "d"),
                        new Flag("--listen", "[::1]:1"),
                        new Flag("--admin-listen", "h:2")))));
    }

    @Test
    void admin_commands_become_requests_to_the_admin_api() throws Exception {
        assertThat(parse("admin accounts list"))
                .isEqualTo(new Command.Admin(new AdminRequest.ListAccounts(), false, new Command.Settings(List.of())));
        assertThat(parse("admin accounts explain --json b k/é --data d"))
                .isEqualTo(new Command.Admin(
                        new AdminRequest.Explain("b", "k/é"),
                        true,
                        new Command.Settings(List.of(new Flag("--data", "d")))));
        assertThat(parse("admin buckets show photos"))
                .isEqualTo(new Command.Admin(
                        new AdminRequest.ShowBucket("photos"), false, new Command.Settings(List.of())));
        assertThat(parse("admin regions"))
                .isEqualTo(new Command.Admin(new AdminRequest.ListRegions(), false, new Command.Settings(List.of())));
        assertThat(parse("admin buckets ranges photos --json"))
                .isEqualTo(new Command.Admin(
                        new AdminRequest.ShowRanges("photos"), true, new Command.Settings(List.of())));
    }

    @Test
    void a_namespace_is_copied_from_one_place_to_another_that_both_must_be_named() throws Exception {
        assertThat(parse("admin namespace copy --from a.yaml --to=postgresql://h/d"))
                .isEqualTo(new Command.CopyNamespace("a.yaml", "postgresql://h/d", false));
        assertThat(parse("admin namespace copy --online --to b.yaml --from sqlite:data"))
                .isEqualTo(new Command.CopyNamespace("sqlite:data", "b.yaml", true));
        assertThatThrownBy(() -> parse("admin namespace copy --from a.yaml"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("--from CONFIG|URL --to CONFIG|URL");
        assertThatThrownBy(() -> parse("admin namespace copy --from a.yaml --to b.yaml --config c.yaml"))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("unknown flag");
    }

    @Test
    void what_is_wanted_of_an_account_is_put_and_what_is_wanted_no_more_deleted() throws Exception {
        assertThat(request("admin accounts drain disk-1")).isEqualTo(new AdminRequest.SetDraining("disk-1", true));
        assertThat(request("admin accounts undrain disk-1")).isEqualTo(new AdminRequest.SetDraining("disk-1", false));
        assertThat(request("admin accounts read-only disk-1")).isEqualTo(new AdminRequest.SetReadOnly("disk-1", true));
        assertThat(request("admin accounts read-write disk-1"))
                .isEqualTo(new AdminRequest.SetReadOnly("disk-1", false));

        assertThat(new AdminRequest.SetDraining("a/b", true).target()).isEqualTo("/admin/v1/accounts/a%2Fb/draining");
        assertThat(new AdminRequest.SetReadOnly("a", true).target()).isEqualTo("/admin/v1/accounts/a/read-only");
        assertThat(new AdminRequest.SetReadOnly("a", true).method()).isEqualTo("PUT");
        assertThat(new AdminRequest.SetDraining("a", false).method()).isEqualTo("DELETE");
        assertThat(new AdminRequest.ListAccounts().method()).isEqualTo("GET");
    }

    @Test
    void an_account_is_added_from_a_file() throws Exception {
        assertThat(request("admin accounts add x.yaml"))
                .isEqualTo(new AdminRequest.AddAccount(Path.of("x.yaml"), false));
        assertThat(request("admin accounts add --force x.yaml"))
                .isEqualTo(new AdminRequest.AddAccount(Path.of("x.yaml"), true));
        assertThat(new AdminRequest.AddAccount(Path.of("x"), true).target())
                .isEqualTo("/admin/v1/accounts?file=x&force=true");
        assertThat(new AdminRequest.AddAccount(Path.of("x"), true).method()).isEqualTo("POST");
        assertThat(new AdminRequest.AddAccount(Path.of("x"), true).file()).contains(Path.of("x"));
        assertThat(request("admin accounts rebalance")).isEqualTo(new AdminRequest.SetRebalancing(true));
        assertThat(request("admin accounts rebalance --stop")).isEqualTo(new AdminRequest.SetRebalancing(false));
        assertThat(new AdminRequest.SetRebalancing(false).method()).isEqualTo("DELETE");
        assertThat(request("admin accounts probe a")).isEqualTo(new AdminRequest.ProbeAccount("a"));
        assertThat(request("admin accounts remove a")).isEqualTo(new AdminRequest.RemoveAccount("a", false));
        assertThat(request("admin accounts remove a --force").target()).isEqualTo("/admin/v1/accounts/a?force=true");
        assertThat(new AdminRequest.RemoveAccount("a/b", false).target()).isEqualTo("/admin/v1/accounts/a%2Fb");
        assertThat(new AdminRequest.RemoveAccount("a", true).method()).isEqualTo("DELETE");
    }

    private static AdminRequest request(String line) throws UsageException {
        return ((Command.Admin) parse(line)).request();
    }

    @Test
    void a_key_that_looks_like_a_flag_follows_two_hyphens() throws Exception {
        assertThat(parse("admin accounts explain -- b --help"))
                .isEqualTo(new Command.Admin(
                        new AdminRequest.Explain("b", "--help"), false, new Command.Settings(List.of())));
    }

    @Test
    void the_targets_of_requests_are_percent_encoded() {
        assertThat(new AdminRequest.Explain("b", "a b/ü&=?+%").target())
                .isEqualTo("/admin/v1/explain?bucket=b&key=a%20b%2F%C3%BC%26%3D%3F%2B%25");
        assertThat(new AdminRequest.ShowBucket("../x").target()).isEqualTo("/admin/v1/buckets/..%2Fx");
        assertThat(new AdminRequest.ShowRanges("photos").target()).isEqualTo("/admin/v1/buckets/photos/ranges");
    }

    @Test
    void fsck_takes_switches_and_the_flags_of_serve() throws Exception {
        assertThat(parse("fsck"))
                .isEqualTo(new Command.Fsck(false, false, false, false, new Command.Settings(List.of())));
        assertThat(parse("fsck --checksum --data d --repair --json"))
                .isEqualTo(new Command.Fsck(
                        true, true, false, true, new Command.Settings(List.of(new Flag("--data", "d")))));
        assertThat(parse("fsck --online"))
                .isEqualTo(new Command.Fsck(false, false, true, false, new Command.Settings(List.of())));
    }

    @Test
    void bench_passes_all_its_words_on() throws Exception {
        assertThat(parse("bench degrade --help")).isEqualTo(new Command.Bench(List.of("degrade", "--help")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "admin users list",
                "admin users create a",
                "admin users delete a",
                "admin keys list",
                "admin keys create a",
                "admin keys delete a"
            })
    void commands_of_later_builds_are_known(String line) throws Exception {
        assertThat(parse(line)).isInstanceOf(Command.NotImplemented.class);
        assertThat(line).startsWith(((Command.NotImplemented) parse(line)).name());
    }

    @ParameterizedTest
    @ValueSource(strings = {"--help", "-h", "help", "serve --help", "admin --help", "admin accounts -h"})
    void help_is_given_wherever_it_is_asked_for(String line) throws Exception {
        assertThat(parse(line)).isInstanceOf(Command.Help.class);
    }

    @Test
    void version_is_a_flag() throws Exception {
        assertThat(parse("--version")).isEqualTo(new Command.Version());
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    ''                             | no command given
                    serv                           | unknown command: serv;
                    admin                          | usage:
                    admin --json                   | usage:
                    admin acounts list             | unknown command: admin acounts list; usage:
                    admin accounts lst x y         | unknown command: admin accounts lst;
                    --verbose                      | unknown command: --verbose;
                    serve --listn a:1              | --listn: unknown flag of headgate serve
                    serve --json                   | --json: unknown flag of headgate serve
                    serve --repair                 | --repair: unknown flag of headgate serve
                    fsck --repair=yes              | --repair: unknown flag of headgate fsck
                    serve --listen                 | --listen: needs a value
                    serve --listen --data d        | --listen: needs a value
                    serve --data=                  | --data: needs a value
                    serve --data a --data=b        | --data: given twice
                    admin accounts list --force    | --force: unknown flag of headgate admin accounts list
                    serve now                      | usage: headgate serve [--config FILE]
                    admin accounts explain b       | usage: headgate admin accounts explain BUCKET KEY
                    admin accounts explain b k l   | usage: headgate admin accounts explain BUCKET KEY
                    """)
    void an_error_names_what_is_wrong(String line, String message) {
        assertThatThrownBy(() -> parse(line)).isInstanceOf(UsageException.class).hasMessageStartingWith(message);
    }

    @Test
    void a_group_of_commands_alone_shows_them() {
        assertThatThrownBy(() -> parse("admin buckets")).hasMessage("""
                usage:
                  headgate admin buckets list [--json]
                  headgate admin buckets show NAME [--json]
                  headgate admin buckets ranges NAME [--json]""");
        assertThatThrownBy(() -> parse("admin buckets lst"))
                .hasMessageStartingWith("unknown command: admin buckets lst; usage:\n  headgate admin buckets list");
        assertThatThrownBy(() -> parse("admin"))
                .hasMessageContaining("headgate admin accounts list")
                .hasMessageContaining("headgate admin namespace backup FILE");
    }

    @Test
    void the_reference_shows_the_help_as_it_is() throws Exception {
        Command.Help help = (Command.Help) parse("--help");

        assertThat(Files.readString(Path.of("../docs/cli.md"))).contains("```\n" + help.text() + "```\n");
    }
}
