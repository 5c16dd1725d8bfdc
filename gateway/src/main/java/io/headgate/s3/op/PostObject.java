package io.headgate.s3.op;

import io.headgate.account.Account;
import io.headgate.domain.BlockInputStream;
import io.headgate.domain.ETag;
import io.headgate.domain.ObjectKey;
import io.headgate.domain.Slice;
import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.WriteCondition;
import io.headgate.s3.Action;
import io.headgate.s3.PercentCoding;
import io.headgate.s3.Responses;
import io.headgate.s3.Router;
import io.headgate.s3.S3BodyException;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlWriter;
import io.headgate.s3.auth.Authentication;
import io.headgate.s3.auth.BodyClaims;
import io.headgate.s3.auth.Credential;
import io.headgate.s3.auth.Payload;
import io.headgate.s3.auth.SigV4;
import io.headgate.s3.auth.VerifiedBody;
import io.headgate.s3.form.Form;
import io.headgate.s3.form.LengthRange;
import io.headgate.s3.form.PostPolicy;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.channels.Channels;
import java.nio.channels.ReadableByteChannel;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Stores the file of a browser's form, as PutObject stores its body. Who sends it is known from the form, and what may be in it from its
 * policy.
 *
 * <p>Nobody says how long the file is, and an account must know before the first byte. A file that fits in memory is read to its end first.
 * The length of another is guessed: as if the file were the last of the body, as almost all forms have it. If that turns out wrong, because
 * fields follow, the bytes are copied within the account's reach to a blob of the right length.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/RESTObjectPOST.html">S3: POST Object</a>
 */
final class PostObject {
    static final Action ACTION = Action.PUT_OBJECT;

    /** So much of a file is read to learn its length. */
    private static final int MAX_KNOWN_BYTES = 128 << 10;

    private static final Logger LOG = LoggerFactory.getLogger(PostObject.class);

    private final Storage storage;
    private final AccountWriter blobs;
    private final PutObject putObject;
    private final Authorizer authorizer;
    private final SigV4 signatures;

    PostObject(Storage storage, AccountWriter blobs, PutObject putObject, Authorizer authorizer, SigV4 signatures) {
        this.storage = storage;
        this.blobs = blobs;
        this.putObject = putObject;
        this.authorizer = authorizer;
        this.signatures = signatures;
    }

    Response handle(S3Request.PostObject request, Call call) {
        if (!call.userId().equals(Users.ANONYMOUS)) {
            throw new S3Exception(
                    S3Error.NOT_IMPLEMENTED, "A form is signed in its fields, not in its head or its target");
        }
        if (call.header("x-headgate-region") != null) {
            throw new S3Exception(S3Error.ACCESS_DENIED, "x-headgate-region must be signed, which a form does not do");
        }
        long bodyBytes =
                call.exchange().contentLength().orElseThrow(() -> new S3Exception(S3Error.MISSING_CONTENT_LENGTH));
        Form form = read(call);
        LengthRange lengths = new LengthRange(0, PutObject.MAX_BYTES);
        Call known = switch (signatures.authenticateForm(
                form.fields(), storage.clock().instant())) {
            case Authentication.Anonymous(Payload ignored) -> call;
            case Authentication.Verified(Credential user, Payload ignored) -> call.by(user.userId());
        };
        if (form.field("policy").isPresent()) {
            PostPolicy policy = PostPolicy.parse(form.field("policy").get());
            policy.check(conditioned(form, request), storage.clock().instant());
            lengths = policy.lengths(lengths);
        }
        S3Request.PutObject of = new S3Request.PutObject(request.bucket(), key(form, known));
        RequestHead head = FormHead.of(form, known.head());
        authorizer.check(of, head, known);
        PutObject.Stored stored = store(of, form, head, lengths, bodyBytes, known);
        return answer(form, of, stored, known);
    }

    private static Form read(Call call) {
        String type = call.header("content-type");
        try {
            return Form.read(call.formBody(), type == null ? "" : type);
        } catch (IOException broken) {
            throw Call.bodyFailure(broken);
        }
    }

    /** What the policy is about: the bucket is that of the target, whatever the form says. */
    private static Map<String, String> conditioned(Form form, S3Request.PostObject request) {
        Map<String, String> all = new HashMap<>(form.fields());
        all.put("bucket", request.bucket().value());
        return all;
    }

    private static ObjectKey key(Form form, Call call) {
        String key = form.field("key").orElse("");
        if (key.isEmpty()) {
            throw S3Exception.invalidArgument(
                    "key",
                    "",
                    "Bucket POST must contain a field named 'key'. If it is specified, please check the order of the fields.");
        }
        ObjectKey valid = Router.key(key);
        call.exchange().label(io.headgate.http.Exchange.Label.KEY, valid.value());
        return valid;
    }

