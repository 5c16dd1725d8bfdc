package io.headgate.work;

import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumDigest;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ManifestPart;
import io.headgate.namespace.ObjectVersion;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is kept of a version's bytes, computed again as they pass. Of an object written at once its ETag is the MD5. Of one made of parts it
 * is the MD5 of the parts' MD5s, if no part was copied from a range, whose MD5 nobody knows: so that one proves that the bytes are right
 * if it is the same, and nothing if it is not. Checksums of the whole and of parts prove both.
 */
final class ContentDigests {
    private static final int MD5_HEX_LENGTH = 32;

    private final ObjectVersion version;
    private final List<ManifestPart> parts;
    private final MessageDigest md5 = md5();
    private final MessageDigest md5OfParts = md5();
    private final List<Checksum> whole = new ArrayList<>();
    private final List<ChecksumDigest> wholeDigests = new ArrayList<>();
    private int part;
    private long leftInPart;
    private @Nullable ChecksumDigest partDigest;
    private boolean conclusive;
    private ContentCheck.@Nullable Mismatch mismatch;

    /** @param parts of a stored manifest, else none */
    ContentDigests(ObjectVersion version, List<ManifestPart> parts) {
        this.version = version;
        this.parts = parts;
        for (Checksum checksum : version.checksums()) {
            if (checksum.type() == Checksum.Type.FULL_OBJECT) {
                whole.add(checksum);
                wholeDigests.add(ChecksumDigest.of(checksum.algorithm()));
            }
        }
        part = -1;
        nextPart();
    }

    private static MessageDigest md5() {
        try {
            return MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException missing) {
            throw new IllegalStateException("this Java has no MD5", missing);
        }
    }

    void update(byte[] bytes, int length) {
        for (ChecksumDigest digest : wholeDigests) {
            digest.update(bytes, 0, length);
        }
        int done = 0;
        while (done < length) {
            int take = (int) Math.min(length - done, leftInPart);
            md5.update(bytes, done, take);
            if (partDigest != null) {
                partDigest.update(bytes, done, take);
            }
            done += take;
            leftInPart -= take;
            if (leftInPart == 0) {
                endPart();
                nextPart();
            }
        }
    }

    private void nextPart() {
        part++;
        while (part < parts.size() && parts.get(part).sizeBytes() == 0) {
            partDigest = digestOf(parts.get(part));
            endPart();
            part++;
        }
        boolean inParts = part < parts.size();
        leftInPart = inParts ? parts.get(part).sizeBytes() : Long.MAX_VALUE;
        partDigest = inParts ? digestOf(parts.get(part)) : null;
    }

    private static @Nullable ChecksumDigest digestOf(ManifestPart part) {
        return part.checksum()
                .map(checksum -> ChecksumDigest.of(checksum.algorithm()))
                .orElse(null);
    }

    private void endPart() {
        md5OfParts.update(md5.digest());
        Optional<Checksum> kept = parts.get(part).checksum();
        if (kept.isPresent() && partDigest != null) {
            compare(kept.get(), partDigest, parts.get(part).number());
        }
    }

    private void compare(Checksum kept, ChecksumDigest digest, int partNumber) {
        String actual = Base64.getEncoder().encodeToString(digest.value());
        if (!actual.equals(kept.base64())) {
            note(kept.algorithm().name(), partNumber, kept.base64(), actual);
        }
    }

    private void note(String algorithm, int partNumber, String kept, String actual) {
        if (mismatch == null) {
            mismatch = new ContentCheck.Mismatch(algorithm, partNumber, kept, actual);
        }
    }

    /** After the last byte: what is not as it should be, if anything. */
    ContentCheck.@Nullable Mismatch mismatch() {
        for (int i = 0; i < whole.size(); i++) {
            compare(whole.get(i), wholeDigests.get(i), 0);
        }
        String etag = version.etag().value();
        switch (version.manifest()) {
            case Manifest.Inline _ -> {
                if (etag.length() == MD5_HEX_LENGTH) {
                    conclusive = true;
                    String actual = HexFormat.of().formatHex(md5.digest());
                    if (!actual.equals(etag)) {
                        note("MD5", 0, etag, actual);
                    }
                }
            }
            case Manifest.Stored _ -> {
                String actual = HexFormat.of().formatHex(md5OfParts.digest()) + "-" + parts.size();
                conclusive = actual.equals(etag)
                        || parts.stream().allMatch(one -> one.checksum().isPresent());
            }
        }
        conclusive |= !whole.isEmpty();
        return mismatch;
    }

    /** After {@link #mismatch}: whether there was enough to compare with. */
    boolean areConclusive() {
        return conclusive;
    }
}
