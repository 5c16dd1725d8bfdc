package io.headgate.s3.op;

import io.headgate.domain.ChecksumAlgorithm;
import io.headgate.domain.ETag;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.Part;
import io.headgate.namespace.PutPart;
import io.headgate.namespace.Upload;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.auth.BodyClaims;
import io.headgate.s3.auth.VerifiedBody;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Consumer;

/**
 * Stores a part of a multipart upload, as a blob of its own.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_UploadPart.html">S3: UploadPart</a>
 */
final class UploadPart {
    static final Action ACTION = Action.PUT_OBJECT;

    private final Storage storage;
    private final AccountWriter blobs;

    UploadPart(Storage storage, AccountWriter blobs) {
        this.storage = storage;
        this.blobs = blobs;
    }

    Response handle(S3Request.UploadPart request, Call call) {
        BodyClaims claims = call.claims();
        long sizeBytes = claims.lengthBytes();
        if (sizeBytes > PutObject.MAX_BYTES) {
            throw new S3Exception(S3Error.ENTITY_TOO_LARGE);
        }
        Upload upload = Refusals.done(storage.namespace().upload(request.bucket(), request.key(), request.uploadId()));
        checkAlgorithm(upload, claims);
        VerifiedBody body = call.body(claims, upload.checksum().map(Upload.UploadChecksum::algorithm));
        Part part = store(upload, request.partNumber(), body, call, _ -> {});
        List<Field> headers = new ArrayList<>(2);
        headers.add(new Field("etag", part.etag().quoted()));
        part.checksum()
                .ifPresent(value -> headers.add(new Field(value.algorithm().header(), value.base64())));
        return Responses.empty(200, headers.toArray(Field[]::new));
    }

    /**
     * Stores the bytes in an account, then the part in the namespace.
     *
     * @param check is shown the entity tag of the bytes that arrived; what it throws, nothing comes of
     */
    Part store(Upload upload, int number, VerifiedBody body, Call call, Consumer<ETag> check) {
        OptionalInt slot = storage.namespace().blobSlot(upload.id());
        try (AccountWriter.Written written =
                blobs.write(call.region(upload.bucket()), slot, body.lengthBytes(), body)) {
            ETag etag = new ETag(body.md5());
            check.accept(etag);
            Part part = new Part(number, body.lengthBytes(), etag, body.checksum(), storage.now());
            Outcome<Part> outcome = storage.namespace()
                    .putPart(new PutPart(
                            upload.bucket(), upload.key(), upload.id(), part, written.slice(), written.intentId()));
            written.committed();
            return Refusals.done(outcome);
        }
    }

    /** The checksum of the whole is made of those of the parts, so they are all of one algorithm. */
    private static void checkAlgorithm(Upload upload, BodyClaims claims) {
        Optional<ChecksumAlgorithm> expected = upload.checksum().map(Upload.UploadChecksum::algorithm);
        Optional<ChecksumAlgorithm> actual = claims.checksumAlgorithm();
        if (expected.isPresent() && actual.isPresent() && !expected.equals(actual)) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "Checksum Type mismatch occurred, expected checksum Type: " + expected.get()
                            + ", actual checksum Type: " + actual.get());
        }
    }
}
