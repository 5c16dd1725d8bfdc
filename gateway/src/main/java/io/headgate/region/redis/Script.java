package io.headgate.region.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** What runs inside Redis, each atomically. What a script is given and answers stands at its beginning. */
enum Script {
    CLAIM("claim"),
    CONFIRM("confirm"),
    TAKE("take"),
    RELEASE("release"),
    FIND("find"),
    OF_OWNER("of-owner"),
    OF_REGION("of-region");

    private final String text;
    private final String digest;

    Script(String name) {
        this.text = resource("entries") + resource(name);
        this.digest = digest(text);
    }

    String text() {
        return text;
    }

    /** By which Redis knows it once it has had it. */
    String digest() {
        return digest;
    }

    private static String resource(String name) {
        try (InputStream in = Script.class.getResourceAsStream(name + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("the script " + name + " is missing from the program");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String digest(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
