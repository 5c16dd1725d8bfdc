package io.headgate.namespace.redis;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.Upload;
import io.headgate.namespace.Upload.UploadChecksum;
import io.headgate.namespace.codec.Codec;
import io.headgate.namespace.codec.PackedReader;
import io.headgate.namespace.codec.PackedWriter;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** An upload as it stands in Redis: itself and its parts in the slot of its id, and a line in the range of its key. */
final class StoredUpload {
    private StoredUpload() {}

    static int slot(String id) {
        return Slots.of(id);
    }

    static byte[] key(String id) {
        return SlotKeys.key(slot(id), "U" + id);
    }

    static byte[] partsKey(String id) {
        return SlotKeys.key(slot(id), "P" + id);
    }

    /** As it is listed in the range of its key. */
    static byte[] member(ObjectKey key, Instant startedAt, String id) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes(KeyCodec.encode(key.bytes()));
        out.write(0);
        out.writeBytes(StoredVersion.time(startedAt));
        out.writeBytes(id.getBytes(UTF_8));
        return out.toByteArray();
    }

    static byte[] write(Upload upload) {
        Integer kind = Codec.checksumKind(upload.checksum());
        return new PackedWriter()
                .string(upload.bucket().value())
                .string(upload.key().value())
                .number(upload.startedAt().toEpochMilli())
                .string(upload.owner())
                .number(kind == null ? 0 : kind)
                .bytes(StoredDetails.write(upload.attributes(), List.of()))
                .toBytes();
    }

    static Upload read(String id, byte[] bytes) {
        PackedReader in = new PackedReader(bytes);
        BucketName bucket = new BucketName(in.string());
        ObjectKey key = new ObjectKey(in.string());
        Instant startedAt = Instant.ofEpochMilli(in.number());
        String owner = in.string();
        long kind = in.number();
        return new Upload(
                id,
                bucket,
                key,
                StoredDetails.read(ByteBuffer.wrap(in.bytes())).attributes(),
                kind == 0 ? Optional.empty() : Optional.of(new UploadChecksum(Codec.algorithm(kind), Codec.type(kind))),
                owner,
                startedAt);
    }

    /** An upload as it is listed in the range of its key. */
    record Listed(ObjectKey key, Instant startedAt, String id) {
        static Listed read(byte[] member) {
            int nul = 0;
            while (member[nul] != 0) {
                nul++;
            }
            ByteBuffer in = ByteBuffer.wrap(member, nul + 1, member.length - nul - 1);
            Instant startedAt = Instant.ofEpochMilli(StoredVersion.get6(in));
            return new Listed(
                    ObjectKey.of(KeyCodec.decode(member, 0, nul)),
                    startedAt,
                    new String(member, in.position(), in.remaining(), UTF_8));
        }
    }
}
