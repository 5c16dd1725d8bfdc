package io.headgate.region;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.http.RequestHead.Field;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** What two regions share to know each other by. Thread-safe; its text says nothing. */
public final class PeerSecret {
    /** Shorter ones could be guessed from a single request that was overheard. */
    public static final int MIN_BYTES = 16;

    private static final String ALGORITHM = "HmacSHA256";

    private final SecretKeySpec key;

    /** @throws IllegalArgumentException if it is shorter than {@value #MIN_BYTES} bytes of UTF-8 */
    public PeerSecret(String secret) {
        byte[] bytes = secret.getBytes(UTF_8);
        if (bytes.length < MIN_BYTES) {
            throw new IllegalArgumentException("a secret has at least " + MIN_BYTES + " bytes");
        }
        key = new SecretKeySpec(bytes, ALGORITHM);
    }

    /** The signature of a request, over the fields that {@link PeerFields#isOfRequest} keeps. */
    String ofRequest(String method, String target, List<Field> fields) {
        Mac mac = begin("headgate request");
        add(mac, method);
        add(mac, target);
        for (Field field : fields) {
            if (PeerFields.isOfRequest(field)) {
                add(mac, field);
            }
        }
        return hex(mac);
    }

    /** The signature of an answer, over the fields that {@link PeerFields#isOfAnswer} keeps. */
    String ofAnswer(String nonce, int status, List<Field> fields) {
        Mac mac = begin("headgate answer");
        add(mac, nonce);
        add(mac, Integer.toString(status));
        for (Field field : fields) {
            if (PeerFields.isOfAnswer(field)) {
                add(mac, field);
            }
        }
        return hex(mac);
    }

    /** Compares signatures in a time that does not tell how far they agree. */
    static boolean same(String expected, String given) {
        return MessageDigest.isEqual(expected.getBytes(ISO_8859_1), given.getBytes(UTF_8));
    }

    private Mac begin(String what) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            add(mac, what);
            return mac;
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException(ALGORITHM + " is part of every Java platform", impossible);
        }
    }

    private static void add(Mac mac, Field field) {
        add(mac, field.name());
        // As the other side reads it.
        add(mac, field.value().strip());
    }

    /** Each text with its length before it, so that no two lists of texts are signed alike. */
    private static void add(Mac mac, String text) {
        byte[] bytes = text.getBytes(ISO_8859_1);
        mac.update((byte) (bytes.length >>> 24));
        mac.update((byte) (bytes.length >>> 16));
        mac.update((byte) (bytes.length >>> 8));
        mac.update((byte) bytes.length);
        mac.update(bytes);
    }

    private static String hex(Mac mac) {
        return HexFormat.of().formatHex(mac.doFinal());
    }

    @Override
    public String toString() {
        return "a secret";
    }
}
