package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketSetting;
import io.headgate.policy.AccessControlList;
import io.headgate.policy.ObjectOwnership;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlElement;
import io.headgate.s3.XmlWriter;

/**
 * GetBucketOwnershipControls, PutBucketOwnershipControls, DeleteBucketOwnershipControls: whose an object is that another user writes into
 * the bucket, and so whether access control lists count.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/about-object-ownership.html">S3: object ownership</a>
 */
final class BucketOwnership {
    static final Action READ = Action.GET_BUCKET_OWNERSHIP_CONTROLS;
    static final Action WRITE = Action.PUT_BUCKET_OWNERSHIP_CONTROLS;

    private static final String ROOT = "OwnershipControls";

    private final BucketDocuments documents;

    BucketOwnership(BucketDocuments documents) {
        this.documents = documents;
    }

    Response get(S3Request.GetBucketOwnershipControls request, Call call) {
        ObjectOwnership ownership = of(call.bucket(request.bucket()));
        if (ownership == ObjectOwnership.UNSET) {
            throw new S3Exception(S3Error.OWNERSHIP_CONTROLS_NOT_FOUND);
        }
        return Responses.xml(XmlWriter.document(ROOT)
                .open("Rule")
                .element("ObjectOwnership", ownership.s3Name())
                .close("Rule")
                .end(ROOT));
    }

    Response put(S3Request.PutBucketOwnershipControls request, Call call) {
        XmlElement controls = call.document(ROOT, Call.DigestOf.DOCUMENT);
        if (controls.children().size() != 1
                || !controls.children().getFirst().name().equals("Rule")) {
            throw new S3Exception(S3Error.MALFORMED_XML, "Ownership controls are one rule");
        }
        ObjectOwnership ownership =
                named(controls.children().getFirst().requiredText("ObjectOwnership"), S3Error.MALFORMED_XML);
        Bucket bucket = call.bucket(request.bucket());
        if (!ownership.aclsCount() && !BucketFacts.acl(bucket).equals(AccessControlList.ofOwner(bucket.owner()))) {
            throw new S3Exception(S3Error.INVALID_BUCKET_ACL_WITH_OBJECT_OWNERSHIP);
        }
        documents.put(request.bucket(), BucketSetting.OWNERSHIP, ownership.s3Name());
        return Responses.empty(200);
    }

    Response delete(S3Request.DeleteBucketOwnershipControls request) {
        return documents.delete(request.bucket(), BucketSetting.OWNERSHIP);
    }

    /**
     * The kind of ownership of that name.
     *
     * @throws S3Exception with that error if there is none
     */
    static ObjectOwnership named(String name, S3Error otherwise) {
        return ObjectOwnership.of(name)
                .orElseThrow(() -> new S3Exception(otherwise, "There is no object ownership of that name"));
    }

    static ObjectOwnership of(Bucket bucket) {
        return bucket.setting(BucketSetting.OWNERSHIP)
                .flatMap(ObjectOwnership::of)
                .orElse(ObjectOwnership.UNSET);
    }
}
