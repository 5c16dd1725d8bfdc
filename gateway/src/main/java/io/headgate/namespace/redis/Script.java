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
    CURRENT("groups", "versions", "slot", "range", "current"),
    PUT("groups", "versions", "slot", "replace", "range", "put"),
    DELETE("groups", "versions", "slot", "replace", "range", "delete"),
    KNOWN("groups", "versions", "slot", "range", "known"),
    REMEMBERED("groups", "slot", "remembered"),
    DELETED("groups", "slot", "deleted"),
    LIST("groups", "range", "list"),
    ROLLUP("groups", "range", "rollup"),
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
    UPLOAD_INDEX("groups", "range", "upload-index"),
    UPLOADS("groups", "range", "uploads"),
    UPLOAD_PARTS("upload-parts"),
    UPLOAD_SEAL("upload-seal"),
    UPLOAD_UNSEAL("upload-unseal"),
    UPLOAD_ABORT("groups", "slot", "parts", "upload-abort"),
    UPLOAD_DROP("groups", "slot", "parts", "upload-drop"),
    UPLOAD_FINISH("groups", "slot", "parts", "upload-finish"),
    MANIFEST_SHARE("groups", "slot", "manifest-share"),
    MANIFEST_REMOVE("manifest-remove"),
    MANIFEST_RELEASE("groups", "slot", "manifest-release"),
    BUCKET("bucket"),
    BUCKET_CREATE("bucket-create"),
    BUCKET_CLOSE("bucket-close"),
    BUCKET_END("bucket-end"),
    BUCKET_RANGES("bucket-ranges"),
    RANGE_CLOSE("range-close"),
    RANGE_MAKE("range-make"),
    RANGE_BEGIN("range-begin"),
    RANGE_FILL("groups", "versions", "range", "range-fill"),
    RANGE_TURN("range-turn"),
    RANGE_CHANGES("groups", "range", "range-changes"),
    RANGE_APPLY("groups", "versions", "range", "range-apply"),
    RANGE_FILLED("range-filled"),
    RANGE_CUT("groups", "range-cut"),
    RANGE_RECUT("groups", "versions", "range-recut"),
    RANGE_OPEN("range-open"),
    RANGE_THAW("range-thaw"),
    RANGE_TRIM("groups", "range-trim"),
    RANGE_JOIN("range-join"),
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
