package io.headgate.s3.op;

import io.headgate.cors.CorsConfiguration;
import io.headgate.http.Response;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketSetting;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlElement;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * GetBucketCors, PutBucketCors, DeleteBucketCors, and the Preflight of browsers that asks them: what pages of other origins may do.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketCors.html">S3: PutBucketCors</a>
 */
final class BucketCors {
    static final Action READ = Action.GET_BUCKET_CORS;
    static final Action WRITE = Action.PUT_BUCKET_CORS;

    private static final Logger LOG = LoggerFactory.getLogger(BucketCors.class);
    private static final int MAX_BYTES = 64 << 10;

    private final Storage storage;
    private final BucketDocuments documents;

    BucketCors(Storage storage, BucketDocuments documents) {
        this.storage = storage;
        this.documents = documents;
    }

    Response get(S3Request.GetBucketCors request, Call call) {
        return documents.get(request.bucket(), BucketSetting.CORS, S3Error.NO_SUCH_CORS_CONFIGURATION, call);
    }

    Response put(S3Request.PutBucketCors request, Call call) {
        byte[] document = call.document(Call.DigestOf.DOCUMENT);
        if (document.length > MAX_BYTES) {
            throw new S3Exception(
                    S3Error.INVALID_REQUEST, "The CORS configuration has at most " + MAX_BYTES + " bytes");
        }
        CorsConfiguration rules = CorsDocument.read(XmlElement.parse(document, CorsDocument.ROOT));
        documents.put(request.bucket(), BucketSetting.CORS, CorsDocument.write(rules), CorsDocument.ROOT);
        return Responses.empty(200);
    }

    Response delete(S3Request.DeleteBucketCors request) {
        return documents.delete(request.bucket(), BucketSetting.CORS);
    }

    /** Anybody may ask. */
    Response preflight(S3Request.Preflight request, Call call) {
        CrossOrigin.asked(call.head());
        String resource = request.key().isPresent() ? "OBJECT" : "BUCKET";
        return CrossOrigin.preflight(rules(call.bucket(request.bucket())), call.head(), resource);
    }

    /** The rules of the bucket of a request of a page of another origin; to be asked before anything comes of the request. */
    Optional<CorsConfiguration> rules(S3Request.OfBucket request) {
        return storage.namespace().bucket(request.bucket()).flatMap(BucketCors::rules);
    }

    private static Optional<CorsConfiguration> rules(Bucket bucket) {
        try {
            return bucket.setting(BucketSetting.CORS)
                    .map(kept -> CorsDocument.read(
                            XmlElement.parse(kept.getBytes(StandardCharsets.UTF_8), CorsDocument.ROOT)));
        } catch (S3Exception unreadable) {
            LOG.error("the CORS rules of {} cannot be read, and allow nothing", bucket.name(), unreadable);
            return Optional.empty();
        }
    }
}
