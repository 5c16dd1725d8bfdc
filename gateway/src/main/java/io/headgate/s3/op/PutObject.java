package io.headgate.s3.op;

import io.headgate.domain.ETag;
import io.headgate.domain.Slice;
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
import java.util.function.Consumer;

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
    private final Authorizer authorizer;
    private final boolean debugHeaders;

    PutObject(Storage storage, AccountWriter blobs, Authorizer authorizer, boolean debugHeaders) {
        this.storage = storage;
        this.blobs = blobs;
        this.authorizer = authorizer;
        this.debugHeaders = debugHeaders;
    }

    Response handle(S3Request.PutObject request, Call call) {
        BodyClaims claims = call.claims();
        long sizeBytes = claims.lengthBytes();
        if (sizeBytes > MAX_BYTES) {
            throw new S3Exception(S3Error.ENTITY_TOO_LARGE);
        }
        ObjectAttributes attributes =
                RequestAttributes.read(call.head(), authorizer.ofNewObject(request.bucket(), call.head(), call));
        WriteCondition condition = Conditions.write(call.head());
        String region = call.region(request.bucket());
        checkBeforeBody(request, condition);
        VerifiedBody body = call.body(claims, Optional.empty());
        Stored stored = store(request, attributes, condition, region, body, call, _ -> {});
        List<Field> headers = new ArrayList<>(5);
        headers.add(new Field("etag", stored.etag.quoted()));
        body.checksum().ifPresent(value -> ObjectHeaders.addChecksum(headers, value));
        addAccount(headers, stored.slice, call);
        return Responses.empty(200, headers.toArray(Field[]::new));
    }

    /**
     * What was stored.
     *
     * @param etag of the bytes
     * @param slice where they are; empty for none
     */
    record Stored(ObjectVersion version, ETag etag, Optional<Slice> slice) {}

    /**
     * Stores the bytes in an account, then the version in the namespace.
     *
     * @param of the object that is made
     * @param check is shown the entity tag of the bytes that arrived; what it throws, nothing comes of
     */
    Stored store(
            S3Request.OfObject of,
            ObjectAttributes attributes,
            WriteCondition condition,
            String region,
            VerifiedBody body,
            Call call,
            Consumer<ETag> check) {
        OptionalInt slot = storage.namespace().blobSlot(of.bucket(), of.key());
        try (AccountWriter.Written written = blobs.write(region, slot, body.lengthBytes(), body)) {
            check.accept(new ETag(body.md5()));
            return commit(of, attributes, condition, written, body, call);
        }
    }

    /**
     * Stores the version of bytes that are in an account.
     *
     * @param written exactly the body's content
     * @param body read to its end
     */
    Stored commit(
            S3Request.OfObject of,
            ObjectAttributes attributes,
            WriteCondition condition,
            AccountWriter.Written written,
            VerifiedBody body,
            Call call) {
        ETag etag = new ETag(body.md5());
        Outcome<ObjectVersion> outcome = storage.namespace()
                .putObject(new io.headgate.namespace.PutObject(
                        of.bucket(),
                        of.key(),
                        written.writeId(storage.newId()),
                        attributes,
                        body.lengthBytes(),
                        etag,
                        body.checksum().map(List::of).orElse(List.of()),
                        written.slice(),
                        condition,
                        written.intentId(),
                        Conditions.attempt(call.head()),
                        storage.now()));
        written.committed();
        return new Stored(Refusals.done(outcome), etag, written.slice());
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

    /** Says in which account the bytes are: in the log, and to the client if that is wanted. */
    void addAccount(List<Field> headers, Optional<Slice> slice, Call call) {
        slice.map(Slice::account).ifPresent(account -> {
            call.exchange().label(io.headgate.http.Exchange.Label.ACCOUNT, account);
            if (debugHeaders) {
                headers.add(new Field("x-headgate-account", account));
            }
        });
    }
}
