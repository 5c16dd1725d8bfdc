package io.headgate.s3.op;

import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ETag;
import io.headgate.http.RequestHead;
import io.headgate.http.Response;
import io.headgate.namespace.CompleteUpload;
import io.headgate.namespace.ObjectVersion;
import io.headgate.s3.Action;
import io.headgate.s3.Decimal;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlElement;
import io.headgate.s3.XmlWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Makes an object of the parts of an upload, without moving a byte.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompleteMultipartUpload.html">S3: CompleteMultipartUpload</a>
 */
final class CompleteMultipartUpload {
    static final Action ACTION = Action.PUT_OBJECT;

    private static final int MAX_PARTS = 10_000;

    private final Storage storage;

    CompleteMultipartUpload(Storage storage) {
        this.storage = storage;
    }

    Response handle(S3Request.CompleteMultipartUpload request, Call call) {
        RequestHead head = call.head();
        List<CompleteUpload.NamedPart> parts = new ArrayList<>();
        for (XmlElement child :
                call.document("CompleteMultipartUpload", Call.DigestOf.OBJECT).children()) {
            if (child.name().equals("Part")) {
                parts.add(part(child));
            }
        }
        if (parts.isEmpty() || parts.size() > MAX_PARTS) {
            throw new S3Exception(S3Error.MALFORMED_XML, "The request names 1 to " + MAX_PARTS + " parts");
        }
        ObjectVersion made = Refusals.done(storage.namespace()
                .completeUpload(new CompleteUpload(
                        request.bucket(),
                        request.key(),
                        request.uploadId(),
                        storage.newId().get(),
                        parts,
                        checksum(head),
                        size(head),
                        Conditions.write(head),
                        storage.now())));
        XmlWriter xml = XmlWriter.document("CompleteMultipartUploadResult")
                .element("Location", "/" + request.bucket() + "/" + request.key())
                .element("Bucket", request.bucket().value())
                .element("Key", request.key().value())
                .element("ETag", made.etag().quoted());
        for (Checksum checksum : made.checksums()) {
            xml.element(checksum.algorithm().element(), checksum.base64())
                    .element("ChecksumType", checksum.type().name());
        }
        return Responses.xml(xml.end("CompleteMultipartUploadResult"));
    }

    private static CompleteUpload.NamedPart part(XmlElement part) {
        long number;
        try {
            number = Decimal.parse(part.requiredText("PartNumber"));
        } catch (NumberFormatException notANumber) {
            throw new S3Exception(S3Error.MALFORMED_XML, "<PartNumber> is not a number");
        }
        if (number < 1 || number > MAX_PARTS) {
            throw S3Exception.invalidArgument("partNumber", "" + number, "PartNumber must be >= 1 and <= " + MAX_PARTS);
        }
        ETag etag = Conditions.tag(part.requiredText("ETag")).orElseThrow(() -> new S3Exception(S3Error.INVALID_PART));
        Optional<Checksum> checksum = Optional.empty();
        for (ChecksumAlgorithm algorithm : ChecksumAlgorithm.values()) {
            Optional<String> value = part.childText(algorithm.element());
            if (value.isPresent()) {
                checksum = Optional.of(new Checksum(algorithm, Checksum.Type.FULL_OBJECT, value.get()));
            }
        }
        return new CompleteUpload.NamedPart((int) number, etag, checksum);
    }

    /** The checksum of the whole that the client says, in the type that it says or that its form shows. */
    private static Optional<Checksum> checksum(RequestHead head) {
        for (ChecksumAlgorithm algorithm : ChecksumAlgorithm.values()) {
            String value = head.header(algorithm.header());
            if (value != null) {
                boolean composite =
                        value.contains("-") || "COMPOSITE".equalsIgnoreCase(head.header("x-amz-checksum-type"));
                Checksum.Type type = composite ? Checksum.Type.COMPOSITE : Checksum.Type.FULL_OBJECT;
                return Optional.of(new Checksum(algorithm, type, value));
            }
        }
        return Optional.empty();
    }

    private static Optional<Long> size(RequestHead head) {
        String value = head.header("x-amz-mp-object-size");
        if (value == null) {
            return Optional.empty();
        }
        try {
            long size = Decimal.parse(value);
            if (size >= 0) {
                return Optional.of(size);
            }
        } catch (NumberFormatException notANumber) {
            // answered below
        }
        throw new S3Exception(S3Error.INVALID_REQUEST, "Value for x-amz-mp-object-size header is invalid");
    }
}
