package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketSetting;
import io.headgate.policy.AccessControlList;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlElement;

/**
 * GetBucketAcl, PutBucketAcl: what the owner of a bucket grants to others.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketAcl.html">S3: PutBucketAcl</a>
 */
final class BucketAcl {
    static final Action READ = Action.GET_BUCKET_ACL;
    static final Action WRITE = Action.PUT_BUCKET_ACL;

    private final BucketDocuments documents;
    private final Acls acls;

    BucketAcl(BucketDocuments documents, Acls acls) {
        this.documents = documents;
        this.acls = acls;
    }

    Response get(S3Request.GetBucketAcl request, Call call) {
        Bucket bucket = call.bucket(request.bucket());
        return Responses.xml(acls.document(
                BucketOwnership.of(bucket).aclsCount()
                        ? BucketFacts.acl(bucket)
                        : AccessControlList.ofOwner(bucket.owner())));
    }

    Response put(S3Request.PutBucketAcl request, Call call) {
        Bucket bucket = call.bucket(request.bucket());
        byte[] document = call.document(Call.DigestOf.DOCUMENT);
        String owner = bucket.owner();
        if (!BucketOwnership.of(bucket).aclsCount()) {
            throw new S3Exception(S3Error.ACCESS_CONTROL_LIST_NOT_SUPPORTED);
        }
        AccessControlList acl = acls.ofHead(call.head(), owner, canned -> AccessControlList.ofBucket(canned, owner))
                .orElseGet(() -> acls.ofDocument(XmlElement.parse(document, Acls.ROOT), owner));
        Authorizer.refuseIfBlocked(acl, bucket);
        documents.put(request.bucket(), BucketSetting.ACL, Acls.kept(acl));
        return Responses.empty(200);
    }
}
