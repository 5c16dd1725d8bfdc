package io.headgate.work;

import static io.headgate.work.Site.BUCKET;
import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BlobId;
import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ChecksumDigest;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.namespace.CompleteUpload;
import io.headgate.namespace.CopyObject;
import io.headgate.namespace.Discrepancy;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Part;
import io.headgate.namespace.PutObject;
import io.headgate.namespace.PutPart;
import io.headgate.namespace.ReadCondition;
import io.headgate.namespace.Upload;
import io.headgate.namespace.WriteCondition;
import io.headgate.namespace.WriteIntents;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A site to be damaged, with words for doing that and for looking at what a check finds. Its blobs lie as files in real accounts. */
abstract class FsckFixture {
    static final Duration MIN_AGE = Duration.ofHours(24);
    static final Duration OVERDUE = Duration.ofHours(2);

    @TempDir
    Path directory;

    Site site;
    final Random random = new Random(11);
    final List<Finding> findings = new ArrayList<>();

    protected abstract Site open(Path place);

    @BeforeEach
    final void open() {
        site = open(directory);
    }

    @AfterEach
    final void close() {
        site.close();
    }

    final Fsck.Summary run(boolean repair, boolean checksum, int blobsAtOnce) throws InterruptedException {
        return run(new Fsck.Settings(repair, checksum, MIN_AGE, OVERDUE, 0.05, blobsAtOnce), line -> {});
    }

    final Fsck.Summary run(Fsck.Settings settings, Consumer<String> progress) throws InterruptedException {
        findings.clear();
        Fsck.Listener listener = new Fsck.Listener() {
            @Override
            public void found(Finding finding) {
                findings.add(finding);
            }

            @Override
            public void progress(String line) {
                progress.accept(line);
            }
        };
        return new Fsck(site.namespace, site.accounts, site.clock, site.clock::move, settings, listener).run();
    }

    final Fsck.Summary check() throws InterruptedException {
        return run(false, false, 1_000_000);
    }

    final Fsck.Summary repair() throws InterruptedException {
        return run(true, false, 1_000_000);
    }

    final void assertClean() throws InterruptedException {
        Fsck.Summary summary = check();
        assertThat(findings).isEmpty();
        assertThat(summary.unchecked()).isEmpty();
        assertThat(summary.isClean()).isTrue();
    }

    final Finding onlyFinding() {
        assertThat(findings).hasSize(1);
        return findings.getFirst();
    }

    final void assertFound(Finding.Kind kind, Finding.Fate fate) {
        assertThat(onlyFinding().kind()).isEqualTo(kind);
        assertThat(onlyFinding().fate()).isEqualTo(fate);
    }

    final Path file(String account, BlobId blob) throws IOException {
        try (Stream<Path> files = Files.walk(directory.resolve(account).resolve("blobs"))) {
            return files.filter(file -> file.getFileName().toString().equals(blob.toString()))
                    .findFirst()
                    .orElseThrow();
        }
    }

    final byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    static byte[] md5(byte[]... all) {
        try {
            MessageDigest md5 = MessageDigest.getInstance("MD5");
            for (byte[] bytes : all) {
                md5.update(bytes);
            }
            return md5.digest();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    static Checksum crc(byte[] bytes) {
        ChecksumDigest digest = ChecksumDigest.of(ChecksumAlgorithm.CRC32C);
        digest.update(bytes, 0, bytes.length);
        return Checksum.full(ChecksumAlgorithm.CRC32C, digest.value());
    }

    final BlobId stored(WriteIntents.Write write, String account, byte[] bytes) throws IOException {
        BlobId blob = write.newBlobId();
        try (var reservation =
                site.account(account).tryReserve(bytes.length, Long.MAX_VALUE).orElseThrow()) {
            site.account(account).put(reservation, blob, bytes.length, new ByteArrayInputStream(bytes));
            reservation.commit();
        }
        return blob;
    }

    final BlobId put(String key, String account, byte[] bytes) throws IOException {
        WriteIntents.Write write = site.intents.begin();
        BlobId blob = stored(write, account, bytes);
        done(site.namespace.putObject(new PutObject(
                BUCKET,
                new ObjectKey(key),
                UUID.randomUUID().toString(),
                plain(),
                bytes.length,
                new ETag(HexFormat.of().formatHex(md5(bytes))),
                List.of(crc(bytes)),
                Optional.of(new Slice(blob, account, 0, bytes.length)),
                WriteCondition.NONE,
                write.intentId(),
                Optional.empty(),
                site.clock.instant())));
        write.settle();
        return blob;
    }

    static ObjectAttributes plain() {
        return new ObjectAttributes(Map.of(), Map.of(), Map.of(), ObjectAttributes.STANDARD);
    }

    static <T> T done(Outcome<T> outcome) {
        if (outcome instanceof Outcome.Done<T>(T value)) {
            return value;
        }
        throw new AssertionError(outcome);
    }

    final Upload upload(String key) {
        return done(site.namespace.createUpload(new Upload(
                UUID.randomUUID().toString(),
                BUCKET,
                new ObjectKey(key),
                plain(),
                Optional.empty(),
                "alice",
                site.clock.instant())));
    }

    final BlobId part(Upload upload, List<Part> parts, byte[] bytes) throws IOException {
        WriteIntents.Write write = site.intents.begin();
        BlobId blob = stored(write, "disk-2", bytes);
        Part part = new Part(
                parts.size() + 1,
                bytes.length,
                new ETag(HexFormat.of().formatHex(md5(bytes))),
                Optional.empty(),
                site.clock.instant());
        done(site.namespace.putPart(new PutPart(
                BUCKET,
                upload.key(),
                upload.id(),
                part,
                Optional.of(new Slice(blob, "disk-2", 0, bytes.length)),
                write.intentId())));
        write.settle();
        parts.add(part);
        return blob;
    }

    final ObjectVersion complete(Upload upload, List<Part> parts) {
        return done(site.namespace.completeUpload(new CompleteUpload(
                BUCKET,
                upload.key(),
                upload.id(),
                UUID.randomUUID().toString(),
                parts.stream()
                        .map(part -> new CompleteUpload.NamedPart(part.number(), part.etag(), Optional.empty()))
                        .toList(),
                Optional.empty(),
                Optional.empty(),
                WriteCondition.NONE,
                site.clock.instant())));
    }

    final ObjectVersion copy(String from, String to) {
        return done(site.namespace.copyObject(new CopyObject(
                BUCKET,
                new ObjectKey(from),
                Optional.empty(),
                ReadCondition.NONE,
                BUCKET,
                new ObjectKey(to),
                UUID.randomUUID().toString(),
                Optional.empty(),
                Optional.empty(),
                ObjectAttributes.STANDARD,
                Optional.empty(),
                Optional.empty(),
                WriteCondition.NONE,
                site.clock.instant())));
    }

    final String version(String key) {
        return done(site.namespace.currentVersion(BUCKET, new ObjectKey(key))).writeId();
    }

    final void damage(Discrepancy.Correctable correction) {
        long number = site.namespace.audit(found -> {});
        assertThat(site.namespace.correct(number, List.of(correction), site.clock.instant()))
                .isTrue();
    }
}
