package io.headgate.s3.op;

import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.http.RequestHead;
import io.headgate.http.Response;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.s3.Action;
import io.headgate.s3.HttpDates;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlWriter;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Copies an object by sharing its slices: its cost does not depend on the object's size, unless the client asks for a checksum that the
 * source lacks, for which the bytes are read once.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html">S3: CopyObject</a>
 */
final class CopyObject {
    static final Action ACTION = Action.PUT_OBJECT;

    private final Storage storage;
    private final CopyChecksum checksums;

    CopyObject(Storage storage, SliceReader slices) {
        this.storage = storage;
        this.checksums = new CopyChecksum(storage, slices);
    }

    Response handle(S3Request.CopyObject request, Call call) {
        RequestHead head = call.head();
        CopySources.refuseVersion(request.source());
        boolean replaceAttributes = directive(head, "x-amz-metadata-directive");
        boolean replaceTags = directive(head, "x-amz-tagging-directive");
        ObjectAttributes given = RequestAttributes.read(head);
        boolean ontoItself = request.source().bucket().equals(request.bucket())
                && request.source().key().equals(request.key());
        Optional<String> redirect = Optional.ofNullable(given.headers().get(ObjectAttributes.WEBSITE_REDIRECT));
        if (ontoItself && !replaceAttributes && redirect.isEmpty() && head.header("x-amz-storage-class") == null) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "This copy request is illegal because it is trying to copy an object to itself without changing the object's"
                            + " metadata, storage class, website redirect location or encryption attributes");
        }
        Optional<ChecksumAlgorithm> algorithm = CopyChecksum.wanted(head.header("x-amz-checksum-algorithm"));
        Optional<CopyChecksum.Computed> computed =
                algorithm.flatMap(wanted -> checksums.ofWholeUnlessStored(request.source(), wanted));
        ObjectVersion made = Refusals.done(storage.namespace()
                .copyObject(new io.headgate.namespace.CopyObject(
                        request.source().bucket(),
                        request.source().key(),
                        computed.map(CopyChecksum.Computed::sourceWriteId),
                        Conditions.copySource(head),
                        request.bucket(),
                        request.key(),
                        storage.newId().get(),
                        replaceAttributes ? Optional.of(given) : Optional.empty(),
                        replaceTags ? Optional.of(given.tags()) : Optional.<Map<String, String>>empty(),
                        given.storageClass(),
                        redirect,
                        computed.map(value -> List.of(value.checksum())),
                        Conditions.write(head),
                        storage.now())));
        return Responses.xml(result(made));
    }

    private static byte[] result(ObjectVersion made) {
        XmlWriter xml = XmlWriter.document("CopyObjectResult")
                .element("LastModified", HttpDates.iso(made.lastModified()))
                .element("ETag", made.etag().quoted());
        for (Checksum checksum : made.checksums()) {
            xml.element("ChecksumType", checksum.type().name())
                    .element(checksum.algorithm().element(), checksum.base64());
        }
        return xml.end("CopyObjectResult");
    }

    /** Whether the directive says REPLACE; COPY is the default. */
    private static boolean directive(RequestHead head, String name) {
        String value = head.header(name);
        if (value == null || value.equals("COPY")) {
            return false;
        }
        if (value.equals("REPLACE")) {
            return true;
        }
        throw S3Exception.invalidArgument(name, value, "Unknown directive: it is COPY or REPLACE");
    }
}
