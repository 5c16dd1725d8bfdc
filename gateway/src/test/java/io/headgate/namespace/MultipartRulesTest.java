package io.headgate.namespace;

import static org.assertj.core.api.Assertions.assertThat;

import io.headgate.domain.BucketName;
import io.headgate.domain.ByteRange;
import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ChecksumDigest;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.namespace.CompleteUpload.NamedPart;
import io.headgate.namespace.Upload.UploadChecksum;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class MultipartRulesTest {
    private static final Instant NOW = Instant.parse("2026-03-01T12:00:00Z");
    private static final List<String> TEXTS = List.of("0123456789", "abcdefghijkl", "end");

    private final MultipartRules rules = new MultipartRules(10);
    private final Map<Integer, Part> uploaded = new HashMap<>();

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    private static byte[] md5(byte[] bytes) throws Exception {
        return MessageDigest.getInstance("MD5").digest(bytes);
    }

    private static byte[] digest(ChecksumAlgorithm algorithm, byte[] bytes) {
        ChecksumDigest digest = ChecksumDigest.of(algorithm);
        digest.update(bytes, 0, bytes.length);
        return digest.value();
    }

    /** Uploads the texts as parts 1, 2, 3. */
    private List<NamedPart> upload(Optional<ChecksumAlgorithm> algorithm) throws Exception {
        List<NamedPart> named = new ArrayList<>();
        for (int i = 0; i < TEXTS.size(); i++) {
            byte[] text = bytes(TEXTS.get(i));
            ETag etag = new ETag(HexFormat.of().formatHex(md5(text)));
            Optional<Checksum> checksum = algorithm.map(one -> Checksum.full(one, digest(one, text)));
            uploaded.put(i + 1, new Part(i + 1, text.length, etag, checksum, NOW));
            named.add(new NamedPart(i + 1, etag, Optional.empty()));
        }
        return named;
    }

    private static CompleteUpload command(List<NamedPart> parts, Optional<Checksum> checksum, Optional<Long> size) {
        return new CompleteUpload(
                new BucketName("photos"),
                new ObjectKey("a"),
                "upload",
                "00000000-0000-0000-0000-000000000000",
                parts,
                checksum,
                size,
                WriteCondition.NONE,
                NOW);
    }

    private Outcome<MultipartRules.Whole> complete(List<NamedPart> parts) {
        return rules.complete(command(parts, Optional.empty(), Optional.empty()), Optional.empty(), uploaded);
    }

    private static Refusal refusal(Outcome<MultipartRules.Whole> outcome) {
        return ((Outcome.Refused<MultipartRules.Whole>) outcome).reason();
    }

    @Test
    void the_etag_is_the_md5_of_the_md5s_and_their_number() throws Exception {
        List<NamedPart> named = upload(Optional.empty());
        MessageDigest md5 = MessageDigest.getInstance("MD5");
        for (String text : TEXTS) {
            md5.update(md5(bytes(text)));
        }

        MultipartRules.Whole whole = NamespaceSuite.done(complete(named));
        assertThat(whole.etag().value()).isEqualTo(HexFormat.of().formatHex(md5.digest()) + "-3");
        assertThat(whole.sizeBytes()).isEqualTo(25);
        assertThat(whole.parts()).extracting(Part::number).containsExactly(1, 2, 3);
        assertThat(whole.checksum()).isEmpty();
    }

    @Test
    void parts_are_named_in_ascending_order() throws Exception {
        List<NamedPart> named = upload(Optional.empty());
        assertThat(refusal(complete(named.reversed()))).isEqualTo(Refusal.INVALID_PART_ORDER);
        assertThat(complete(List.of(named.get(0), named.get(2)))).isInstanceOf(Outcome.Done.class);
    }

    /** A client that sent a part twice at once knows two tags of it; the public tests for S3 send both. */
    @Test
    void of_a_part_that_is_named_twice_in_a_row_the_last_name_counts() throws Exception {
        List<NamedPart> named = upload(Optional.empty());
        NamedPart stale = new NamedPart(1, named.get(1).etag(), Optional.empty());
        NamedPart part = named.getFirst();

        assertThat(NamespaceSuite.done(complete(List.of(stale, part))).sizeBytes())
                .isEqualTo(TEXTS.getFirst().length());
        assertThat(refusal(complete(List.of(part, stale)))).isEqualTo(Refusal.INVALID_PART);
        assertThat(refusal(complete(List.of(part, named.get(1), part)))).isEqualTo(Refusal.INVALID_PART_ORDER);
    }

    @Test
    void a_part_is_named_with_its_own_tag_and_checksum() throws Exception {
        List<NamedPart> named = upload(Optional.of(ChecksumAlgorithm.SHA256));
        Checksum own = uploaded.get(1).checksum().orElseThrow();
        Checksum other = uploaded.get(2).checksum().orElseThrow();
        ETag tag = named.getFirst().etag();

        assertThat(refusal(complete(List.of(new NamedPart(9, tag, Optional.empty())))))
                .isEqualTo(Refusal.INVALID_PART);
        assertThat(refusal(complete(List.of(new NamedPart(1, named.get(1).etag(), Optional.empty())))))
                .isEqualTo(Refusal.INVALID_PART);
        assertThat(refusal(complete(List.of(new NamedPart(1, tag, Optional.of(other))))))
                .isEqualTo(Refusal.INVALID_PART);
        assertThat(complete(List.of(new NamedPart(1, tag, Optional.of(own))))).isInstanceOf(Outcome.Done.class);
        assertThat(refusal(complete(List.of()))).isEqualTo(Refusal.INVALID_PART);
    }

    @Test
    void only_the_last_part_may_be_small() throws Exception {
        List<NamedPart> named = upload(Optional.empty());
        uploaded.put(1, new Part(1, 9, named.getFirst().etag(), Optional.empty(), NOW));
        assertThat(refusal(complete(named))).isEqualTo(Refusal.ENTITY_TOO_SMALL);
        assertThat(complete(named.subList(0, 1))).isInstanceOf(Outcome.Done.class);
    }

    @Test
    void an_object_has_at_most_five_tebibytes_and_the_size_that_was_said() throws Exception {
        List<NamedPart> named = upload(Optional.empty());
        assertThat(refusal(
                        rules.complete(command(named, Optional.empty(), Optional.of(24L)), Optional.empty(), uploaded)))
                .isEqualTo(Refusal.SIZE_MISMATCH);
        assertThat(rules.complete(command(named, Optional.empty(), Optional.of(25L)), Optional.empty(), uploaded))
                .isInstanceOf(Outcome.Done.class);
        for (int i = 1; i <= 2; i++) {
            uploaded.put(
                    i,
                    new Part(
                            i,
                            MultipartRules.MAX_OBJECT_BYTES / 2,
                            named.get(i - 1).etag(),
                            Optional.empty(),
                            NOW));
        }
        assertThat(complete(named.subList(0, 2))).isInstanceOf(Outcome.Done.class);
        assertThat(refusal(complete(named))).isEqualTo(Refusal.ENTITY_TOO_LARGE);
    }

    @Test
    void a_full_object_checksum_is_that_of_the_bytes_though_nobody_reads_them() throws Exception {
        for (ChecksumAlgorithm algorithm : ChecksumAlgorithm.values()) {
            List<NamedPart> named = upload(Optional.of(algorithm));
            UploadChecksum declared = new UploadChecksum(algorithm, Checksum.Type.FULL_OBJECT);
            Outcome<MultipartRules.Whole> outcome =
                    rules.complete(command(named, Optional.empty(), Optional.empty()), Optional.of(declared), uploaded);
            Optional<Checksum> expected = algorithm.isCrc()
                    ? Optional.of(Checksum.full(algorithm, digest(algorithm, bytes(String.join("", TEXTS)))))
                    : Optional.empty();
            assertThat(NamespaceSuite.done(outcome).checksum()).isEqualTo(expected);
        }
    }

    @Test
    void a_composite_checksum_is_that_of_the_parts_checksums() throws Exception {
        List<NamedPart> named = upload(Optional.of(ChecksumAlgorithm.SHA1));
        MessageDigest sha1 = MessageDigest.getInstance("SHA-1");
        for (String text : TEXTS) {
            sha1.update(digest(ChecksumAlgorithm.SHA1, bytes(text)));
        }
        String plain = Base64.getEncoder().encodeToString(sha1.digest());
        Optional<UploadChecksum> declared =
                Optional.of(new UploadChecksum(ChecksumAlgorithm.SHA1, Checksum.Type.COMPOSITE));

        for (String said : List.of(plain, plain + "-3")) {
            Checksum checksum = new Checksum(ChecksumAlgorithm.SHA1, Checksum.Type.COMPOSITE, said);
            Outcome<MultipartRules.Whole> outcome =
                    rules.complete(command(named, Optional.of(checksum), Optional.empty()), declared, uploaded);
            assertThat(NamespaceSuite.done(outcome).checksum().orElseThrow().base64())
                    .isEqualTo(plain + "-3");
        }
        for (Checksum wrong : List.of(
                new Checksum(ChecksumAlgorithm.SHA1, Checksum.Type.COMPOSITE, plain + "-2"),
                new Checksum(ChecksumAlgorithm.SHA1, Checksum.Type.FULL_OBJECT, plain),
                new Checksum(ChecksumAlgorithm.SHA256, Checksum.Type.COMPOSITE, plain))) {
            assertThat(refusal(
                            rules.complete(command(named, Optional.of(wrong), Optional.empty()), declared, uploaded)))
                    .isEqualTo(Refusal.BAD_DIGEST);
        }
    }

    @Test
    void a_part_without_the_declared_checksum_leaves_the_whole_without_one() throws Exception {
        List<NamedPart> named = upload(Optional.empty());
        Optional<UploadChecksum> declared =
                Optional.of(new UploadChecksum(ChecksumAlgorithm.CRC32, Checksum.Type.COMPOSITE));
        Outcome<MultipartRules.Whole> outcome =
                rules.complete(command(named, Optional.empty(), Optional.empty()), declared, uploaded);
        assertThat(NamespaceSuite.done(outcome).checksum()).isEmpty();
    }

    @Test
    void a_copied_part_has_a_tag_of_its_own_range() {
        ETag plain = new ETag("0123456789abcdef0123456789abcdef");
        ETag multipart = new ETag("0123456789abcdef0123456789abcdef-2");
        ByteRange.Resolved whole = new ByteRange.Resolved(0, 100);
        ByteRange.Resolved half = new ByteRange.Resolved(0, 50);

        assertThat(MultipartRules.copiedPartETag(plain, 100, whole)).isEqualTo(plain);
        assertThat(MultipartRules.copiedPartETag(plain, 100, half))
                .isNotEqualTo(plain)
                .isEqualTo(MultipartRules.copiedPartETag(plain, 100, half))
                .isNotEqualTo(MultipartRules.copiedPartETag(plain, 100, new ByteRange.Resolved(50, 50)));
        assertThat(MultipartRules.copiedPartETag(multipart, 100, whole).value()).matches("[0-9a-f]{32}");
    }
}
