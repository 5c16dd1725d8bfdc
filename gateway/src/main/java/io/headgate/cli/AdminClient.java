package io.headgate.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;

/** Asks a running gateway over its admin API and prints the answer. */
public final class AdminClient {
    private static final int MAX_ANSWER_BYTES = 64 << 20;
    /** More than a gateway takes. */
    private static final int MAX_DOCUMENT_BYTES = 1 << 20;

    private final URI endpoint;
    private final String token;
    private final Duration timeout;

    /**
     * A client of one gateway.
     *
     * @param endpoint such as {@code http://127.0.0.1:9001}
     * @param token the admin token
     * @param timeout for a connection, and again for the answer
     */
    public AdminClient(URI endpoint, String token, Duration timeout) {
        this.endpoint = endpoint;
        this.token = token;
        this.timeout = timeout;
    }

    /**
     * Lets the gateway check namespace and accounts: prints what it finds to {@code out}, how far it is to {@code err}.
     *
     * @param json whether for programs, else for people
     */
    public ExitCode fsck(boolean repair, boolean checksum, boolean json, PrintStream out, PrintStream err) {
        try (HttpClient client = client()) {
            HttpResponse<InputStream> response = client.send(
                    HttpRequest.newBuilder(endpoint.resolve("/admin/v1/fsck?checksum=" + checksum))
                            .method(repair ? "PUT" : "GET", HttpRequest.BodyPublishers.noBody())
                            .timeout(timeout)
                            .header("Authorization", "Bearer " + token)
                            .header("Accept", json ? "application/json" : "text/plain")
                            .build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            try (BufferedReader lines =
                    new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
                if (response.statusCode() != 200) {
                    err.println("headgate: " + lines.readLine());
                    return ExitCode.INCOMPLETE;
                }
                return fsck(lines, out, err);
            }
        } catch (ConnectException unreachable) {
            err.println("headgate: no gateway answers at " + endpoint);
        } catch (IOException failed) {
            err.println("headgate: " + endpoint + " failed: " + failed.getMessage());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            err.println("headgate: interrupted");
        }
        return ExitCode.INCOMPLETE;
    }

    /**
     * Writes the gateway's answer to a question to {@code into}, as long as it may be.
     *
     * @throws ConnectException if no gateway answers
     * @throws IOException if it refuses, or its answer is cut off
     */
    public void download(String target, OutputStream into) throws IOException, InterruptedException {
        try (HttpClient client = client()) {
            HttpResponse<InputStream> response = client.send(
                    HttpRequest.newBuilder(endpoint.resolve(target))
                            .timeout(timeout)
                            .header("Authorization", "Bearer " + token)
                            .build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                if (response.statusCode() != 200) {
                    throw new IOException(new String(body.readNBytes(500), StandardCharsets.UTF_8).strip());
                }
                body.transferTo(into);
            }
        }
    }

    private static ExitCode fsck(BufferedReader lines, PrintStream out, PrintStream err) throws IOException {
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String text = line.substring(Math.min(2, line.length()));
            switch (line.isEmpty() ? ' ' : line.charAt(0)) {
                case 'X' -> {
                    return switch (text) {
                        case "0" -> ExitCode.OK;
                        case "1" -> ExitCode.FOUND;
                        default -> ExitCode.INCOMPLETE;
                    };
                }
                case 'P' -> err.println(text);
                default -> out.println(text);
            }
        }
        throw new IOException("the check was cut off");
    }

    private HttpClient client() {
        return HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(timeout)
                .build();
    }

    /**
     * Prints the answer to {@code out}, or what went wrong, in a line, to {@code err}.
     *
     * @param json whether for programs, else for people
     */
    public ExitCode run(AdminRequest request, boolean json, PrintStream out, PrintStream err) {
        byte[] document = {};
        if (request.file().isPresent()) {
            Path file = request.file().get();
            try (InputStream in = Files.newInputStream(file)) {
                document = in.readNBytes(MAX_DOCUMENT_BYTES);
            } catch (IOException unreadable) {
                err.println("headgate: " + file + " cannot be read: " + unreadable);
                return ExitCode.FAILED;
            }
        }
        try (HttpClient client = client()) {
            HttpResponse<InputStream> response = client.send(
                    HttpRequest.newBuilder(endpoint.resolve(request.target()))
                            .method(request.method(), HttpRequest.BodyPublishers.ofByteArray(document))
                            .timeout(timeout)
                            .header("Authorization", "Bearer " + token)
                            .header("Accept", json ? "application/json" : "text/plain")
                            .build(),
                    HttpResponse.BodyHandlers.ofInputStream());
            try (InputStream body = response.body()) {
                byte[] answer = body.readNBytes(MAX_ANSWER_BYTES);
                if (response.statusCode() == 200) {
                    out.write(answer, 0, answer.length);
                    out.flush();
                    return ExitCode.OK;
                }
                String text = new String(answer, StandardCharsets.UTF_8).strip();
                err.println("headgate: " + (text.isEmpty() ? "HTTP status " + response.statusCode() : text));
                return ExitCode.FAILED;
            }
        } catch (ConnectException unreachable) {
            err.println("headgate: no gateway answers at " + endpoint);
        } catch (IOException failed) {
            err.println("headgate: " + endpoint + " failed: " + failed.getMessage());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            err.println("headgate: interrupted");
        }
        return ExitCode.FAILED;
    }
}
