package io.headgate.s3.form;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.domain.BlockInputStream;
import io.headgate.s3.S3BodyException;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A form as a browser sends it to upload a file: its fields up to the file, and the file as it arrives. Fields after the file mean
 * nothing. Used by one thread.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-HTTPPOSTForms.html">S3: creating an HTML form</a>
 */
public final class Form {
    /** All before the content of the file, the boundaries included. */
    static final int MAX_FIELDS_BYTES = 20 << 10;

    private static final int MAX_BOUNDARY_CHARACTERS = 70;
    private static final String FILE = "file";
    private static final String FILE_NAME = "${filename}";

    /** Fields that say who allows what, and are taken as they are. */
    private static final Set<String> VERBATIM = Set.of(
            "policy",
            "awsaccesskeyid",
            "signature",
            "x-amz-algorithm",
            "x-amz-credential",
            "x-amz-date",
            "x-amz-signature");

    private final Map<String, String> fields;
    private final MultipartReader parts;
    private final long fieldsBytes;

    private Form(Map<String, String> fields, MultipartReader parts) {
        this.fields = Collections.unmodifiableMap(fields);
        this.parts = parts;
        this.fieldsBytes = parts.takenBytes();
    }

    /**
     * Reads a form up to the first byte of its file.
     *
     * @param contentType of the request; empty if it has none
     * @throws S3Exception PreconditionFailed if it is not multipart/form-data, InvalidArgument if it has no file, or a field twice
     * @throws S3BodyException MalformedPOSTRequest, MaxPostPreDataLengthExceeded
     */
    public static Form read(InputStream body, String contentType) throws IOException {
        MultipartReader parts = new MultipartReader(body, boundary(contentType), MAX_FIELDS_BYTES);
        Map<String, String> fields = new LinkedHashMap<>();
        for (boolean more = parts.first(); more; more = parts.next()) {
            HeaderValue disposition = disposition(parts);
            String name = disposition
                    .parameter("name")
                    .orElseThrow(MultipartReader::malformed)
                    .toLowerCase(Locale.ROOT);
            if (name.equals(FILE)) {
                parts.liftLimit();
                fill(fields, disposition.fileName());
                return new Form(fields, parts);
            }
            if (fields.putIfAbsent(name, text(parts)) != null) {
                throw S3Exception.invalidArgument(name, "", "POST requires at most one field named '" + name + "'");
            }
        }
        throw S3Exception.invalidArgument(FILE, "0", "POST requires exactly one file upload per request");
    }

    private static String boundary(String contentType) {
        HeaderValue type = HeaderValue.parse(contentType);
        if (!type.type().equals("multipart/form-data")) {
            throw new S3Exception(
                    S3Error.PRECONDITION_FAILED,
                    S3Error.PRECONDITION_FAILED.message(),
                    Map.of("Condition", "Bucket POST must be of the enclosure-type multipart/form-data"));
        }
        return type.parameter("boundary")
                .filter(boundary -> !boundary.isEmpty() && boundary.length() <= MAX_BOUNDARY_CHARACTERS)
                .orElseThrow(() -> new S3Exception(S3Error.MALFORMED_POST_REQUEST));
    }

    private static HeaderValue disposition(MultipartReader parts) throws IOException {
        Optional<HeaderValue> disposition = Optional.empty();
        for (String line = parts.line(); !line.isEmpty(); line = parts.line()) {
            int colon = line.indexOf(':');
            if (colon < 0) {
                throw MultipartReader.malformed();
            }
            if (line.substring(0, colon).strip().equalsIgnoreCase("content-disposition")) {
                disposition = Optional.of(HeaderValue.parse(line.substring(colon + 1)));
            }
        }
        return disposition.filter(value -> value.type().equals("form-data")).orElseThrow(MultipartReader::malformed);
    }

    private static String text(MultipartReader parts) throws IOException {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        byte[] some = new byte[1024];
        for (int count = parts.read(some, 0, some.length); count >= 0; count = parts.read(some, 0, some.length)) {
            text.write(some, 0, count);
        }
        return text.toString(UTF_8);
    }

    /** Puts the file's name, without the directories that some browsers tell, where fields ask for it. */
    private static void fill(Map<String, String> fields, Optional<String> path) {
        String given = path.orElse("");
        String name = given.substring(Math.max(given.lastIndexOf('/'), given.lastIndexOf('\\')) + 1);
        fields.replaceAll((field, value) -> VERBATIM.contains(field) ? value : value.replace(FILE_NAME, name));
    }

    /** The fields before the file, by their names in lower case, in the order in which they came. */
    public Map<String, String> fields() {
        return fields;
    }

    public Optional<String> field(String name) {
        return Optional.ofNullable(fields.get(name));
    }

    /** How long the file is if nothing follows it and the body ends with a line end, as most clients send it; maybe negative. */
    public long likelyFileBytes(long bodyBytes) {
        return bodyBytes - fieldsBytes - parts.closingBytes();
    }

    /**
     * The file. To be taken once. It is verified to be one of {@code lengths} by the read that finds that it is not, which throws an
     * {@link S3BodyException} EntityTooSmall or EntityTooLarge; every read after that throws it again.
     */
    public InputStream file(LengthRange lengths) {
        return new File(parts, lengths);
    }

    private static final class File extends BlockInputStream {
        private final MultipartReader parts;
        private final LengthRange lengths;
        private long readBytes;
        private boolean ended;

        File(MultipartReader parts, LengthRange lengths) {
            this.parts = parts;
            this.lengths = lengths;
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            Objects.checkFromIndexSize(offset, length, bytes.length);
            if (length == 0) {
                return 0;
            }
            if (!ended && readBytes <= lengths.mostBytes()) {
                int count = parts.read(bytes, offset, length);
                readBytes += Math.max(count, 0);
                if (count < 0) {
                    ended = true;
                    boolean unused = parts.next(); // lest what only begins like a boundary is taken for one
                }
                if (count > 0 && readBytes <= lengths.mostBytes()) {
                    return count;
                }
            }
            if (readBytes > lengths.mostBytes()) {
                throw new S3BodyException(S3Error.ENTITY_TOO_LARGE);
            }
            if (readBytes < lengths.leastBytes()) {
                throw new S3BodyException(S3Error.ENTITY_TOO_SMALL);
            }
            return -1;
        }
    }
}
