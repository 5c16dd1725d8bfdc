package io.headgate.s3.op;

import io.headgate.domain.ByteRange;
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
import io.headgate.s3.auth.VerifiedBody;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Copies an object by sharing its slices: its cost does not depend on the object's size, unless the client asks for a checksum that the
 * source lacks, for which the bytes are read once. From a bucket of another region the bytes are read there and written here.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CopyObject.html">S3: CopyObject</a>
 */
final class CopyObject {
    static final Action ACTION = Action.PUT_OBJECT;

    private final Storage storage;
    private final CopyChecksum checksums;
    private final PutObject putObject;
    private final Authorizer authorizer;
    private final Optional<OwningRegion> owning;

    /** @param owning if there are several regions */
    CopyObject(
            Storage storage,
            SliceReader slices,
            PutObject putObject,
            Authorizer authorizer,
            Optional<OwningRegion> owning) {
        this.storage = storage;
        this.checksums = new CopyChecksum(storage, slices);
        this.putObject = putObject;
        this.authorizer = authorizer;
        this.owning = owning;
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
        Map<String, String> access = authorizer.ofNewObject(request.bucket(), call.head(), call);
        Optional<ChecksumAlgorithm> algorithm = CopyChecksum.wanted(head.header("x-amz-checksum-algorithm"));
        Optional<String> region = call.sourceRegion();
        if (region.isPresent()) {
            Optional<RemoteSource> remote = RemoteSource.open(
                    owning.orElseThrow(), region.get(), request.source(), new ByteRange.Whole(), call);
            if (remote.isPresent()) {
                try (RemoteSource source = remote.get()) {
                    ObjectAttributes its = source.attributes();
                    ObjectAttributes attributes = new ObjectAttributes(
                            with(access, replaceAttributes ? given.headers() : withRedirect(its.headers(), redirect)),
                            replaceAttributes ? given.metadata() : its.metadata(),
                            replaceTags ? given.tags() : its.tags(),
                            given.storageClass());
                    return copy(source, attributes, algorithm, request, call);
                }
            }
            authorizer.checkLocalSource(
                    request.source().bucket(), request.source().key(), request, call);
        }
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
                        access,
                        Optional.empty(),
                        storage.now())));
        return Responses.xml(result(made));
    }

    private static Map<String, String> with(Map<String, String> access, Map<String, String> headers) {
        Map<String, String> all = new HashMap<>(headers);
        all.putAll(access);
        return all;
    }

    private static Map<String, String> withRedirect(Map<String, String> headers, Optional<String> redirect) {
        Map<String, String> all = new HashMap<>(headers);
        redirect.ifPresent(location -> all.put(ObjectAttributes.WEBSITE_REDIRECT, location));
        return all;
    }

    /** Stores the bytes of a source in another region here. */
    private Response copy(
            RemoteSource source,
            ObjectAttributes attributes,
            Optional<ChecksumAlgorithm> wanted,
            S3Request.CopyObject request,
            Call call) {
        if (source.sizeBytes() > PutObject.MAX_BYTES) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST,
                    "The specified copy source is larger than the maximum allowable size for a copy source: "
                            + PutObject.MAX_BYTES);
        }
        VerifiedBody body = source.body(wanted.or(source::checksumAlgorithm));
        PutObject.Stored stored = putObject.store(
                request,
                attributes,
                Conditions.write(call.head()),
                call.region(request.bucket()),
                body,
                call,
                etag -> source.check(etag, body.checksum()));
        return Responses.xml(result(stored.version()));
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
