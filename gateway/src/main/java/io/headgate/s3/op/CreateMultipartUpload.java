package io.headgate.s3.op;

import io.headgate.domain.Checksum;
import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.namespace.Upload;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Begins a multipart upload.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateMultipartUpload.html">S3: CreateMultipartUpload</a>
 */
final class CreateMultipartUpload {
    static final Action ACTION = Action.PUT_OBJECT;

    private final Storage storage;
    private final Authorizer authorizer;

    CreateMultipartUpload(Storage storage, Authorizer authorizer) {
        this.storage = storage;
        this.authorizer = authorizer;
    }

    Response handle(S3Request.CreateMultipartUpload request, Call call) {
        Optional<Upload.UploadChecksum> checksum = checksum(call.head());
        Upload upload = Refusals.done(storage.namespace()
                .createUpload(new Upload(
                        storage.newId().get(),
                        request.bucket(),
                        request.key(),
                        RequestAttributes.read(
                                call.head(), authorizer.ofNewObject(request.bucket(), call.head(), call)),
                        checksum,
                        call.userId(),
                        storage.now())));
        List<Field> headers = new ArrayList<>(2);
        checksum.ifPresent(used -> {
            headers.add(new Field("x-amz-checksum-algorithm", used.algorithm().name()));
            headers.add(new Field("x-amz-checksum-type", used.type().name()));
        });
        byte[] document = XmlWriter.document("InitiateMultipartUploadResult")
                .element("Bucket", request.bucket().value())
                .element("Key", request.key().value())
                .element("UploadId", upload.id())
                .end("InitiateMultipartUploadResult");
        return Responses.xml(document, headers.toArray(Field[]::new));
    }

    /** SHA checksums are composite; CRC64NVME is of the full object; the other CRCs are composite unless the client says otherwise. */
    private static Optional<Upload.UploadChecksum> checksum(RequestHead head) {
        Optional<ChecksumAlgorithm> algorithm = CopyChecksum.wanted(head.header("x-amz-checksum-algorithm"));
        String typeHeader = head.header("x-amz-checksum-type");
        if (algorithm.isEmpty()) {
            if (typeHeader != null) {
                throw new S3Exception(
                        S3Error.INVALID_REQUEST,
                        "The x-amz-checksum-type header can only be used with the x-amz-checksum-algorithm header");
            }
            return Optional.empty();
        }
        ChecksumAlgorithm used = algorithm.get();
        Checksum.Type type = typeHeader == null
                ? used == ChecksumAlgorithm.CRC64NVME ? Checksum.Type.FULL_OBJECT : Checksum.Type.COMPOSITE
                : type(typeHeader);
        boolean possible = type == Checksum.Type.FULL_OBJECT ? used.isCrc() : used != ChecksumAlgorithm.CRC64NVME;
        if (!possible) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "The " + type + " checksum type cannot be used with the "
                            + used.name().toLowerCase(Locale.ROOT) + " checksum algorithm");
        }
        return Optional.of(new Upload.UploadChecksum(used, type));
    }

    private static Checksum.Type type(String header) {
        for (Checksum.Type type : Checksum.Type.values()) {
            if (type.name().equalsIgnoreCase(header)) {
                return type;
            }
        }
        throw new S3Exception(S3Error.INVALID_REQUEST, "Value for x-amz-checksum-type header is invalid");
    }
}
