package io.headgate.namespace.redis;

import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.codec.Codec;
import io.headgate.namespace.codec.PackedReader;
import io.headgate.namespace.codec.PackedWriter;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a client said of an object, in few bytes: names of headers and values that are common have numbers. The tables are only ever
 * continued.
 */
record StoredDetails(ObjectAttributes attributes, List<Checksum> checksums) {
    private static final Listed PLAIN = new Listed(ObjectAttributes.STANDARD, Optional.empty(), Optional.empty());

    private static final int STORAGE_CLASS = 1;
    private static final int HEADERS = 2;
    private static final int METADATA = 4;
    private static final int TAGS = 8;
    private static final int CHECKSUMS = 16;

    private static final List<String> NAMES = List.of(
            "content-type",
            "content-encoding",
            "content-disposition",
            "content-language",
            "cache-control",
            "expires",
            ObjectAttributes.WEBSITE_REDIRECT);

    private static final List<String> VALUES = List.of(
            "application/octet-stream",
            "binary/octet-stream",
            "text/plain",
            "text/html",
            "text/css",
            "text/csv",
            "text/javascript",
            "text/plain; charset=utf-8",
            "text/html; charset=utf-8",
            "application/json",
            "application/xml",
            "application/pdf",
            "application/zip",
            "application/gzip",
            "application/x-gzip",
            "application/x-tar",
            "application/x-ndjson",
            "application/javascript",
            "application/vnd.apache.parquet",
            "application/x-www-form-urlencoded",
            "image/jpeg",
            "image/png",
            "image/gif",
            "image/webp",
            "image/svg+xml",
            "image/tiff",
            "audio/mpeg",
            "video/mp4",
            "gzip",
            "zstd",
            "no-cache",
            "attachment",
            "aws-chunked");

    static byte[] write(ObjectAttributes attributes, List<Checksum> checksums) {
        boolean standard = attributes.storageClass().equals(ObjectAttributes.STANDARD);
        PackedWriter out = new PackedWriter();
        out.number((standard ? 0 : STORAGE_CLASS)
                | (attributes.headers().isEmpty() ? 0 : HEADERS)
                | (attributes.metadata().isEmpty() ? 0 : METADATA)
                | (attributes.tags().isEmpty() ? 0 : TAGS)
                | (checksums.isEmpty() ? 0 : CHECKSUMS));
        if (!standard) {
            out.string(attributes.storageClass());
        }
        if (!attributes.headers().isEmpty()) {
            out.number(attributes.headers().size());
            attributes.headers().forEach((name, value) -> {
                word(out, NAMES, name);
                word(out, VALUES, value);
            });
        }
        if (!attributes.metadata().isEmpty()) {
            out.map(attributes.metadata());
        }
        if (!attributes.tags().isEmpty()) {
            out.map(attributes.tags());
        }
        if (!checksums.isEmpty()) {
            out.number(checksums.size());
            checksums.forEach(checksum -> write(out, checksum));
        }
        return out.toBytes();
    }

    /** The number of a word that has one, from 1 on; else 0 and the word. */
    private static void word(PackedWriter out, List<String> words, String word) {
        int number = words.indexOf(word) + 1;
        out.number(number);
        if (number == 0) {
            out.string(word);
        }
    }

    private static String word(PackedReader in, List<String> words) {
        int number = (int) in.number();
        if (number == 0) {
            return in.string();
        }
        if (number > words.size()) {
            throw Codec.corrupt();
        }
        return words.get(number - 1);
    }

    /** The bytes of the checksum, where its text is just what they give; then the parts of a composite one, 0 for none. */
    private static void write(PackedWriter out, Checksum checksum) {
        String text = checksum.base64();
        int hyphen = text.lastIndexOf('-');
        String sum = hyphen < 0 ? text : text.substring(0, hyphen);
        out.number(Codec.checksumKind(checksum.algorithm(), checksum.type()));
        byte[] raw = raw(sum);
        long parts = hyphen < 0 ? 0 : parts(text.substring(hyphen + 1));
        if (raw.length == 0 || parts < 0) {
            out.bytes(new byte[0]).string(text);
        } else {
            out.bytes(raw).number(parts);
        }
    }

    private static byte[] raw(String base64) {
        try {
            byte[] raw = Base64.getDecoder().decode(base64);
            return Base64.getEncoder().encodeToString(raw).equals(base64) ? raw : new byte[0];
        } catch (IllegalArgumentException other) {
            return new byte[0];
        }
    }

    private static long parts(String text) {
        try {
            int parts = Integer.parseInt(text);
            return parts > 0 && Integer.toString(parts).equals(text) ? parts : -1;
        } catch (NumberFormatException other) {
            return -1;
        }
    }

    private static Checksum readChecksum(PackedReader in) {
        long kind = in.number();
        byte[] raw = in.bytes();
        String text;
        if (raw.length == 0) {
            text = in.string();
        } else {
            long parts = in.number();
            text = Base64.getEncoder().encodeToString(raw) + (parts == 0 ? "" : "-" + parts);
        }
        return new Checksum(Codec.algorithm(kind), Codec.type(kind), text);
    }

    /** What listings show of it. */
    record Listed(
            String storageClass, Optional<ChecksumAlgorithm> checksumAlgorithm, Optional<Checksum.Type> checksumType) {}

    /** Reads of what is left what listings show. */
    static Listed listed(ByteBuffer record) {
        if ((record.get(record.position()) & (STORAGE_CLASS | CHECKSUMS)) == 0) { // a number of one byte
            return PLAIN;
        }
        StoredDetails all = read(record);
        Optional<Checksum> checksum = all.checksums().stream().findFirst();
        return new Listed(
                all.attributes().storageClass(), checksum.map(Checksum::algorithm), checksum.map(Checksum::type));
    }

    /** Reads what is left. */
    static StoredDetails read(ByteBuffer record) {
        byte[] rest = new byte[record.remaining()];
        record.get(rest);
        PackedReader in = new PackedReader(rest);
        int present = (int) in.number();
        String storageClass = (present & STORAGE_CLASS) == 0 ? ObjectAttributes.STANDARD : in.string();
        Map<String, String> headers = new HashMap<>();
        if ((present & HEADERS) != 0) {
            for (int left = in.count(); left > 0; left--) {
                headers.put(word(in, NAMES), word(in, VALUES));
            }
        }
        Map<String, String> metadata = (present & METADATA) == 0 ? Map.of() : in.map();
        Map<String, String> tags = (present & TAGS) == 0 ? Map.of() : in.map();
        List<Checksum> checksums = new ArrayList<>();
        if ((present & CHECKSUMS) != 0) {
            for (int left = in.count(); left > 0; left--) {
                checksums.add(readChecksum(in));
            }
        }
        return new StoredDetails(new ObjectAttributes(headers, metadata, tags, storageClass), checksums);
    }
}
