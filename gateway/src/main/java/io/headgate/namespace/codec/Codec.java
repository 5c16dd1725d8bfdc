package io.headgate.namespace.codec;

import io.headgate.domain.BlobId;
import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Attempt;
import io.headgate.namespace.BucketSetting;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.NamespaceException;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.Upload.UploadChecksum;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How values stand in columns. What is written here is read for ever: numbers are never given another meaning. */
public final class Codec {
    private static final int DETAILS_VERSION = 1;
    private static final int SNAPSHOT_VERSION = 1;

    private Codec() {}

    /** A blob id's bytes with the fan-out byte moved to the middle, so that ids order by time. */
    public static byte[] blobId(BlobId id) {
        long high = Long.rotateLeft(id.uuid().getMostSignificantBits(), 8);
        return ByteBuffer.allocate(16)
                .putLong(high)
                .putLong(id.uuid().getLeastSignificantBits())
                .array();
    }

    public static BlobId blobId(byte[] column) {
        ByteBuffer bytes = ByteBuffer.wrap(column);
        return new BlobId(new UUID(Long.rotateRight(bytes.getLong(), 8), bytes.getLong()));
    }

    public static byte[] writeId(String id) {
        UUID uuid = UUID.fromString(id);
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }

    public static String writeId(byte[] column) {
        ByteBuffer bytes = ByteBuffer.wrap(column);
        return new UUID(bytes.getLong(), bytes.getLong()).toString();
    }

    /** FNV-1a: two ids of one client that collide would let the retry be refused; nobody else can use them. */
    public static long hash(Attempt attempt) {
        long hash = 0xCBF29CE484222325L;
        for (int i = 0; i < attempt.invocation().length(); i++) {
            hash = (hash ^ attempt.invocation().charAt(i)) * 0x100000001B3L;
        }
        return hash;
    }

    public static Instant millis(long column) {
        return Instant.ofEpochMilli(column);
    }

    public static @Nullable String storageClass(String value) {
        return value.equals(ObjectAttributes.STANDARD) ? null : value;
    }

    public static String storageClassOf(@Nullable String column) {
        return column == null ? ObjectAttributes.STANDARD : column;
    }

    public static int checksumKind(ChecksumAlgorithm algorithm, Checksum.Type type) {
        int algorithmCode = switch (algorithm) {
            case CRC32 -> 1;
            case CRC32C -> 2;
            case CRC64NVME -> 3;
            case SHA1 -> 4;
            case SHA256 -> 5;
        };
        int typeCode = switch (type) {
            case FULL_OBJECT -> 0;
            case COMPOSITE -> 1;
        };
        return algorithmCode * 2 + typeCode;
    }

    public static ChecksumAlgorithm algorithm(long kind) {
        return switch ((int) (kind / 2)) {
            case 1 -> ChecksumAlgorithm.CRC32;
            case 2 -> ChecksumAlgorithm.CRC32C;
            case 3 -> ChecksumAlgorithm.CRC64NVME;
            case 4 -> ChecksumAlgorithm.SHA1;
            case 5 -> ChecksumAlgorithm.SHA256;
            default -> throw corrupt();
        };
    }

    public static Checksum.Type type(long kind) {
        return kind % 2 == 0 ? Checksum.Type.FULL_OBJECT : Checksum.Type.COMPOSITE;
    }

    public static @Nullable Integer checksumKind(List<Checksum> checksums) {
        return checksums.isEmpty()
                ? null
                : checksumKind(
                        checksums.getFirst().algorithm(), checksums.getFirst().type());
    }

    public static @Nullable Integer checksumKind(Optional<UploadChecksum> checksum) {
        return checksum.isEmpty()
                ? null
                : checksumKind(checksum.get().algorithm(), checksum.get().type());
    }

    public static byte @Nullable [] checksum(Optional<Checksum> checksum) {
        if (checksum.isEmpty()) {
            return null;
        }
        PackedWriter out = new PackedWriter();
        write(out, checksum.get());
        return out.toBytes();
    }

    public static Optional<Checksum> checksum(byte @Nullable [] column) {
        return column == null ? Optional.empty() : Optional.of(readChecksum(new PackedReader(column)));
    }

    /** Null if nothing is set. */
    public static byte @Nullable [] settings(Map<BucketSetting, String> settings) {
        if (settings.isEmpty()) {
            return null;
        }
        Map<String, String> named = new TreeMap<>(); // the same settings are the same bytes
        settings.forEach((setting, document) -> named.put(setting.name(), document));
        return new PackedWriter().map(named).toBytes();
    }

    public static Map<BucketSetting, String> settings(byte @Nullable [] column) {
        if (column == null || column.length == 0) {
            return Map.of();
        }
        Map<BucketSetting, String> settings = new EnumMap<>(BucketSetting.class);
        new PackedReader(column).map().forEach((name, document) -> settings.put(setting(name), document));
        return settings;
    }

