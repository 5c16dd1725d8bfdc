package io.headgate.domain;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class ChecksumDigestTest {
    private static final long SEED = 20_261_130;

    @ParameterizedTest
    @CsvSource({
        "CRC32, cbf43926",
        "CRC32C, e3069283",
        "CRC64NVME, ae8b14860a799888",
        "SHA1, f7c3bc1d808e04732adf679965ccc34ca7ae3441",
        "SHA256, 15e2b0d3c33891ebb0f1ef609ec419420c20e320ce94c65fbc8c3312448eb225"
    })
    void the_digits_one_to_nine_have_the_published_check_value(ChecksumAlgorithm algorithm, String expected) {
        assertThat(hex(digest(algorithm, "123456789".getBytes(US_ASCII)))).isEqualTo(expected);
    }

    @Test
    void the_crc64_of_no_bytes_and_of_long_runs_is_right() {
        assertThat(hex(digest(ChecksumAlgorithm.CRC64NVME, new byte[0]))).isEqualTo("0000000000000000");
        // The test cases of the NVM Express NVM Command Set Specification, "64b CRC Polynomial".
        assertThat(hex(digest(ChecksumAlgorithm.CRC64NVME, new byte[4096]))).isEqualTo("6482d367eb22b64e");
        byte[] ones = new byte[4096];
        Arrays.fill(ones, (byte) 0xFF);
        assertThat(hex(digest(ChecksumAlgorithm.CRC64NVME, ones))).isEqualTo("c0ddba7302eca3ac");
    }

    @Test
    void the_crc64_equals_that_computed_bit_by_bit_at_every_length_and_alignment() {
        byte[] bytes = random(300);
        for (int offset = 0; offset < 17; offset++) {
            for (int length = 0; length <= 200; length++) {
                ChecksumDigest digest = ChecksumDigest.of(ChecksumAlgorithm.CRC64NVME);
                digest.update(bytes, offset, length);
                assertThat(hex(digest.value()))
                        .as("offset %d, length %d", offset, length)
                        .isEqualTo("%016x".formatted(crc64BitByBit(bytes, offset, length)));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void pieces_give_the_value_of_the_whole_and_the_digest_starts_anew(ChecksumAlgorithm algorithm) {
        byte[] bytes = random(1000);
        ChecksumDigest digest = ChecksumDigest.of(algorithm);
        for (int piece : new int[] {1, 7, 333}) {
            for (int at = 0; at < bytes.length; at += piece) {
                digest.update(bytes, at, Math.min(piece, bytes.length - at));
            }
            assertThat(digest.value()).hasSize(algorithm.lengthBytes()).isEqualTo(digest(algorithm, bytes));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CRC32", "CRC32C", "CRC64NVME"})
    void the_crcs_of_two_parts_combine_to_that_of_their_concatenation(ChecksumAlgorithm algorithm) {
        byte[] whole = random(70_001);
        for (int lengthOfB : new int[] {0, 1, 2, 3, 8, 255, 256, 4096, 65_537, 70_000, 70_001}) {
            int split = whole.length - lengthOfB;
            byte[] combined = Crc.combine(
                    algorithm,
                    digest(algorithm, Arrays.copyOfRange(whole, 0, split)),
                    digest(algorithm, Arrays.copyOfRange(whole, split, whole.length)),
                    lengthOfB);
            assertThat(combined).as("B of %d bytes", lengthOfB).isEqualTo(digest(algorithm, whole));
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"CRC32", "CRC32C", "CRC64NVME"})
    void lengths_beyond_those_of_arrays_combine_associatively(ChecksumAlgorithm algorithm) {
        byte[] a = digest(algorithm, random(10));
        byte[] b = digest(algorithm, random(11));
        byte[] c = digest(algorithm, random(12));
        long lengthOfB = 5L << 40;
        long lengthOfC = (1L << 42) + 12_345;
        byte[] leftFirst = Crc.combine(algorithm, Crc.combine(algorithm, a, b, lengthOfB), c, lengthOfC);
        byte[] rightFirst = Crc.combine(algorithm, a, Crc.combine(algorithm, b, c, lengthOfC), lengthOfB + lengthOfC);
        assertThat(leftFirst).isEqualTo(rightFirst);
    }

    @Test
    void what_cannot_combine_is_refused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Crc.combine(ChecksumAlgorithm.SHA1, new byte[20], new byte[20], 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Crc.combine(ChecksumAlgorithm.CRC32, new byte[8], new byte[4], 1));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Crc.combine(ChecksumAlgorithm.CRC32, new byte[4], new byte[4], -1));
    }

    private static long crc64BitByBit(byte[] bytes, int offset, int length) {
        long register = -1L;
        for (int i = offset; i < offset + length; i++) {
            register ^= bytes[i] & 0xFF;
            for (int bit = 0; bit < 8; bit++) {
                register = (register & 1) != 0 ? (register >>> 1) ^ 0x9A6C9329AC4BC9B5L : register >>> 1;
            }
        }
        return ~register;
    }

    private static byte[] digest(ChecksumAlgorithm algorithm, byte[] bytes) {
        ChecksumDigest digest = ChecksumDigest.of(algorithm);
        digest.update(bytes, 0, bytes.length);
        return digest.value();
    }

    private static byte[] random(int length) {
        byte[] bytes = new byte[length];
        new Random(SEED).nextBytes(bytes);
        return bytes;
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }
}
