package io.headgate.region;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.headgate.http.HttpServer;
import io.headgate.http.HttpServerConfig;
import io.headgate.http.Response;
import io.headgate.http.Tls;
import io.headgate.http.TlsFiles;
import io.headgate.s3.auth.RelayedBody;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The hop with certificates of both sides, which are made here. */
final class PeerTlsTest {
    private static final String PASSWORD = "not a secret";

    @TempDir
    private static Path directory;

    private static HttpServer owner;

    @BeforeAll
    static void makeCertificates() throws Exception {
        keytool("-alias", "authority", "-dname", "CN=authority", "-ext", "bc:c");
        keytool("-alias", "gateway", "-dname", "CN=gateway", "-signer", "authority", "-ext", "san=ip:127.0.0.1");
        keytool("-alias", "stranger", "-dname", "CN=stranger");
        KeyStore store = KeyStore.getInstance(directory.resolve("keys").toFile(), PASSWORD.toCharArray());
        for (String name : List.of("authority", "gateway", "stranger")) {
            Certificate[] chain = store.getCertificateChain(name);
            StringBuilder pem = new StringBuilder();
            for (Certificate certificate : chain) {
                pem.append(pem("CERTIFICATE", certificate.getEncoded()));
            }
            Files.writeString(directory.resolve(name + ".pem"), pem);
            byte[] key = store.getKey(name, PASSWORD.toCharArray()).getEncoded();
            Files.writeString(directory.resolve(name + ".key"), pem("PRIVATE KEY", key));
        }
        owner = start();
    }

    @AfterAll
    static void stop() {
        owner.stop(Duration.ZERO);
    }

    @Test
    void gateways_whose_certificates_an_authority_of_both_vouches_for_talk() throws Exception {
        byte[] content = new byte[3 << 20];
        new Random(5).nextBytes(content);
        try (Peers peers = peers(tls("gateway", "authority"), owner)) {
            for (int i = 0; i < 3; i++) {
                PeerRequest put = new PeerRequest(
                        "PUT", "/b/k", List.of(), "alice", "192.0.2.7", "0123", Optional.of(RelayedBody.of(content)));
                try (PeerResponse response = HopTest.relayed(peers.send("eu", put))) {
                    assertThat(response.body().orElseThrow().readAllBytes()).isEqualTo(content);
                }
            }
            assertThat(peers.gateways().getFirst().idleConnections()).isEqualTo(1);
        }
    }

    @Test
    void a_gateway_without_a_certificate_of_the_authority_is_kept_out() throws Exception {
        Tls without = Tls.load(
                new TlsFiles(Optional.empty(), Optional.empty(), Optional.of(directory.resolve("authority.pem"))));
        for (Tls tls : List.of(without, tls("stranger", "authority"))) {
            try (Peers peers = peers(tls, owner)) {
                assertThat(peers.send("eu", get())).isInstanceOf(Answer.Unreachable.class);
            }
        }
    }

    @Test
    void an_owner_that_nobody_trusted_vouches_for_is_told_nothing() throws Exception {
        try (Peers peers = peers(tls("gateway", "stranger"), owner)) {
            assertThat(peers.send("eu", get())).isInstanceOf(Answer.Unreachable.class);
            assertThat(peers.gateways().getFirst().failure()).isPresent();
        }
        URI otherName = URI.create("https://localhost:" + owner.address().getPort());
        try (Peers peers = peers(Optional.of(tls("gateway", "authority")), otherName)) {
            assertThat(peers.send("eu", get()))
                    .as("a certificate for another host")
                    .isInstanceOf(Answer.Unreachable.class);
            assertThat(peers.gateways().getFirst().failure()).isPresent();
        }
    }

    @Test
    void what_does_not_speak_tls_is_kept_out() throws Exception {
        try (Peers peers = peers(Optional.empty(), Hop.address(owner))) {
            assertThat(peers.send("eu", get())).isInstanceOf(Answer.Unreachable.class);
        }
    }

    @Test
    void files_that_hold_something_else_are_named() {
        assertThatThrownBy(() -> Tls.load(new TlsFiles(
                        Optional.of(directory.resolve("gateway.pem")),
                        Optional.of(directory.resolve("gateway.pem")),
                        Optional.empty())))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("gateway.pem")
                .hasMessageContaining("PKCS#8");
        assertThatThrownBy(() -> Tls.load(new TlsFiles(
                        Optional.empty(), Optional.empty(), Optional.of(directory.resolve("gateway.key")))))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("gateway.key");
    }

    private static PeerRequest get() {
        return new PeerRequest("GET", "/b/k", List.of(), "alice", "192.0.2.7", "0123", Optional.empty());
    }

    private static HttpServer start() throws IOException {
        PeerHandler receiver = new PeerHandler(
                "eu",
                Map.of("us", Hop.SECRET),
                (exchange, by) -> {
                    try {
                        return new Response(200, List.of(), new Response.Body.Bytes(Hop.content(exchange, by)));
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                },
                InstantSource.system());
        return HttpServer.start(
                HttpServerConfig.listeningOn("127.0.0.1", 0),
                Optional.of(tls("gateway", "authority")),
                receiver,
                done -> {},
                InstantSource.system(),
                new Random(7));
    }

    private static Tls tls(String own, String trusted) throws IOException {
        return Tls.load(new TlsFiles(
                Optional.of(directory.resolve(own + ".pem")),
                Optional.of(directory.resolve(own + ".key")),
                Optional.of(directory.resolve(trusted + ".pem"))));
    }

    private static Peers peers(Tls tls, HttpServer server) {
        return peers(
                Optional.of(tls),
                URI.create("https://127.0.0.1:" + server.address().getPort()));
    }

    private static Peers peers(Optional<Tls> tls, URI address) {
        return new Peers(
                "us",
                List.of(new PeerRegion("eu", List.of(address), Hop.SECRET)),
                tls,
                PeerSettings.DEFAULTS,
                InstantSource.system(),
                new Random(8),
                () -> 0);
    }

    private static void keytool(String... more) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
                "-genkeypair",
                "-keyalg",
                "EC",
                "-validity",
                "2",
                "-storetype",
                "PKCS12",
                "-keystore",
                directory.resolve("keys").toString(),
                "-storepass",
                PASSWORD));
        command.addAll(List.of(more));
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    private static String pem(String what, byte[] content) {
        return "-----BEGIN " + what + "-----\n"
                + Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content) + "\n-----END " + what
                + "-----\n";
    }
}