    private static BucketSetting setting(String name) {
        try {
            return BucketSetting.valueOf(name);
        } catch (IllegalArgumentException unknown) {
            throw new NamespaceException("a bucket has a setting of a newer Headgate: " + name, unknown);
        }
    }

    /** What is not in columns of its own: headers, metadata, tags, checksums. */
    public static byte[] details(ObjectAttributes attributes, List<Checksum> checksums) {
        PackedWriter out = new PackedWriter().number(DETAILS_VERSION);
        writeDetails(out, attributes, checksums);
        return out.toBytes();
    }

    /** The details of a row. */
    public record Details(ObjectAttributes attributes, List<Checksum> checksums) {}

    public static Details details(byte[] column, String storageClass) {
        PackedReader in = new PackedReader(column);
        if (in.number() != DETAILS_VERSION) {
            throw corrupt();
        }
        return readDetails(in, storageClass);
    }

    /** A whole version but for its key. */
    public static byte[] snapshot(ObjectVersion version) {
        PackedWriter out = new PackedWriter()
                .number(SNAPSHOT_VERSION)
                .bytes(writeId(version.writeId()))
                .number(version.lastModified().toEpochMilli())
                .number(version.sizeBytes())
                .string(version.etag().value())
                .string(version.attributes().storageClass());
        writeDetails(out, version.attributes(), version.checksums());
        switch (version.manifest()) {
            case Manifest.Inline(Optional<Slice> slice) when slice.isEmpty() -> out.number(0);
            case Manifest.Inline(Optional<Slice> slice) ->
                out.number(1)
                        .bytes(blobId(slice.get().blob()))
                        .string(slice.get().account())
                        .number(slice.get().offsetBytes())
                        .number(slice.get().lengthBytes());
            case Manifest.Stored(String id, int parts) ->
                out.number(2).string(id).number(parts);
        }
        return out.toBytes();
    }

    public static ObjectVersion snapshot(byte[] column, ObjectKey key) {
        PackedReader in = new PackedReader(column);
        if (in.number() != SNAPSHOT_VERSION) {
            throw corrupt();
        }
        String writeId = writeId(in.bytes());
        Instant modified = Instant.ofEpochMilli(in.number());
        long size = in.number();
        ETag etag = new ETag(in.string());
        Details details = readDetails(in, in.string());
        Manifest manifest = switch ((int) in.number()) {
            case 0 -> Manifest.EMPTY;
            case 1 -> Manifest.of(new Slice(blobId(in.bytes()), in.string(), in.number(), in.number()));
            case 2 -> new Manifest.Stored(in.string(), (int) in.number());
            default -> throw corrupt();
        };
        return new ObjectVersion(
                key, writeId, modified, size, etag, details.attributes(), details.checksums(), manifest);
    }

    private static void writeDetails(PackedWriter out, ObjectAttributes attributes, List<Checksum> checksums) {
        out.map(attributes.headers())
                .map(attributes.metadata())
                .map(attributes.tags())
                .number(checksums.size());
        for (Checksum checksum : checksums) {
            write(out, checksum);
        }
    }

    private static Details readDetails(PackedReader in, String storageClass) {
        Map<String, String> headers = in.map();
        Map<String, String> metadata = in.map();
        Map<String, String> tags = in.map();
        int count = in.count();
        List<Checksum> checksums = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            checksums.add(readChecksum(in));
        }
        return new Details(new ObjectAttributes(headers, metadata, tags, storageClass), checksums);
    }

    private static void write(PackedWriter out, Checksum checksum) {
        out.number(checksumKind(checksum.algorithm(), checksum.type())).string(checksum.base64());
    }

    private static Checksum readChecksum(PackedReader in) {
        long kind = in.number();
        return new Checksum(algorithm(kind), type(kind), in.string());
    }

    /** How the reason of a refusal stands in a column. */
    public static int refusalCode(Refusal reason) {
        return switch (reason) {
            case NO_SUCH_BUCKET -> 0;
            case NO_SUCH_KEY -> 1;
            case NO_SUCH_UPLOAD -> 2;
            case BUCKET_NOT_EMPTY -> 3;
            case PRECONDITION_FAILED -> 4;
            case INVALID_PART -> 5;
            case INVALID_PART_ORDER -> 6;
            case ENTITY_TOO_SMALL -> 7;
            case ENTITY_TOO_LARGE -> 8;
            case BAD_DIGEST -> 9;
            case INVALID_RANGE -> 10;
            case INTENT_EXPIRED -> 11;
            case SUPERSEDED -> 12;
            case SIZE_MISMATCH -> 13;
            case SOURCE_CHANGED -> 14;
        };
    }

    /** The reason of a column. */
    public static Refusal refusal(int code) {
        for (Refusal reason : Refusal.values()) {
            if (refusalCode(reason) == code) {
                return reason;
            }
        }
        throw corrupt();
    }

    /** A row that cannot have been written by this version of Headgate, nor by an earlier one. */
    public static NamespaceException corrupt() {
        return new NamespaceException("the namespace holds a row that this version of Headgate cannot read");
    }
}
