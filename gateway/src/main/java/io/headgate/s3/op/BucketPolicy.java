package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketSetting;
import io.headgate.policy.PolicyDocument;
import io.headgate.policy.PolicyException;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Objects;

/**
 * GetBucketPolicy, GetBucketPolicyStatus, PutBucketPolicy, DeleteBucketPolicy: who may do what, kept and given back as it came.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketPolicy.html">S3: PutBucketPolicy</a>
 */
final class BucketPolicy {
    static final Action READ = Action.GET_BUCKET_POLICY;
    static final Action READ_STATUS = Action.GET_BUCKET_POLICY_STATUS;
    static final Action WRITE = Action.PUT_BUCKET_POLICY;
    static final Action DELETE = Action.DELETE_BUCKET_POLICY;

    private final BucketDocuments documents;
    private final BucketFacts facts = new BucketFacts();

    BucketPolicy(BucketDocuments documents) {
        this.documents = documents;
    }

    Response get(S3Request.GetBucketPolicy request, Call call) {
        String policy = call.bucket(request.bucket())
                .setting(BucketSetting.POLICY)
                .orElseThrow(() -> new S3Exception(
                        S3Error.NO_SUCH_BUCKET_POLICY,
                        S3Error.NO_SUCH_BUCKET_POLICY.message(),
                        Map.of("BucketName", request.bucket().value())));
        return Responses.json(policy.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * GetBucketPolicyStatus.
     *
     * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketPolicyStatus.html">S3: GetBucketPolicyStatus</a>
     */
    Response status(S3Request.GetBucketPolicyStatus request, Call call) {
        boolean isPublic = facts.of(call.bucket(request.bucket())).isPublic();
        return Responses.xml(
                XmlWriter.document("PolicyStatus").element("IsPublic", isPublic).end("PolicyStatus"));
    }

    Response put(S3Request.PutBucketPolicy request, Call call) {
        Bucket bucket = call.bucket(request.bucket());
        byte[] text = call.document(Call.DigestOf.DOCUMENT);
        PolicyDocument policy;
        try {
            policy = PolicyDocument.ofBucket(request.bucket(), text);
        } catch (PolicyException malformed) {
            throw new S3Exception(S3Error.MALFORMED_POLICY, Objects.requireNonNull(malformed.getMessage()));
        }
        if (policy.isPublic() && BucketPublicAccess.of(bucket).blockPublicPolicy()) {
            throw new S3Exception(S3Error.ACCESS_DENIED);
        }
        documents.put(request.bucket(), BucketSetting.POLICY, new String(text, StandardCharsets.UTF_8));
        return Responses.empty(204);
    }

    Response delete(S3Request.DeleteBucketPolicy request) {
        return documents.delete(request.bucket(), BucketSetting.POLICY);
    }
}
