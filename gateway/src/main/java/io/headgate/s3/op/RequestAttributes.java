package io.headgate.s3.op;

import io.headgate.http.RequestHead;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.s3.PercentCoding;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Reads an object's attributes from the headers of the request that makes it. */
final class RequestAttributes {
    private static final String METADATA_PREFIX = "x-amz-meta-";
    private static final int MAX_METADATA_BYTES = 2048;
    static final int MAX_TAGS = 10;

    private static final Set<String> KEPT_HEADERS = Set.of(
            "content-type",
            "content-encoding",
            "content-disposition",
            "content-language",
            "cache-control",
            "expires",
            ObjectAttributes.WEBSITE_REDIRECT);

    private static final Set<String> STORAGE_CLASSES = Set.of(
            "STANDARD",
            "REDUCED_REDUNDANCY",
            "STANDARD_IA",
            "ONEZONE_IA",
            "INTELLIGENT_TIERING",
            "GLACIER",
            "DEEP_ARCHIVE",
            "GLACIER_IR");

    /** Headers that ask for what is not built: to store the object without it would mislead the client. */
    private static final Map<String, String> UNSUPPORTED = Map.of(
            "x-amz-server-side-encryption-customer-algorithm", "server-side encryption with customer keys",
            "x-amz-server-side-encryption", "server-side encryption",
            "x-amz-object-lock-mode", "object lock",
            "x-amz-object-lock-retain-until-date", "object lock",
            "x-amz-object-lock-legal-hold", "object lock");

    private RequestAttributes() {}

    /** @throws S3Exception if a limit is exceeded or a header asks for what is not built */
    static ObjectAttributes read(RequestHead head) {
        return read(head, Map.of());
    }

    /** @param access the owner and the ACL that attributes keep */
    static ObjectAttributes read(RequestHead head, Map<String, String> access) {
        refuseUnsupported(head);
        Map<String, String> headers = new HashMap<>();
        Map<String, String> metadata = new HashMap<>();
        int metadataBytes = 0;
        for (RequestHead.Field field : head.fields()) {
            String name = field.name();
            if (name.startsWith(METADATA_PREFIX)) {
                String shortName = name.substring(METADATA_PREFIX.length());
                // Header bytes arrive as characters up to U+00FF, so that what a client sent comes back byte by byte.
                metadata.merge(shortName, field.value(), (first, second) -> first + "," + second);
                metadataBytes += shortName.length() + field.value().length();
            } else if (KEPT_HEADERS.contains(name)) {
                headers.putIfAbsent(name, field.value());
            }
        }
        if (metadataBytes > MAX_METADATA_BYTES) {
            throw new S3Exception(
                    S3Error.METADATA_TOO_LARGE,
                    S3Error.METADATA_TOO_LARGE.message(),
                    Map.of("Size", "" + metadataBytes, "MaxSizeAllowed", "" + MAX_METADATA_BYTES));
        }
        String encoding = headers.get("content-encoding");
        if (encoding != null) {
            String stripped = withoutAwsChunked(encoding);
            if (stripped.isEmpty()) {
                headers.remove("content-encoding");
            } else {
                headers.put("content-encoding", stripped);
            }
        }
        headers.putAll(access);
        return new ObjectAttributes(headers, metadata, tags(head), storageClass(head));
    }

    static void refuseUnsupported(RequestHead head) {
        for (RequestHead.Field field : head.fields()) {
            String feature = field.name().startsWith("x-amz-") ? UNSUPPORTED.get(field.name()) : null;
            if (feature != null) {
                throw new S3Exception(
                        S3Error.NOT_IMPLEMENTED, "Not implemented: " + feature + " (" + field.name() + ")");
            }
        }
    }

    /** {@code aws-chunked} says how the request was framed, not how the object is encoded; only that token goes. */
    private static String withoutAwsChunked(String encoding) {
        if (!encoding.contains("aws-chunked")) {
            return encoding;
        }
        StringBuilder kept = new StringBuilder();
        for (String token : encoding.split(",", -1)) {
            if (!token.strip().equalsIgnoreCase("aws-chunked") && !token.isBlank()) {
                kept.append(kept.isEmpty() ? "" : ",").append(token.strip());
            }
        }
        return kept.toString();
    }

    static String storageClass(RequestHead head) {
        String storageClass = head.header("x-amz-storage-class");
        if (storageClass == null) {
            return ObjectAttributes.STANDARD;
        }
        if (!STORAGE_CLASSES.contains(storageClass)) {
            throw new S3Exception(S3Error.INVALID_STORAGE_CLASS);
        }
        return storageClass;
    }

    /** The tag set of {@code x-amz-tagging}: URL query parameters. */
    static Map<String, String> tags(RequestHead head) {
        String header = head.header("x-amz-tagging");
        if (header == null || header.isEmpty()) {
            return Map.of();
        }
        Map<String, String> tags = new LinkedHashMap<>();
        for (String pair : header.split("&", -1)) {
            if (pair.isEmpty()) {
                continue;
            }
            int equals = pair.indexOf('=');
            String key;
            String value;
            try {
                key = PercentCoding.decode(equals < 0 ? pair : pair.substring(0, equals), true);
                value = equals < 0 ? "" : PercentCoding.decode(pair.substring(equals + 1), true);
            } catch (IllegalArgumentException malformed) {
                throw S3Exception.invalidArgument("x-amz-tagging", header, "The tag set is not validly URL-encoded");
            }
            Tags.add(tags, key, value);
        }
        if (tags.size() > MAX_TAGS) {
            throw new S3Exception(S3Error.INVALID_TAG, "Object tags cannot be greater than " + MAX_TAGS);
        }
        return tags;
    }

    /** The tags as {@link #tags} reads them; empty for none. */
    static Optional<RequestHead.Field> tagging(ObjectAttributes attributes) {
        String all = attributes.tags().entrySet().stream()
                .map(tag -> PercentCoding.encodeForListing(tag.getKey())
                        + '='
                        + PercentCoding.encodeForListing(tag.getValue()))
                .collect(Collectors.joining("&"));
        return all.isEmpty() ? Optional.empty() : Optional.of(new RequestHead.Field("x-amz-tagging", all));
    }
}
