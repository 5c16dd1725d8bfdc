package io.headgate.namespace.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** What runs inside Redis, each atomically and in one slot. The files say what they take and answer. */
enum Script {
    CURRENT("groups", "versions", "slot", "current"),
    PUT("groups", "versions", "slot", "replace", "put"),
    DELETE("groups", "versions", "slot", "replace", "delete"),
    KNOWN("groups", "versions", "slot", "known"),
    LIST("groups", "list"),
    ROLLUP("groups", "rollup"),
    REGISTER("groups", "slot", "register"),
    REFUSE("groups", "slot", "refuse"),
    SHARE("groups", "slot", "share"),
    RELEASE("groups", "slot", "release"),
    DISCARD("groups", "slot", "copies", "discard"),
    FORGET("groups", "slot", "copies", "forget"),
    GARBAGE("groups", "slot", "copies", "garbage"),
    UNKNOWN("groups", "slot", "copies", "unknown"),
    LIVE("groups", "slot", "live"),
    MOVE_BEGIN("groups", "slot", "copies", "move-begin"),
    MOVE_END("groups", "slot", "copies", "move-end"),
    SWAP("swap"),
    CLOCK("clock"),
    BLOBS("groups", "slot", "blobs"),
    PART_PUT("groups", "slot", "parts", "part-put"),
    UPLOAD_CREATE("upload-create"),
    UPLOAD_INDEX("upload-index"),
    UPLOADS("uploads"),
    UPLOAD_PARTS("upload-parts"),
    UPLOAD_SEAL("upload-seal"),
    UPLOAD_UNSEAL("upload-unseal"),
    UPLOAD_FENCE("upload-fence"),
    UPLOAD_ABORT("groups", "slot", "parts", "upload-abort"),
    UPLOAD_DROP("groups", "slot", "parts", "upload-drop"),
    UPLOAD_FINISH("groups", "slot", "parts", "upload-finish"),
    MANIFEST_SHARE("groups", "slot", "manifest-share"),
    MANIFEST_REMOVE("manifest-remove"),
    MANIFEST_RELEASE("groups", "slot", "manifest-release"),
    PAGE("groups", "page"),
    HOLD("groups", "slot", "hold"),
    MANIFEST_HOLD("groups", "slot", "manifest-hold"),
    CORRECT("groups", "slot", "correct"),
    LOAD_BLOBS("groups", "slot", "load-blobs"),
    LOAD_COPIES("groups", "slot", "copies", "load-copies"),
    LOAD_VERSIONS("groups", "versions", "load-versions"),
    BUCKET("bucket"),
    BUCKET_CREATE("bucket-create"),
    BUCKET_CLOSE("bucket-close"),
    BUCKET_END("bucket-end"),
    RANGE_CLOSE("range-close"),
    ACCOUNT_NUMBER("account-number"),
    INTENT_OPEN("intent-open"),
    INTENTS_RENEW("intents-renew"),
    INTENTS_TAKE("intents-take");

    private final String text;
    private final String sha1;

    /** The files are one chunk: what one defines, those after it use. */
    Script(String... files) {
        StringBuilder joined = new StringBuilder();
        for (String file : files) {
            joined.append(read(file + ".lua")).append('\n');
        }
        text = joined.toString();
        try {
            sha1 = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(text()));
        } catch (NoSuchAlgorithmException never) {
            throw new IllegalStateException(never);
        }
    }

    private static String read(String file) {
        try (InputStream in = Script.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new IllegalStateException("the jar lacks " + file);
            }
            return new String(in.readAllBytes(), StandardCharsets.US_ASCII);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    byte[] text() {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** By which Redis knows it once it has run it. */
    String sha1() {
        return sha1;
    }
}
