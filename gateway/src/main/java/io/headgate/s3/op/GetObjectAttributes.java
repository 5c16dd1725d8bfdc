package io.headgate.s3.op;

import io.headgate.domain.Checksum;
import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.namespace.Manifest;
import io.headgate.namespace.ManifestPart;
import io.headgate.namespace.ObjectVersion;
import io.headgate.s3.Action;
import io.headgate.s3.Decimal;
import io.headgate.s3.HttpDates;
import io.headgate.s3.Responses;
import io.headgate.s3.Router;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlWriter;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Tells chosen attributes of an object, its parts among them.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObjectAttributes.html">S3: GetObjectAttributes</a>
 */
final class GetObjectAttributes {
    static final Action ACTION = Action.GET_OBJECT_ATTRIBUTES;

    private static final Set<String> KNOWN = Set.of("ETag", "Checksum", "ObjectParts", "StorageClass", "ObjectSize");

    private final Storage storage;
    private final ObjectRead read;

    GetObjectAttributes(Storage storage) {
        this.storage = storage;
        this.read = new ObjectRead(storage);
    }

    Response handle(S3Request.GetObjectAttributes request, Call call) {
        Set<String> wanted = wanted(call.head());
        ObjectVersion version = read.version(request.bucket(), request.key(), request.versionId());
        XmlWriter xml = XmlWriter.document("GetObjectAttributesResponse");
        if (wanted.contains("ETag")) {
            xml.element("ETag", version.etag().value());
        }
        if (wanted.contains("Checksum") && !version.checksums().isEmpty()) {
            xml.open("Checksum");
            for (Checksum checksum : version.checksums()) {
                xml.element(checksum.algorithm().element(), checksum.base64())
                        .element("ChecksumType", checksum.type().name());
            }
            xml.close("Checksum");
        }
        if (wanted.contains("ObjectParts") && version.manifest() instanceof Manifest.Stored stored) {
            parts(xml, stored, call.head());
        }
        if (wanted.contains("StorageClass")) {
            xml.element("StorageClass", version.attributes().storageClass());
        }
        if (wanted.contains("ObjectSize")) {
            xml.element("ObjectSize", version.sizeBytes());
        }
        return Responses.xml(
                xml.end("GetObjectAttributesResponse"),
                new Field("last-modified", HttpDates.http(version.lastModified())));
    }

    private static Set<String> wanted(RequestHead head) {
        Set<String> wanted = new HashSet<>();
        for (String header : head.headers("x-amz-object-attributes")) {
            for (String name : header.split(",", -1)) {
                if (!KNOWN.contains(name.strip())) {
                    throw S3Exception.invalidArgument(
                            "x-amz-object-attributes", name.strip(), "Invalid attribute name specified");
                }
                wanted.add(name.strip());
            }
        }
        if (wanted.isEmpty()) {
            throw new S3Exception(S3Error.INVALID_REQUEST, "The x-amz-object-attributes header is missing");
        }
        return wanted;
    }

    private void parts(XmlWriter xml, Manifest.Stored stored, RequestHead head) {
        int limit = number(head.header("x-amz-max-parts"), "x-amz-max-parts", Router.MAX_PAGE);
        int marker = number(head.header("x-amz-part-number-marker"), "x-amz-part-number-marker", 0);
        int pageSize = Math.min(limit, Router.MAX_PAGE);
        List<ManifestPart> found = storage.namespace().parts(stored, marker, pageSize + 1);
        boolean truncated = found.size() > pageSize;
        List<ManifestPart> page = truncated ? found.subList(0, pageSize) : found;
        xml.open("ObjectParts")
                .element("PartsCount", stored.parts())
                .element("PartNumberMarker", marker)
                .element(
                        "NextPartNumberMarker",
                        page.isEmpty() ? marker : page.getLast().number())
                .element("MaxParts", limit)
                .element("IsTruncated", truncated);
        for (ManifestPart part : page) {
            // S3 tells the single parts only of objects whose parts carry checksums.
            part.checksum()
                    .ifPresent(checksum -> xml.open("Part")
                            .element(checksum.algorithm().element(), checksum.base64())
                            .element("PartNumber", part.number())
                            .element("Size", part.sizeBytes())
                            .close("Part"));
        }
        xml.close("ObjectParts");
    }

    private static int number(@Nullable String header, String name, int fallback) {
        if (header == null) {
            return fallback;
        }
        try {
            long number = Decimal.parse(header);
            if (number >= 0 && number <= Integer.MAX_VALUE) {
                return (int) number;
            }
        } catch (NumberFormatException notANumber) {
            // answered below
        }
        throw S3Exception.invalidArgument(name, header, "Provided " + name + " not an integer or within integer range");
    }
}
