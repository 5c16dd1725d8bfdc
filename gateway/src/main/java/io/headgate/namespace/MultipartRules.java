package io.headgate.namespace;

import io.headgate.domain.ByteRange;
import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ChecksumDigest;
import io.headgate.domain.Crc;
import io.headgate.domain.ETag;
import io.headgate.namespace.CompleteUpload.NamedPart;
import io.headgate.namespace.Upload.UploadChecksum;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * S3's rules for completing a multipart upload, and the ETags and checksums that follow from it. Pure and immutable.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html">S3: CompleteMultipartUpload</a>
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/qfacts.html">S3: multipart upload limits</a>
 */
public final class MultipartRules {
    /** The most parts of an upload, and the greatest part number. */
    public static final int MAX_PARTS = 10_000;

    /** The largest object: 5 TiB. */
    public static final long MAX_OBJECT_BYTES = 5L << 40;

    /** S3's least size of every part but the last: 5 MiB. */
    public static final long MIN_PART_BYTES = 5L << 20;

    private static final int MD5_HEX_LENGTH = 32;

    private final long minPartBytes;

    /** @param minPartBytes the least size of every part but the last; {@link #MIN_PART_BYTES} but in tests */
    public MultipartRules(long minPartBytes) {
        this.minPartBytes = minPartBytes;
    }

    /**
     * The object that a Complete makes.
     *
     * @param parts as uploaded, in the order of their numbers, which is that of their bytes
     */
    public record Whole(List<Part> parts, long sizeBytes, ETag etag, Optional<Checksum> checksum) {}

    /**
     * What the command makes of the uploaded parts. Refusals, in this order: INVALID_PART_ORDER, INVALID_PART, ENTITY_TOO_SMALL,
     * ENTITY_TOO_LARGE, SIZE_MISMATCH, BAD_DIGEST.
     *
     * @param declared which checksum the upload was started with
     * @param uploaded the upload's parts by number
     */
    public Outcome<Whole> complete(
            CompleteUpload command, Optional<UploadChecksum> declared, Map<Integer, Part> uploaded) {
        List<NamedPart> named = command.parts();
        if (named.isEmpty() || named.size() > MAX_PARTS) {
            return new Outcome.Refused<>(Refusal.INVALID_PART, "An object is made of 1 to " + MAX_PARTS + " parts");
        }
        for (int i = 1; i < named.size(); i++) {
            if (named.get(i).number() < named.get(i - 1).number()) {
                return new Outcome.Refused<>(
                        Refusal.INVALID_PART_ORDER,
                        "Part " + named.get(i).number() + " follows part "
                                + named.get(i - 1).number());
            }
        }
        List<Part> parts = new ArrayList<>(named.size());
        for (int i = 0; i < named.size(); i++) {
            NamedPart name = named.get(i);
            if (i + 1 < named.size() && named.get(i + 1).number() == name.number()) {
                continue; // a part that was sent twice may be named twice: the last name counts, as the last upload
                // does
            }
            Part part = uploaded.get(name.number());
            String mismatch = mismatch(name, part);
            if (part == null || !mismatch.isEmpty()) {
                return new Outcome.Refused<>(Refusal.INVALID_PART, mismatch);
            }
            parts.add(part);
        }
        return assemble(command, declared, parts);
    }

    private static String mismatch(NamedPart name, @Nullable Part part) {
        if (part == null) {
            return "Part " + name.number() + " was not uploaded";
        }
        if (!part.etag().equals(name.etag())) {
            return "Part " + name.number() + " has the entity tag " + part.etag() + ", not " + name.etag();
        }
        if (name.checksum().isPresent() && !name.checksum().equals(part.checksum())) {
            return "Part " + name.number() + " has another checksum";
        }
        return "";
    }

