package io.headgate.namespace.sql;

import io.headgate.domain.BlobId;
import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.Attempt;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Upload.UploadChecksum;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** How values stand in columns. What is written here is read for ever: numbers are never given another meaning. */
final class Codec {
    private static final int DETAILS_VERSION = 1;
    private static final int SNAPSHOT_VERSION = 1;

    private Codec() {}

    /** A blob id's bytes with the fan-out byte moved to the middle, so that ids order by time. */
    static byte[] blobId(BlobId id) {
        long high = Long.rotateLeft(id.uuid().getMostSignificantBits(), 8);
        return ByteBuffer.allocate(16)
                .putLong(high)
                .putLong(id.uuid().getLeastSignificantBits())
                .array();
    }

    static BlobId blobId(byte[] column) {
        ByteBuffer bytes = ByteBuffer.wrap(column);
        return new BlobId(new UUID(Long.rotateRight(bytes.getLong(), 8), bytes.getLong()));
    }

    static byte[] writeId(String id) {
        UUID uuid = UUID.fromString(id);
        return ByteBuffer.allocate(16)
                .putLong(uuid.getMostSignificantBits())
                .putLong(uuid.getLeastSignificantBits())
                .array();
    }

    static String writeId(byte[] column) {
        ByteBuffer bytes = ByteBuffer.wrap(column);
        return new UUID(bytes.getLong(), bytes.getLong()).toString();
    }

    /** FNV-1a: two ids of one client that collide would let the retry be refused; nobody else can use them. */
    static long hash(Attempt attempt) {
        long hash = 0xCBF29CE484222325L;
        for (int i = 0; i < attempt.invocation().length(); i++) {
            hash = (hash ^ attempt.invocation().charAt(i)) * 0x100000001B3L;
        }
        return hash;
    }

    static Instant millis(long column) {
        return Instant.ofEpochMilli(column);
    }

    static @Nullable String storageClass(String value) {
        return value.equals(ObjectAttributes.STANDARD) ? null : value;
    }

    static String storageClassOf(@Nullable String column) {
        return column == null ? ObjectAttributes.STANDARD : column;
    }

    static int checksumKind(ChecksumAlgorithm algorithm, Checksum.Type type) {
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

    static ChecksumAlgorithm algorithm(long kind) {
        return switch ((int) (kind / 2)) {
            case 1 -> ChecksumAlgorithm.CRC32;
            case 2 -> ChecksumAlgorithm.CRC32C;
            case 3 -> ChecksumAlgorithm.CRC64NVME;
            case 4 -> ChecksumAlgorithm.SHA1;
            case 5 -> ChecksumAlgorithm.SHA256;
            default -> throw PackedReader.corrupt();
        };
    }

    static Checksum.Type type(long kind) {
        return kind % 2 == 0 ? Checksum.Type.FULL_OBJECT : Checksum.Type.COMPOSITE;
    }

    static @Nullable Integer checksumKind(List<Checksum> checksums) {
        return checksums.isEmpty()
                ? null
                : checksumKind(
                        checksums.getFirst().algorithm(), checksums.getFirst().type());
    }

    static @Nullable Integer checksumKind(Optional<UploadChecksum> checksum) {
        return checksum.isEmpty()
                ? null
                : checksumKind(checksum.get().algorithm(), checksum.get().type());
    }

    static byte @Nullable [] checksum(Optional<Checksum> checksum) {
        if (checksum.isEmpty()) {
            return null;
        }
        PackedWriter out = new PackedWriter();
        write(out, checksum.get());
        return out.toBytes();
    }

    static Optional<Checksum> checksum(byte @Nullable [] column) {
        return column == null ? Optional.empty() : Optional.of(readChecksum(new PackedReader(column)));
    }

    /** What is not in columns of its own: headers, metadata, tags, checksums. */
    static byte[] details(ObjectAttributes attributes, List<Checksum> checksums) {
        PackedWriter out = new PackedWriter().number(DETAILS_VERSION);
        writeDetails(out, attributes, checksums);
        return out.toBytes();
    }

    /** The details of a row. */
    record Details(ObjectAttributes attributes, List<Checksum> checksums) {}

    static Details details(byte[] column, String storageClass) {
        PackedReader in = new PackedReader(column);
        if (in.number() != DETAILS_VERSION) {
            throw PackedReader.corrupt();
        }
        return readDetails(in, storageClass);
    }

    /** A whole version but for its key. */
    static byte[] snapshot(ObjectVersion version) {
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

    static ObjectVersion snapshot(byte[] column, ObjectKey key) {
        PackedReader in = new PackedReader(column);
        if (in.number() != SNAPSHOT_VERSION) {
            throw PackedReader.corrupt();
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
            default -> throw PackedReader.corrupt();
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
}
