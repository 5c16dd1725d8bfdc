package io.headgate.blob.s3;

import io.headgate.blob.s3.S3Settings.Checksum;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Base64;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/** The digest of the bytes of one request, in the form of its header. */
record PartDigest(@Nullable String crc32c, @Nullable String md5) {
    static PartDigest of(Checksum kind, byte[] bytes, int count) {
        return switch (kind) {
            case CRC32C -> {
                CRC32C crc = new CRC32C();
                crc.update(bytes, 0, count);
                yield new PartDigest(
                        base64(ByteBuffer.allocate(4)
                                .putInt((int) crc.getValue())
                                .array()),
                        null);
            }
            case MD5 -> {
                MessageDigest digest = newMd5();
                digest.update(bytes, 0, count);
                yield new PartDigest(null, base64(digest.digest()));
            }
        };
    }

    private static String base64(byte[] digest) {
        return Base64.getEncoder().encodeToString(digest);
    }

    private static MessageDigest newMd5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JDK has MD5", impossible);
        }
    }
}
