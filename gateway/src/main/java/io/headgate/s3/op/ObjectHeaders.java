package io.headgate.s3.op;

import io.headgate.domain.Checksum;
import io.headgate.domain.ETag;
import io.headgate.http.RequestHead.Field;
import io.headgate.namespace.ManifestPart;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.s3.HttpDates;
import io.headgate.s3.QueryParameters;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The headers that describe a version in the responses to GET and HEAD. */
final class ObjectHeaders {
    private static final String DEFAULT_CONTENT_TYPE = "binary/octet-stream";
    private static final String OVERRIDE_PREFIX = "response-";

    /** What a request may override in its response, by the parameter's name after {@code response-}. */
    private static final Set<String> OVERRIDABLE = Set.of(
            "content-type", "content-encoding", "content-disposition", "content-language", "cache-control", "expires");

    private ObjectHeaders() {}

    /** All headers but those that depend on the range. */
    static List<Field> of(ObjectVersion version, Call call) {
        List<Field> headers = new ArrayList<>(12);
        addValidators(headers, version.etag(), version.lastModified());
        headers.add(new Field("accept-ranges", "bytes"));
        addAttributes(headers, version.attributes(), call.query());
        if (checksumsAsked(call)) {
            version.checksums().forEach(checksum -> addChecksum(headers, checksum));
        }
        return headers;
    }

    private static void addAttributes(List<Field> headers, ObjectAttributes attributes, QueryParameters query) {
        Map<String, String> kept = attributes.headers();
        boolean overridden = query.hasPrefix(OVERRIDE_PREFIX);
        String type = value("content-type", kept, query);
        headers.add(new Field("content-type", type == null ? DEFAULT_CONTENT_TYPE : type));
        if (!kept.isEmpty() || overridden) {
            for (String name : OVERRIDABLE) {
                String value = name.equals("content-type") ? null : value(name, kept, query);
                if (value != null) {
                    headers.add(new Field(name, value));
                }
            }
            String redirect = kept.get(ObjectAttributes.WEBSITE_REDIRECT);
            if (redirect != null) {
                headers.add(new Field(ObjectAttributes.WEBSITE_REDIRECT, redirect));
            }
        }
        attributes.metadata().forEach((name, value) -> headers.add(new Field("x-amz-meta-" + name, value)));
        if (!attributes.tags().isEmpty()) {
            headers.add(new Field(
                    "x-amz-tagging-count", Integer.toString(attributes.tags().size())));
        }
        if (!attributes.storageClass().equals(ObjectAttributes.STANDARD)) {
            headers.add(new Field("x-amz-storage-class", attributes.storageClass()));
        }
    }

    private static @Nullable String value(String name, Map<String, String> kept, QueryParameters query) {
        String override = query.find(OVERRIDE_PREFIX + name);
        if (override == null) {
            return kept.get(name);
        }
        if (override.chars().anyMatch(c -> c < ' ' || c == 0x7F || c > 0xFF)) {
            throw new S3Exception(
                    S3Error.INVALID_ARGUMENT, "The value of response-" + name + " cannot stand in a header");
        }
        return override;
    }

    /** What a 304 says, and every other response too. */
    static void addValidators(List<Field> headers, ETag etag, Instant lastModified) {
        headers.add(new Field("last-modified", HttpDates.http(lastModified)));
        headers.add(new Field("etag", etag.quoted()));
    }

    static boolean checksumsAsked(Call call) {
        return "ENABLED".equalsIgnoreCase(call.header("x-amz-checksum-mode"));
    }

    /** The checksum is the part's own, the type says how the object's is made of such. */
    static void setPartChecksum(List<Field> headers, ObjectVersion version, ManifestPart part) {
        headers.removeIf(header -> header.name().startsWith("x-amz-checksum-"));
        part.checksum().ifPresent(checksum -> {
            headers.add(new Field(checksum.algorithm().header(), checksum.base64()));
            Checksum.Type type = version.checksums().isEmpty()
                    ? checksum.type()
                    : version.checksums().getFirst().type();
            headers.add(new Field("x-amz-checksum-type", type.name()));
        });
    }

    static void addChecksum(List<Field> headers, Checksum checksum) {
        headers.add(new Field(checksum.algorithm().header(), checksum.base64()));
        headers.add(new Field("x-amz-checksum-type", checksum.type().name()));
    }
}