    private PutObject.Stored store(
            S3Request.PutObject of, Form form, RequestHead head, LengthRange lengths, long bodyBytes, Call call) {
        ObjectAttributes attributes = RequestAttributes.read(head, authorizer.ofNewObject(of.bucket(), head, call));
        WriteCondition condition = Conditions.write(call.head());
        String region = call.region(of.bucket());
        VerifiedBody body = new VerifiedBody(BodyClaims.ofForm(head), form.file(lengths), null);
        byte[] begin = begin(body);
        boolean whole = begin.length < MAX_KNOWN_BYTES;
        long guessBytes = whole ? begin.length : Math.max(begin.length, form.likelyFileBytes(bodyBytes));
        if (guessBytes > lengths.mostBytes() + GuessedFile.MAX_FILL_BYTES) {
            throw new S3Exception(S3Error.ENTITY_TOO_LARGE); // before room is kept for it
        }
        GuessedFile guessed =
                new GuessedFile(new SequenceInputStream(new ByteArrayInputStream(begin), body), guessBytes);
        OptionalInt slot = storage.namespace().blobSlot(of.bucket(), of.key());
        try (AccountWriter.Written written = blobs.write(region, slot, guessBytes, guessed)) {
            if (body.lengthBytes() == guessBytes) {
                return putObject.commit(of, attributes, condition, written, body, call);
            }
            BodyClaims claims = BodyClaims.of(head, new Payload.Unsigned(), OptionalLong.of(body.lengthBytes()));
            try (VerifiedBody again = new VerifiedBody(claims, stored(written, body, guessed), null)) {
                ETag etag = new ETag(body.md5());
                PutObject.Stored stored = putObject.store(of, attributes, condition, region, again, call, read -> {
                    if (!read.equals(etag)) {
                        throw new S3Exception(S3Error.SERVICE_UNAVAILABLE);
                    }
                });
                blobs.discard(written);
                return stored;
            }
        } catch (IOException broken) {
            throw Call.bodyFailure(broken);
        }
    }

    private static byte[] begin(VerifiedBody body) {
        try {
            return body.readNBytes(MAX_KNOWN_BYTES);
        } catch (IOException broken) {
            throw Call.bodyFailure(broken);
        }
    }

    /** The file as it is in the account, and what found no room there. */
    private InputStream stored(AccountWriter.Written written, VerifiedBody body, GuessedFile guessed)
            throws IOException {
        Slice slice = written.slice().orElseThrow();
        Account account = storage.accounts()
                .find(slice.account())
                .orElseThrow(() -> new S3Exception(S3Error.SERVICE_UNAVAILABLE));
        byte[] tail = guessed.tail();
        long lengthBytes = body.lengthBytes() - tail.length;
        try {
            return new SequenceInputStream(
                    new AccountStream(account.get(slice.blob(), slice.offsetBytes(), lengthBytes)),
                    new ByteArrayInputStream(tail));
        } catch (IOException failed) {
            LOG.warn("a form's file cannot be read back from {}: {}", account.name(), failed.getMessage());
            throw new S3BodyException(S3Error.SERVICE_UNAVAILABLE);
        }
    }

    /** What breaks here is neither the client's fault nor that of the account that is written to. */
    private static final class AccountStream extends BlockInputStream {
        private final InputStream in;

        AccountStream(ReadableByteChannel channel) {
            this.in = Channels.newInputStream(channel);
        }

        @Override
        public int read(byte[] bytes, int offset, int length) throws IOException {
            try {
                return in.read(bytes, offset, length);
            } catch (IOException broken) {
                LOG.warn("the read of a form's file broke off: {}", broken.getMessage());
                throw new S3BodyException(S3Error.SERVICE_UNAVAILABLE);
            }
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }

    private Response answer(Form form, S3Request.PutObject of, PutObject.Stored stored, Call call) {
        String etag = stored.etag().quoted();
        List<Field> headers = new ArrayList<>();
        headers.add(new Field("etag", etag));
        stored.version().checksums().forEach(checksum -> ObjectHeaders.addChecksum(headers, checksum));
        putObject.addAccount(headers, stored.slice(), call);
        Optional<URI> redirect = redirect(form);
        if (redirect.isPresent()) {
            headers.add(new Field("location", redirected(redirect.get(), of, etag)));
            return Responses.empty(303, headers.toArray(Field[]::new));
        }
        String path = call.head().rawPath();
        String location = (path.endsWith("/") ? path : path + "/")
                + PercentCoding.encodeForListing(of.key().value());
        headers.add(new Field("location", location));
        return switch (form.field("success_action_status").orElse("")) {
            case "200" -> Responses.empty(200, headers.toArray(Field[]::new));
            case "201" -> {
                byte[] document = XmlWriter.plain("PostResponse")
                        .element("Location", location)
                        .element("Bucket", of.bucket().value())
                        .element("Key", of.key().value())
                        .element("ETag", etag)
                        .end("PostResponse");
                yield Responses.xml(201, document, headers);
            }
            default -> Responses.empty(204, headers.toArray(Field[]::new));
        };
    }

    /** Where the browser is to go; what is no address counts as nothing. */
    private static Optional<URI> redirect(Form form) {
        return form.field("success_action_redirect")
                .or(() -> form.field("redirect"))
                .flatMap(address -> {
                    try {
                        URI uri = new URI(address.strip());
                        boolean web =
                                "http".equalsIgnoreCase(uri.getScheme()) || "https".equalsIgnoreCase(uri.getScheme());
                        return web && uri.getHost() != null ? Optional.of(uri) : Optional.empty();
                    } catch (URISyntaxException noAddress) {
                        return Optional.empty();
                    }
                });
    }

    private static String redirected(URI to, S3Request.PutObject of, String etag) {
        String address = to.toASCIIString();
        int hash = address.indexOf('#');
        String before = hash < 0 ? address : address.substring(0, hash);
        return before
                + (to.getRawQuery() == null ? '?' : '&')
                + "bucket=" + PercentCoding.encodeForListing(of.bucket().value())
                + "&key=" + PercentCoding.encodeForListing(of.key().value())
                + "&etag=" + PercentCoding.encodeForListing(etag)
                + (hash < 0 ? "" : address.substring(hash));
    }
}
