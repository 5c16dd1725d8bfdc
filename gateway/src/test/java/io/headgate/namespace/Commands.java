package io.headgate.namespace;

import io.headgate.domain.BlobId;
import io.headgate.domain.BucketName;
import io.headgate.domain.ByteRange;
import io.headgate.domain.Checksum;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.UUID;

/** Makes commands: fresh ids, small objects, one bucket, one intent. */
final class Commands {
    static final Instant NOW = Instant.parse("2026-03-01T12:00:00.123Z");
    static final Instant LATER = NOW.plusSeconds(3_600);
    static final BucketName BUCKET = new BucketName("photos");
    static final ObjectAttributes PLAIN = new ObjectAttributes(Map.of(), Map.of(), Map.of(), ObjectAttributes.STANDARD);

    private final SplittableRandom random;
    long intentId;

    Commands(long seed) {
        this.random = new SplittableRandom(seed);
    }

    BlobId blobId() {
        return BlobId.of(NOW.getEpochSecond(), random.nextInt(BlobId.SLOTS), random.nextLong(), random.nextLong());
    }

    Slice blob(String account, long sizeBytes) {
        return new Slice(blobId(), account, 0, sizeBytes);
    }

    ETag etag() {
        return new ETag("%016x%016x".formatted(random.nextLong(), random.nextLong()));
    }

    String writeId() {
        return new UUID(random.nextLong(), random.nextLong()).toString();
    }

    Bucket bucket(String name) {
        return new Bucket(new BucketName(name), "alice", "", NOW);
    }

    /** A put of {@code sizeBytes} bytes that the caller can change before it is sent. */
    final class Put {
        BucketName bucket = BUCKET;
        String key;
        String writeId = writeId();
        ObjectAttributes attributes = PLAIN;
        long sizeBytes;
        ETag etag = etag();
        List<Checksum> checksums = List.of();
        Optional<Slice> blob;
        WriteCondition condition = WriteCondition.NONE;
        long intent = intentId;
        Optional<Attempt> attempt = Optional.empty();
        Instant now = NOW;

        Put(String key, String account, long sizeBytes) {
            this.key = key;
            this.sizeBytes = sizeBytes;
            this.blob = sizeBytes == 0 ? Optional.empty() : Optional.of(blob(account, sizeBytes));
        }

        Put in(BucketName other) {
            bucket = other;
            return this;
        }

        Put only(WriteCondition when) {
            condition = when;
            return this;
        }

        /** As gateways do: the write has the blob's id. */
        Put byBlob() {
            writeId = blob.orElseThrow().blob().toString();
            return this;
        }

        Put attempt(String invocation, int number) {
            attempt = Optional.of(new Attempt(invocation, number));
            return this;
        }

        Put under(long intentId) {
            intent = intentId;
            return this;
        }

        Put at(Instant time) {
            now = time;
            return this;
        }

        Put with(ObjectAttributes said) {
            attributes = said;
            return this;
        }

        Put with(List<Checksum> said) {
            checksums = said;
            return this;
        }

        PutObject command() {
            return new PutObject(
                    bucket,
                    new ObjectKey(key),
                    writeId,
                    attributes,
                    sizeBytes,
                    etag,
                    checksums,
                    blob,
                    condition,
                    intent,
                    attempt,
                    now);
        }
    }

    Put put(String key, long sizeBytes) {
        return new Put(key, "disk-1", sizeBytes);
    }

    CopyObject copy(String from, String to) {
        return copy(from, to, WriteCondition.NONE, ReadCondition.NONE, Optional.empty());
    }

    CopyObject copy(
            String from, String to, WriteCondition condition, ReadCondition ofSource, Optional<String> expected) {
        return new CopyObject(
                BUCKET,
                new ObjectKey(from),
                expected,
                ofSource,
                BUCKET,
                new ObjectKey(to),
                writeId(),
                Optional.empty(),
                Optional.empty(),
                ObjectAttributes.STANDARD,
                Optional.empty(),
                Optional.empty(),
                condition,
                NOW);
    }

    Upload upload(String key) {
        return upload(key, Optional.empty());
    }

    Upload upload(String key, Optional<Upload.UploadChecksum> checksum) {
        return new Upload(writeId(), BUCKET, new ObjectKey(key), PLAIN, checksum, "alice", NOW);
    }

    Part part(int number, long sizeBytes) {
        return new Part(number, sizeBytes, etag(), Optional.empty(), NOW);
    }

    PutPart putPart(Upload upload, int number, long sizeBytes) {
        return putPart(upload, part(number, sizeBytes));
    }

    PutPart putPart(Upload upload, Part part) {
        Optional<Slice> blob = part.sizeBytes() == 0 ? Optional.empty() : Optional.of(blob("disk-2", part.sizeBytes()));
        return new PutPart(upload.bucket(), upload.key(), upload.id(), part, blob, intentId);
    }

    CopyPart copyPart(String from, ByteRange range, Upload upload, int number) {
        return new CopyPart(
                BUCKET,
                new ObjectKey(from),
                Optional.empty(),
                ReadCondition.NONE,
                range,
                upload.bucket(),
                upload.key(),
                upload.id(),
                number,
                Optional.empty(),
                NOW);
    }

    CompleteUpload complete(Upload upload, List<Part> parts) {
        return complete(upload, parts, WriteCondition.NONE);
    }

    CompleteUpload complete(Upload upload, List<Part> parts, WriteCondition condition) {
        return new CompleteUpload(
                upload.bucket(),
                upload.key(),
                upload.id(),
                writeId(),
                parts.stream()
                        .map(part -> new CompleteUpload.NamedPart(part.number(), part.etag(), Optional.empty()))
                        .toList(),
                Optional.empty(),
                Optional.empty(),
                condition,
                NOW);
    }

    DeleteObject delete(String key) {
        return new DeleteObject(new ObjectKey(key), WriteCondition.NONE);
    }
}
