package io.headgate.s3.op;

import io.headgate.domain.Checksum;
import io.headgate.domain.ETag;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.WriteCondition;
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

/**
 * Stores an object: its bytes in an account, then its version in the namespace, which alone makes it exist.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObject.html">S3: PutObject</a>
 */
final class PutObject {
    static final Action ACTION = Action.PUT_OBJECT;

    /** The largest object that one PUT may bring. */
    static final long MAX_BYTES = 5L << 30;

    private final Storage storage;
    private final AccountWriter blobs;
    private final boolean debugHeaders;

    PutObject(Storage storage, AccountWriter blobs, boolean debugHeaders) {
        this.storage = storage;
        this.blobs = blobs;
        this.debugHeaders = debugHeaders;
    }

    Response handle(S3Request.PutObject request, Call call) {
        BodyClaims claims = call.claims();
        long sizeBytes = claims.lengthBytes();
        if (sizeBytes > MAX_BYTES) {
            throw new S3Exception(S3Error.ENTITY_TOO_LARGE);
        }
        ObjectAttributes attributes = RequestAttributes.read(call.head());
        WriteCondition condition = Conditions.write(call.head());
        String region = call.region(request.bucket());
        checkBeforeBody(request, condition);
        VerifiedBody body = call.body(claims, Optional.empty());
        OptionalInt slot = storage.namespace().blobSlot(request.bucket(), request.key());
        try (AccountWriter.Written written = blobs.write(region, slot, sizeBytes, body)) {
            ETag etag = new ETag(body.md5());
            Optional<Checksum> checksum = body.checksum();
            Outcome<ObjectVersion> outcome = storage.namespace()
                    .putObject(new io.headgate.namespace.PutObject(
                            request.bucket(),
                            request.key(),
                            written.writeId(storage.newId()),
                            attributes,
                            sizeBytes,
                            etag,
                            checksum.map(List::of).orElse(List.of()),
                            written.slice(),
                            condition,
                            written.intentId(),
                            Conditions.attempt(call.head()),
                            storage.now()));
            written.committed();
            Refusals.done(outcome);
            List<Field> headers = new ArrayList<>(5);
            headers.add(new Field("etag", etag.quoted()));
            checksum.ifPresent(value -> ObjectHeaders.addChecksum(headers, value));
            addAccount(headers, written, call);
            return Responses.empty(200, headers.toArray(Field[]::new));
        }
    }

    /** What can be refused without the body is refused before the first byte of it is asked for. */
    private void checkBeforeBody(S3Request.PutObject request, WriteCondition condition) {
        if (!(condition instanceof WriteCondition.None)) {
            Outcome<ObjectVersion> current = storage.namespace().currentVersion(request.bucket(), request.key());
            ETag etag = current instanceof Outcome.Done<ObjectVersion>(ObjectVersion version) ? version.etag() : null;
            condition.check(etag).ifPresent(refusal -> {
                throw Refusals.exception(refusal, "");
            });
        }
    }

    private void addAccount(List<Field> headers, AccountWriter.Written written, Call call) {
        written.slice().ifPresent(slice -> {
            call.exchange().label(io.headgate.http.Exchange.Label.ACCOUNT, slice.account());
            if (debugHeaders) {
                headers.add(new Field("x-headgate-account", slice.account()));
            }
        });
    }
}
