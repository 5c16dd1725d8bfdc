package io.headgate.namespace.redis;

import io.headgate.domain.BlobId;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Attempt;
import io.headgate.namespace.ListedObject;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.codec.Codec;
import io.headgate.namespace.codec.Origin;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;

/**
 * How a version stands in Redis. The beginning, which scripts read too, is described in {@code versions.lua}; then come the time of the last change
 * (6 bytes), of a blob that is not used from its beginning to its end offset and length, of a manifest the number of parts, and the
 * {@linkplain StoredDetails details}. Written once, read for ever.
 */
final class StoredVersion {
    private static final int ORIGIN = 3;
    private static final int BLOB = 4;
    private static final int OWN_ID = 8;
    private static final int MANIFEST = 16;
    private static final int SLICE = 32;
    private static final int ATTEMPT = 64;
    private static final int REMEMBERED = 128;

    private static final int HEAD_BYTES = 25;
    private static final int SIZE_AT = 19;
    private static final int MOST_PARTS = 0xFFFF;
    private static final int MOST_ATTEMPTS = 0xFF;
    private static final int AS_TEXT = 0x80;

    private StoredVersion() {}

    /**
     * @param account the number of the account of the version's blob
     * @param attempt kept only if a retry made it: a first try overtakes nothing
     */
    static byte[] write(ObjectVersion version, Origin origin, int account, Optional<Attempt> attempt) {
        return write(
                version,
                new Written(
                        origin,
                        attempt.map(Codec::hash).orElse(0L),
                        attempt.map(Attempt::number).orElse(0)),
                account);
    }

    /**
     * Which write made a version.
     *
     * @param attemptHash of the call, if that is known
     * @param attemptNumber 0 if it is not
     */
    record Written(Origin origin, long attemptHash, int attemptNumber) {}

    static byte[] write(ObjectVersion version, Written written, int account) {
        Origin origin = written.origin;
        boolean retry = written.attemptNumber > 1;
        byte[] writeId = Codec.writeId(version.writeId());
        byte[] etag = etag(version.etag());
        byte[] details = StoredDetails.write(version.attributes(), version.checksums());
        ByteBuffer out = ByteBuffer.allocate(HEAD_BYTES + 16 + etag.length + 9 + 6 + 24 + details.length);
        int flags = origin.code() | (retry ? ATTEMPT : 0) | (origin.isRememberedWhenReplaced() ? REMEMBERED : 0);
        out.put((byte) 0).put(writeId).putShort((short) account);
        put6(out, version.sizeBytes());
        Slice slice = null;
        switch (version.manifest()) {
            case Manifest.Inline(Optional<Slice> inline)
            when inline.isPresent() -> {
                slice = inline.get();
                flags |= BLOB;
                byte[] id = bytes(slice.blob());
                if (!Arrays.equals(id, writeId)) {
                    flags |= OWN_ID;
                    out.put(id);
                }
                if (slice.offsetBytes() != 0 || slice.lengthBytes() != version.sizeBytes()) {
                    flags |= SLICE;
                }
            }
            case Manifest.Inline empty -> {
                // nothing to refer to
            }
            case Manifest.Stored(String id, int parts) -> {
                flags |= MANIFEST;
                byte[] manifest = Codec.writeId(id);
                if (!Arrays.equals(manifest, writeId)) {
                    flags |= OWN_ID;
                    out.put(manifest);
                }
            }
        }
        out.put(etag);
        if (retry) {
            out.putLong(written.attemptHash).put((byte) Math.min(written.attemptNumber, MOST_ATTEMPTS));
        }
        put6(out, version.lastModified().toEpochMilli());
        if ((flags & SLICE) != 0 && slice != null) {
            put6(out, slice.offsetBytes());
            put6(out, slice.lengthBytes());
        }
        if (version.manifest() instanceof Manifest.Stored stored) {
            out.putShort((short) stored.parts());
        }
        out.put(details).put(0, (byte) flags);
        return Arrays.copyOf(out.array(), out.position());
    }

    @SuppressWarnings("ArrayRecordComponent")
    private record Head(int flags, long size, byte[] bytesId, ETag etag, Instant modified) {}

    private static Head head(ByteBuffer in) {
        int flags = in.get() & 0xFF;
        byte[] id = new byte[16];
        in.get(id);
        in.getShort();
        long size = get6(in);
        if ((flags & OWN_ID) != 0) {
            in.get(id);
        }
        ETag etag = readEtag(in);
        if ((flags & ATTEMPT) != 0) {
            in.position(in.position() + 9);
        }
        return new Head(flags, size, id, etag, Instant.ofEpochMilli(get6(in)));
    }

    static Written written(ByteBuffer record) {
        ByteBuffer in = record.duplicate();
        int flags = in.get(in.position()) & 0xFF;
        Origin origin = Origin.of(flags & ORIGIN);
        if ((flags & ATTEMPT) == 0) {
            return new Written(origin, 0, 0);
        }
        in.position(in.position() + ((flags & OWN_ID) == 0 ? HEAD_BYTES : HEAD_BYTES + 16));
        ETag unused = readEtag(in);
        return new Written(origin, in.getLong(), in.get() & 0xFF);
    }

