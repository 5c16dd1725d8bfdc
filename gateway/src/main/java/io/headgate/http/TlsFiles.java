package io.headgate.http;

import java.nio.file.Path;
import java.util.Optional;

/**
 * What one side of a TLS connection shows and trusts, in PEM files.
 *
 * @param certificates its own certificate, followed by those that lead to an authority
 * @param privateKey the key of the first of them, in PKCS#8, not encrypted; there if and only if {@code certificates} is
 * @param authorities whom it trusts to vouch for the other side. A server with authorities requires a certificate of its clients; a client
 *     without trusts those that the Java platform does
 */
public record TlsFiles(Optional<Path> certificates, Optional<Path> privateKey, Optional<Path> authorities) {
    public TlsFiles {
        if (certificates.isPresent() != privateKey.isPresent()) {
            throw new IllegalArgumentException("a certificate and its private key go together");
        }
    }
}
