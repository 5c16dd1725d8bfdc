package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.namespace.BucketSetting;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlElement;
import io.headgate.s3.XmlWriter;
import java.nio.charset.StandardCharsets;
import java.util.List;

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
    private static final List<String> KINDS = List.of("BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter");

    private final BucketDocuments documents;

    BucketOwnership(BucketDocuments documents) {
        this.documents = documents;
    }

    Response get(S3Request.GetBucketOwnershipControls request, Call call) {
        return documents.get(request.bucket(), BucketSetting.OWNERSHIP, S3Error.OWNERSHIP_CONTROLS_NOT_FOUND, call);
    }

    Response put(S3Request.PutBucketOwnershipControls request, Call call) {
        XmlElement controls = call.document(ROOT, Call.DigestOf.DOCUMENT);
        if (controls.children().size() != 1
                || !controls.children().getFirst().name().equals("Rule")) {
            throw new S3Exception(S3Error.MALFORMED_XML, "Ownership controls are one rule");
        }
        String kind = controls.children().getFirst().requiredText("ObjectOwnership");
        documents.put(request.bucket(), BucketSetting.OWNERSHIP, document(kind, S3Error.MALFORMED_XML));
        return Responses.empty(200);
    }

    Response delete(S3Request.DeleteBucketOwnershipControls request) {
        return documents.delete(request.bucket(), BucketSetting.OWNERSHIP);
    }

    /**
     * The document that says so.
     *
     * @throws S3Exception with that error if there is no such kind of ownership
     */
    static String document(String kind, S3Error otherwise) {
        if (!KINDS.contains(kind)) {
            throw new S3Exception(otherwise, "Object ownership is one of " + String.join(", ", KINDS));
        }
        XmlWriter xml = XmlWriter.document(ROOT)
                .open("Rule")
                .element("ObjectOwnership", kind)
                .close("Rule");
        return new String(xml.end(ROOT), StandardCharsets.UTF_8);
    }
}
