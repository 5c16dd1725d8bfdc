package io.headgate.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.http.CompletedExchange;
import io.headgate.http.Exchange.Label;
import io.headgate.http.RequestHead;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.WritableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class AccessLogTest {
    private static final InstantSource CLOCK = InstantSource.fixed(Instant.parse("2026-11-30T06:24:44.123Z"));

    @TempDir
    private Path directory;

    private Path file() {
        return directory.resolve("logs/access.log");
    }

    private AccessLog logTo(WritableByteChannel destination) {
        return AccessLog.start(destination, 1 << 20, CLOCK);
    }

    private static CompletedExchange exchange(String target, Map<Label, String> labels) {
        RequestHead head = new RequestHead(
                "GET",
                target,
                List.of(
                        new RequestHead.Field("authorization", "AWS4-HMAC-SHA256 Credential=KEY, Signature=sesame"),
                        new RequestHead.Field("x-amz-security-token", "sesame"),
                        new RequestHead.Field("user-agent", "agent \"1\"\u0001")),
                "192.0.2.7");
        return new CompletedExchange(
                head,
                "00112233445566AA",
                CLOCK.instant(),
                labels,
                404,
                5,
                1_000_000_000_000L,
                Duration.ofNanos(1_234_567),
                Duration.ofNanos(7_654_321_000L),
                false);
    }

    private static String format(String target) {
        JsonWriter line = AccessLog.format(exchange(target, Map.of()));
        return new String(line.toByteArray(), StandardCharsets.UTF_8);
    }

    @Test
    void a_line_tells_what_the_request_was_and_what_came_of_it() {
        String line = new String(
                AccessLog.format(exchange(
                                "/photos/a%20b?partNumber=1",
                                Map.of(
                                        Label.OPERATION, "GetObject",
                                        Label.BUCKET, "photos",
                                        Label.KEY, "a b\n",
                                        Label.ERROR_CODE, "NoSuchKey",
                                        Label.USER, "alice",
                                        Label.ACCOUNT, "disk-1")))
                        .toByteArray(),
                StandardCharsets.UTF_8);

        assertThat(line).isEqualTo("""
                {"time":"2026-11-30T06:24:44.123Z","id":"00112233445566AA","remote":"192.0.2.7","method":"GET",\
                "target":"/photos/a%20b?partNumber=1","operation":"GetObject","bucket":"photos","key":"a b\\n","status":404,\
                "error":"NoSuchKey","bytes_in":5,"bytes_out":1000000000000,"duration_ms":7654.321,"first_byte_ms":1.234,\
                "user":"alice","account":"disk-1","agent":"agent \\"1\\"\\u0001"}
                """);
    }

    @Test
    void no_line_holds_a_credential() {
        assertThat(format("/b/k?X-Amz-Signature=sesame&X-Amz-Security-Token=sesame"))
                .doesNotContain("sesame");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    /b/k?X-Amz-Signature=sesame                       | /b/k?X-Amz-Signature=***
                    /b/k?a=1&x-amz-signature=sesame&b=2               | /b/k?a=1&x-amz-signature=***&b=2
                    /b/k?X-Amz-Credential=KEY%2F2026&X-Amz-Expires=60 | /b/k?X-Amz-Credential=***&X-Amz-Expires=60
                    /b/k?X-Amz-Security-Token=sesame&                 | /b/k?X-Amz-Security-Token=***&
                    /b/k?AWSAccessKeyId=K&Signature=sesame            | /b/k?AWSAccessKeyId=K&Signature=***
                    /b/k?X-Amz-%53ignature=sesame                     | /b/k?X-Amz-%53ignature=***
                    /b/k?%58%2Damz%2dsignature=sesame                 | /b/k?%58%2Damz%2dsignature=***
                    /b/k?X-Amz-Signature==sesame?=                    | /b/k?X-Amz-Signature=***
                    /b/k?prefix=X-Amz-Signature                       | /b/k?prefix=X-Amz-Signature
                    /b/k?&&=&%&x=%zz&X-Amz-Signature                  | /b/k?&&=&%&x=%zz&X-Amz-Signature
                    /b/k?                                             | /b/k?
                    /b/Signature=sesame                               | /b/Signature=sesame
                    """)
    void secret_parameters_of_a_target_are_hidden_however_they_are_spelt(String target, String shown) {
        assertThat(format(target)).contains("\"target\":\"" + shown + "\"");
    }

    @Test
    void a_long_target_is_cut_without_showing_a_secret_at_the_cut() {
        String padding = "/b/" + "k".repeat(RedactedTarget.MAX_CHARACTERS - 30) + "?X-Amz-Signature=";
        String line = format(padding + "sesame".repeat(20));

        assertThat(line).doesNotContain("sesame").contains("?X-Amz-Signature=***...\"");
        assertThat(format("/" + "k".repeat(10_000)).length()).isLessThan(RedactedTarget.MAX_CHARACTERS + 500);
    }

    @Test
    void every_line_that_was_taken_is_in_the_file_after_close() throws IOException {
        AccessLog log = logTo(new RotatingFile(file(), 1 << 20, 2));
        for (int i = 0; i < 1_000; i++) {
            log.completed(exchange("/b/" + i, Map.of()));
        }
        log.close();

        List<String> lines = Files.readAllLines(file());
        assertThat(lines).hasSize(1_000 - (int) log.droppedLines());
        assertThat(log.droppedLines()).isZero();
        assertThat(lines.getLast()).contains("\"target\":\"/b/999\"").endsWith("}");
    }

    @Test
    void lines_reach_the_file_without_a_close() throws IOException {
        try (AccessLog log = logTo(new RotatingFile(file(), 1 << 20, 2))) {
            log.completed(exchange("/b/k", Map.of()));
            Awaitility.await().until(() -> Files.size(file()) > 0);
        }
    }

    @Test
    void a_destination_that_stalls_holds_up_no_request_and_the_log_says_what_is_missing() throws Exception {
        StalledChannel destination = new StalledChannel();
        AccessLog log = AccessLog.start(destination, 64 * 1024, CLOCK);
        log.completed(exchange("/first", Map.of()));
        destination.entered.await();
        for (int i = 0; i < 1_000; i++) {
            log.completed(exchange("/b/" + i, Map.of()));
        }
        long dropped = log.droppedLines();
        destination.released.countDown();
        log.close();

        String written = destination.written.toString();
        assertThat(dropped).isBetween(800L, 950L);
        assertThat(written.lines().filter(line -> line.contains("\"target\""))).hasSize((int) (1_001 - dropped));
        assertThat(written).contains("\"dropped_lines\":" + dropped + "}\n");
    }

    @Test
    void lines_that_the_disk_refuses_are_counted_and_the_log_goes_on_when_it_recovers() throws IOException {
        Files.createDirectories(directory.resolve("logs"));
        StalledChannel destination = new StalledChannel();
        destination.released.countDown();
        destination.failing = true;
        AccessLog log = logTo(destination);
        log.completed(exchange("/lost", Map.of()));
        Awaitility.await().until(() -> log.droppedLines() == 1);
        destination.failing = false;
        log.completed(exchange("/kept", Map.of()));
        log.close();

        assertThat(destination.written.toString())
                .contains("\"dropped_lines\":1}", "\"target\":\"/kept\"")
                .doesNotContain("/lost");
    }

    @Test
    void the_file_is_rotated_at_its_bound_and_old_ones_are_dropped() throws IOException {
        RotatingFile file = new RotatingFile(file(), 100, 2);
        for (int i = 0; i < 10; i++) {
            file.write(ByteBuffer.wrap(("line " + i + " " + "x".repeat(40) + "\n").getBytes(StandardCharsets.UTF_8)));
        }
        file.close();

        assertThat(Files.readAllLines(file()))
                .extracting(line -> line.substring(0, 6))
                .containsExactly("line 8", "line 9");
        assertThat(Files.readAllLines(directory.resolve("logs/access.log.1"))).hasSize(2);
        assertThat(Files.readAllLines(directory.resolve("logs/access.log.2")).getFirst())
                .startsWith("line 4");
        assertThat(directory.resolve("logs")).isDirectoryNotContaining("glob:**.3");
    }

    @Test
    void without_old_files_the_file_begins_anew() throws IOException {
        RotatingFile file = new RotatingFile(file(), 10, 0);
        file.write(ByteBuffer.wrap("first...\n".getBytes(StandardCharsets.UTF_8)));
        file.write(ByteBuffer.wrap("second\n".getBytes(StandardCharsets.UTF_8)));
        file.close();

        assertThat(file()).hasContent("second\n");
        assertThat(Files.list(directory.resolve("logs"))).hasSize(1);
    }

    @Test
    void a_file_is_appended_to_after_a_restart_and_hidden_from_others() throws IOException {
        for (String line : List.of("one\n", "two\n")) {
            RotatingFile file = new RotatingFile(file(), 100, 1);
            file.write(ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8)));
            file.close();
        }

        assertThat(file()).hasContent("one\ntwo\n");
        assertThat(Files.getPosixFilePermissions(file()).toString()).doesNotContain("OTHERS", "GROUP_WRITE");
    }

    private static final class StalledChannel implements WritableByteChannel {
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch released = new CountDownLatch(1);
        final StringBuilder written = new StringBuilder();
        volatile boolean failing;

        @Override
        public int write(ByteBuffer bytes) throws IOException {
            entered.countDown();
            try {
                released.await();
            } catch (InterruptedException interrupted) {
                throw new IOException(interrupted);
            }
            if (failing) {
                throw new IOException("No space left on device");
            }
            int count = bytes.remaining();
            written.append(StandardCharsets.UTF_8.decode(bytes));
            return count;
        }

        @Override
        public boolean isOpen() {
            return true;
        }

        @Override
        public void close() {}
    }
}
