package io.headgate.s3.op;

import io.headgate.domain.ByteRange;
import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ChecksumDigest;
import io.headgate.namespace.ObjectVersion;
import io.headgate.s3.CopySource;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ReadableByteChannel;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Computes a checksum that a copy has to carry and its source lacks, by reading the source's bytes. */
final class CopyChecksum {
    private static final int BUFFER_BYTES = 64 << 10;

    private final Storage storage;
    private final SliceReader slices;

    CopyChecksum(Storage storage, SliceReader slices) {
        this.storage = storage;
        this.slices = slices;
    }

    /** @param sourceWriteId the version whose bytes were read: the copy must be of no other */
    record Computed(String sourceWriteId, Checksum checksum) {}

    /** The algorithm that a header asks for. */
    static Optional<ChecksumAlgorithm> wanted(@Nullable String header) {
        if (header == null) {
            return Optional.empty();
        }
        return Optional.of(ChecksumAlgorithm.named(header)
                .orElseThrow(() -> new S3Exception(
                        S3Error.INVALID_REQUEST, "Checksum algorithm provided is unsupported: " + header)));
    }

    /** Of all the source's bytes; empty if the source carries that checksum of the whole already. */
    Optional<Computed> ofWholeUnlessStored(CopySource source, ChecksumAlgorithm algorithm) {
        long readBegun = storage.reads().begin();
        ObjectVersion version = current(source, readBegun);
        boolean stored = version.checksums().stream()
                .anyMatch(
                        checksum -> checksum.algorithm() == algorithm && checksum.type() == Checksum.Type.FULL_OBJECT);
        if (stored) {
            storage.reads().end(readBegun);
            return Optional.empty();
        }
        return Optional.of(compute(version, new ByteRange.Resolved(0, version.sizeBytes()), algorithm, readBegun));
    }

    /** Of a range; InvalidRange if it does not lie in the source. */
    Computed ofRange(CopySource source, ByteRange range, ChecksumAlgorithm algorithm) {
        long readBegun = storage.reads().begin();
        ObjectVersion version = current(source, readBegun);
        Optional<ByteRange.Resolved> resolved = range.resolve(version.sizeBytes());
        if (resolved.isEmpty()) {
            storage.reads().end(readBegun);
            throw new S3Exception(S3Error.INVALID_RANGE);
        }
        return compute(version, resolved.get(), algorithm, readBegun);
    }

    private ObjectVersion current(CopySource source, long readBegun) {
        boolean found = false;
        try {
            ObjectVersion version = Refusals.done(storage.namespace().currentVersion(source.bucket(), source.key()));
            found = true;
            return version;
        } finally {
            if (!found) {
                storage.reads().end(readBegun);
            }
        }
    }

    private Computed compute(
            ObjectVersion version, ByteRange.Resolved range, ChecksumAlgorithm algorithm, long readBegun) {
        ChecksumDigest digest = ChecksumDigest.of(algorithm);
        if (range.lengthBytes() == 0) {
            storage.reads().end(readBegun);
        } else {
            byte[] buffer = new byte[(int) Math.min(BUFFER_BYTES, range.lengthBytes())];
            ByteBuffer into = ByteBuffer.wrap(buffer);
            try (ReadableByteChannel bytes = slices.open(version, range, readBegun)) {
                while (bytes.read(into.clear()) >= 0) {
                    digest.update(buffer, 0, into.position());
                }
            } catch (IOException failed) {
                throw new S3Exception(S3Error.SERVICE_UNAVAILABLE);
            }
        }
        return new Computed(version.writeId(), Checksum.full(algorithm, digest.value()));
    }
}
