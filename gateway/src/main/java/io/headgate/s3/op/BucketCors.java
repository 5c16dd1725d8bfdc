package io.headgate.s3.op;

import io.headgate.cors.CorsConfiguration;
import io.headgate.http.Response;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketSetting;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlElement;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/**
 * GetBucketCors, PutBucketCors, DeleteBucketCors, and the Preflight of browsers that asks them: what pages of other origins may do.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketCors.html">S3: PutBucketCors</a>
 */
final class BucketCors {
    static final Action READ = Action.GET_BUCKET_CORS;
    static final Action WRITE = Action.PUT_BUCKET_CORS;

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
        CorsConfiguration rules = CorsDocument.read(call.document(CorsDocument.ROOT, Call.DigestOf.DOCUMENT));
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

    /** The answer to a request of a page of another origin, with what the bucket's rules say of it. */
    Response told(S3Request.OfBucket request, Call call, Response answer) {
        return storage.namespace()
                .bucket(request.bucket())
                .flatMap(BucketCors::rules)
                .map(rules -> CrossOrigin.with(answer, rules, call.head()))
                .orElse(answer);
    }

    private static Optional<CorsConfiguration> rules(Bucket bucket) {
        return bucket.setting(BucketSetting.CORS)
                .map(kept ->
                        CorsDocument.read(XmlElement.parse(kept.getBytes(StandardCharsets.UTF_8), CorsDocument.ROOT)));
    }
}