    private Outcome<Whole> assemble(CompleteUpload command, Optional<UploadChecksum> declared, List<Part> parts) {
        long size = 0;
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            if (part.sizeBytes() < minPartBytes && i < parts.size() - 1) {
                return new Outcome.Refused<>(
                        Refusal.ENTITY_TOO_SMALL,
                        "Part " + part.number() + " has " + part.sizeBytes() + " bytes; the least is " + minPartBytes);
            }
            size += part.sizeBytes();
            if (size > MAX_OBJECT_BYTES) {
                return new Outcome.Refused<>(Refusal.ENTITY_TOO_LARGE, "An object has at most 5 TiB");
            }
        }
        if (command.objectSizeBytes().isPresent() && command.objectSizeBytes().get() != size) {
            return new Outcome.Refused<>(
                    Refusal.SIZE_MISMATCH,
                    "The parts have " + size + " bytes, not "
                            + command.objectSizeBytes().get());
        }
        Optional<Checksum> checksum = declared.flatMap(kind -> checksum(kind, parts));
        if (command.checksum().isPresent()
                && (checksum.isEmpty() || !same(command.checksum().get(), checksum.get()))) {
            return new Outcome.Refused<>(
                    Refusal.BAD_DIGEST,
                    checksum.map(actual -> "The object's checksum is " + actual.algorithm() + " " + actual.base64())
                            .orElse("The object has no checksum"));
        }
        return new Outcome.Done<>(new Whole(List.copyOf(parts), size, etag(parts), checksum));
    }

    /** Clients give a composite checksum with or without the number of its parts. */
    private static boolean same(Checksum said, Checksum actual) {
        if (said.algorithm() != actual.algorithm() || said.type() != actual.type()) {
            return false;
        }
        return said.base64().equals(actual.base64()) || actual.base64().startsWith(said.base64() + "-");
    }

    /** The MD5 of the parts' MD5s, a hyphen, and their number. */
    private static ETag etag(List<Part> parts) {
        MessageDigest md5 = digest("MD5");
        for (Part part : parts) {
            String tag = part.etag().value();
            md5.update(isMd5(tag) ? HexFormat.of().parseHex(tag) : tag.getBytes(StandardCharsets.US_ASCII));
        }
        return ETag.ofParts(md5.digest(), 0, parts.size());
    }

    /** Empty if a part lacks the checksum, or if a checksum of whole objects does not follow from those of its parts. */
    private static Optional<Checksum> checksum(UploadChecksum kind, List<Part> parts) {
        List<byte[]> raw = new ArrayList<>(parts.size());
        for (Part part : parts) {
            if (part.checksum().isEmpty() || part.checksum().get().algorithm() != kind.algorithm()) {
                return Optional.empty();
            }
            raw.add(Base64.getDecoder().decode(part.checksum().get().base64()));
        }
        return switch (kind.type()) {
            case COMPOSITE -> Optional.of(composite(kind.algorithm(), raw));
            case FULL_OBJECT ->
                kind.algorithm().isCrc() ? Optional.of(combined(kind.algorithm(), raw, parts)) : Optional.empty();
        };
    }

    private static Checksum composite(ChecksumAlgorithm algorithm, List<byte[]> raw) {
        ChecksumDigest digest = ChecksumDigest.of(algorithm);
        for (byte[] part : raw) {
            digest.update(part, 0, part.length);
        }
        String base64 = Base64.getEncoder().encodeToString(digest.value());
        return new Checksum(algorithm, Checksum.Type.COMPOSITE, base64 + "-" + raw.size());
    }

    private static Checksum combined(ChecksumAlgorithm algorithm, List<byte[]> raw, List<Part> parts) {
        byte[] whole = raw.getFirst();
        for (int i = 1; i < raw.size(); i++) {
            whole = Crc.combine(algorithm, whole, raw.get(i), parts.get(i).sizeBytes());
        }
        return Checksum.full(algorithm, whole);
    }

    /**
     * The ETag of a part that shares a range of an object, whose bytes are not read: the object's own if that is an MD5 and the
     * range is all of it, else a tag of the same form that is the same for the same range of the same bytes.
     *
     * @param sourceSizeBytes the size of the object
     */
    public static ETag copiedPartETag(ETag source, long sourceSizeBytes, ByteRange.Resolved range) {
        if (isMd5(source.value()) && range.offsetBytes() == 0 && range.lengthBytes() == sourceSizeBytes) {
            return source;
        }
        MessageDigest md5 = digest("MD5");
        md5.update(source.value().getBytes(StandardCharsets.US_ASCII));
        md5.update(ByteBuffer.allocate(2 * Long.BYTES)
                .putLong(range.offsetBytes())
                .putLong(range.lengthBytes())
                .flip());
        return ETag.ofMd5(md5.digest(), 0);
    }

    private static boolean isMd5(String tag) {
        return tag.length() == MD5_HEX_LENGTH && tag.chars().allMatch(HexFormat::isHexDigit);
    }

    private static MessageDigest digest(String name) {
        try {
            return MessageDigest.getInstance(name);
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("this Java has no " + name, missing);
        }
    }
}
