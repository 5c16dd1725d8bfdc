package io.headgate.namespace.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * The scripts as one library of functions, which Redis reads once. It and its functions are named by the hash of its text, so that gateways
 * of several versions share a cluster.
 */
final class Library {
    static final String PREFIX = "headgate_";

    /** What the bodies use. What one file defines, those after it use. */
    private static final List<String> SHARED =
            List.of("groups", "versions", "slot", "replace", "copies", "parts", "range");

    private static final String REST = rest();

    static final String NAME = PREFIX + hash(REST);
    static final String TEXT = "#!lua name=" + NAME + "\nlocal NAME = '" + NAME + "'\n" + REST;

    private Library() {}

    /** The name by which Redis knows the script. */
    static String function(Script script) {
        return NAME + "_" + script.word();
    }

    private static String rest() {
        StringBuilder text = new StringBuilder("local KEYS, ARGV\nlocal function make()\nlocal bodies = {}\n");
        for (String file : SHARED) {
            text.append(read(file)).append('\n');
        }
        for (Script script : Script.values()) {
            text.append("bodies.%s = function()\n%s\nend\n"
                    .formatted(script.word(), read(script.word().replace('_', '-'))));
        }
        text.append("return bodies\nend\n").append(read("library"));
        for (Script script : Script.values()) {
            text.append("register('%s', %s)\n"
                    .formatted(script.word(), script.effect().flag()));
        }
        return text.toString();
    }

    private static String read(String file) {
        try (InputStream in = Library.class.getResourceAsStream(file + ".lua")) {
            if (in == null) {
                throw new IllegalStateException("the jar lacks " + file + ".lua");
            }
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static String hash(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.US_ASCII));
            return HexFormat.of().formatHex(hash, 0, 6);
        } catch (NoSuchAlgorithmException never) {
            throw new IllegalStateException(never);
        }
    }
}