    /** @param account the name of the account where its blob lives */
    static ObjectVersion read(ObjectKey key, ByteBuffer record, String account) {
        String writeId = writeId(record);
        Head head = head(record);
        long offset = 0;
        long length = head.size;
        if ((head.flags & SLICE) != 0) {
            offset = get6(record);
            length = get6(record);
        }
        Manifest manifest;
        if ((head.flags & BLOB) != 0) {
            manifest = Manifest.of(new Slice(blobId(head.bytesId), account, offset, length));
        } else if ((head.flags & MANIFEST) != 0) {
            manifest = new Manifest.Stored(Codec.writeId(head.bytesId), record.getShort() & 0xFFFF);
        } else {
            manifest = Manifest.EMPTY;
        }
        StoredDetails details = StoredDetails.read(record);
        return new ObjectVersion(
                key, writeId, head.modified, head.size, head.etag, details.attributes(), details.checksums(), manifest);
    }

    /** Reads what listings show, and passes over the rest: a page has a thousand. */
    static ListedObject listed(ObjectKey key, ByteBuffer record) {
        int flags = record.get() & 0xFF;
        record.position(record.position() + SIZE_AT - 1);
        long size = get6(record);
        if ((flags & OWN_ID) != 0) {
            record.position(record.position() + 16);
        }
        ETag etag = readEtag(record);
        if ((flags & ATTEMPT) != 0) {
            record.position(record.position() + 9);
        }
        Instant modified = Instant.ofEpochMilli(get6(record));
        if ((flags & SLICE) != 0) {
            record.position(record.position() + 12);
        }
        if ((flags & MANIFEST) != 0) {
            record.getShort();
        }
        StoredDetails.Listed details = StoredDetails.listed(record);
        return new ListedObject(
                key, modified, size, etag, details.storageClass(), details.checksumAlgorithm(), details.checksumType());
    }

    static long sizeBytes(ByteBuffer record) {
        return get6(record.duplicate().position(record.position() + SIZE_AT));
    }

    private static String writeId(ByteBuffer record) {
        return new UUID(record.getLong(record.position() + 1), record.getLong(record.position() + 9)).toString();
    }

    /** The blob that the record refers to, if it refers to one. */
    static Optional<BlobId> blob(ByteBuffer record) {
        Head head = head(record.duplicate());
        return (head.flags & BLOB) == 0 ? Optional.empty() : Optional.of(blobId(head.bytesId));
    }

    /** The manifest that the record refers to, if it refers to one. */
    static Optional<String> manifest(ByteBuffer record) {
        Head head = head(record.duplicate());
        return (head.flags & MANIFEST) == 0 ? Optional.empty() : Optional.of(Codec.writeId(head.bytesId));
    }

    static byte[] bytes(BlobId id) {
        return ByteBuffer.allocate(16)
                .putLong(id.uuid().getMostSignificantBits())
                .putLong(id.uuid().getLeastSignificantBits())
                .array();
    }

    static BlobId blobId(byte[] bytes) {
        ByteBuffer in = ByteBuffer.wrap(bytes);
        return new BlobId(new UUID(in.getLong(), in.getLong()));
    }

    /** An entity tag after its length: what S3 computes in 16 bytes and the number of parts, anything else as text. */
    static byte[] etag(ETag etag) {
        String value = etag.value();
        int hyphen = value.indexOf('-');
        int digits = hyphen < 0 ? value.length() : hyphen;
        if (digits == 2 * ETag.MD5_BYTES && isLowerHex(value, digits)) {
            int parts = hyphen < 0 ? 0 : partsOf(value.substring(hyphen + 1));
            if (parts >= 0) {
                ByteBuffer out = ByteBuffer.allocate(1 + ETag.MD5_BYTES + (hyphen < 0 ? 0 : 2));
                out.put((byte) (out.capacity() - 1));
                out.put(HexFormat.of().parseHex(value, 0, digits));
                if (hyphen >= 0) {
                    out.putShort((short) parts);
                }
                return out.array();
            }
        }
        byte[] text = value.getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(1 + text.length)
                .put((byte) (AS_TEXT | text.length))
                .put(text)
                .array();
    }

    private static boolean isLowerHex(String text, int length) {
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) {
                return false;
            }
        }
        return true;
    }

    /** Negative if the text is not what the number would be written as. */
    private static int partsOf(String text) {
        try {
            int parts = Integer.parseInt(text);
            return parts >= 0 && parts <= MOST_PARTS && Integer.toString(parts).equals(text) ? parts : -1;
        } catch (NumberFormatException other) {
            return -1;
        }
    }

    private static ETag readEtag(ByteBuffer in) {
        int length = in.get() & 0xFF;
        if ((length & AS_TEXT) != 0) {
            byte[] text = new byte[length & ~AS_TEXT];
            in.get(text);
            return new ETag(new String(text, StandardCharsets.US_ASCII));
        }
        int from = in.arrayOffset() + in.position();
        in.position(in.position() + ETag.MD5_BYTES);
        return length == ETag.MD5_BYTES
                ? ETag.ofMd5(in.array(), from)
                : ETag.ofParts(in.array(), from, in.getShort() & 0xFFFF);
    }

    static void put6(ByteBuffer out, long value) {
        out.putShort((short) (value >>> 32)).putInt((int) value);
    }

    static long get6(ByteBuffer in) {
        return (in.getShort() & 0xFFFFL) << 32 | (in.getInt() & 0xFFFF_FFFFL);
    }

    /** A time as scripts take it: six bytes of milliseconds. */
    static byte[] time(Instant instant) {
        ByteBuffer out = ByteBuffer.allocate(6);
        put6(out, instant.toEpochMilli());
        return out.array();
    }
}
