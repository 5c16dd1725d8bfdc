package io.headgate.http;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/** TLS 1.3 and 1.2 with the certificates that were in {@link TlsFiles} when it was loaded. Immutable. */
public final class Tls {
    private static final List<String> PROTOCOLS = List.of("TLSv1.3", "TLSv1.2");
    private static final List<String> KEY_ALGORITHMS = List.of("EC", "RSA", "Ed25519");
    private static final int MAX_FILE_BYTES = 1 << 20;
    private static final String KEY_BEGIN = "-----BEGIN PRIVATE KEY-----";
    private static final String KEY_END = "-----END PRIVATE KEY-----";

    /** The key store lives in memory and is never written: the password guards nothing. */
    private static final char[] IN_MEMORY = new char[0];

    private final SSLContext context;
    private final boolean hasAuthorities;

    private Tls(SSLContext context, boolean hasAuthorities) {
        this.context = context;
        this.hasAuthorities = hasAuthorities;
    }

    /**
     * Reads the files.
     *
     * @throws IOException if a file cannot be read, or does not hold what it should; the message names the file
     */
    public static Tls load(TlsFiles files) throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys(files), trust(files.authorities()), null);
            return new Tls(context, files.authorities().isPresent());
        } catch (GeneralSecurityException e) {
            throw new IOException("TLS cannot be set up: " + e.getMessage(), e);
        }
    }

    /** The context for connections in either direction. */
    public SSLContext context() {
        return context;
    }

    /** The versions of the protocol that may be spoken. */
    public static String[] protocols() {
        return PROTOCOLS.toArray(String[]::new);
    }

    /** Whether there are authorities, so that a server requires a certificate of its clients. */
    boolean hasAuthorities() {
        return hasAuthorities;
    }

    private static KeyManager @Nullable [] keys(TlsFiles files) throws IOException, GeneralSecurityException {
        if (files.certificates().isEmpty() || files.privateKey().isEmpty()) {
            return null;
        }
        Collection<? extends Certificate> chain =
                certificates(files.certificates().get());
        PrivateKey key = privateKey(files.privateKey().get());
        KeyStore store = emptyStore();
        store.setKeyEntry("own", key, IN_MEMORY, chain.toArray(Certificate[]::new));
        KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
        factory.init(store, IN_MEMORY);
        return factory.getKeyManagers();
    }

    private static TrustManager @Nullable [] trust(Optional<Path> authorities)
            throws IOException, GeneralSecurityException {
        if (authorities.isEmpty()) {
            return null;
        }
        KeyStore store = emptyStore();
        int count = 0;
        for (Certificate authority : certificates(authorities.get())) {
            store.setCertificateEntry("authority-" + count++, authority);
        }
        TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        factory.init(store);
        return factory.getTrustManagers();
    }

    private static KeyStore emptyStore() throws IOException, GeneralSecurityException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static Collection<? extends Certificate> certificates(Path file) throws IOException {
        try {
            Collection<? extends Certificate> found =
                    CertificateFactory.getInstance("X.509").generateCertificates(new ByteArrayInputStream(bytes(file)));
            if (found.isEmpty() || !found.stream().allMatch(X509Certificate.class::isInstance)) {
                throw new IOException(file + " holds no certificate in PEM");
            }
            return found;
        } catch (GeneralSecurityException e) {
            throw new IOException(file + " holds no certificates in PEM: " + e.getMessage(), e);
        }
    }

    private static PrivateKey privateKey(Path file) throws IOException {
        String text = new String(bytes(file), US_ASCII);
        int begin = text.indexOf(KEY_BEGIN);
        int end = text.indexOf(KEY_END);
        if (begin < 0 || end < begin) {
            throw new IOException(file + " holds no private key in PKCS#8, which begins with " + KEY_BEGIN);
        }
        byte[] encoded = decoded(text.substring(begin + KEY_BEGIN.length(), end), file);
        for (String algorithm : KEY_ALGORITHMS) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(encoded));
            } catch (InvalidKeySpecException ofAnotherAlgorithm) {
                // The next may be the one.
            } catch (GeneralSecurityException e) {
                throw new IOException("The private key in " + file + " cannot be used: " + e.getMessage(), e);
            }
        }
        throw new IOException("The private key in " + file + " is none of " + KEY_ALGORITHMS);
    }

    private static byte[] decoded(String base64, Path file) throws IOException {
        try {
            return Base64.getMimeDecoder().decode(base64);
        } catch (IllegalArgumentException malformed) {
            // Without its cause: what is in that file is in no log.
            throw new IOException("The private key in " + file + " is malformed");
        }
    }

    private static byte[] bytes(Path file) throws IOException {
        if (Files.size(file) > MAX_FILE_BYTES) {
            throw new IOException(file + " is too large for certificates or keys");
        }
        return Files.readAllBytes(file);
    }
}
