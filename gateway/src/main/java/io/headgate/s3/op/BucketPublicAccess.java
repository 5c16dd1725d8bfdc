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
import java.util.List;

/**
 * GetPublicAccessBlock, PutPublicAccessBlock, DeletePublicAccessBlock: what a bucket's policy and access control lists may not allow,
 * whatever they say.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutPublicAccessBlock.html">S3: PutPublicAccessBlock</a>
 */
final class BucketPublicAccess {
    static final Action READ = Action.GET_BUCKET_PUBLIC_ACCESS_BLOCK;
    static final Action WRITE = Action.PUT_BUCKET_PUBLIC_ACCESS_BLOCK;

    static final String ROOT = "PublicAccessBlockConfiguration";
    private static final List<String> SWITCHES =
            List.of("BlockPublicAcls", "IgnorePublicAcls", "BlockPublicPolicy", "RestrictPublicBuckets");

    private final BucketDocuments documents;

    BucketPublicAccess(BucketDocuments documents) {
        this.documents = documents;
    }

    Response get(S3Request.GetPublicAccessBlock request, Call call) {
        return documents.get(
                request.bucket(), BucketSetting.PUBLIC_ACCESS, S3Error.NO_SUCH_PUBLIC_ACCESS_BLOCK_CONFIGURATION, call);
    }

    Response put(S3Request.PutPublicAccessBlock request, Call call) {
        XmlElement configuration = call.document(ROOT, Call.DigestOf.DOCUMENT);
        XmlWriter kept = XmlWriter.document(ROOT);
        SWITCHES.forEach(name -> kept.element(name, isOn(configuration, name)));
        documents.put(request.bucket(), BucketSetting.PUBLIC_ACCESS, kept, ROOT);
        return Responses.empty(200);
    }

    Response delete(S3Request.DeletePublicAccessBlock request) {
        return documents.delete(request.bucket(), BucketSetting.PUBLIC_ACCESS);
    }

    /** A switch that is not named is off. */
    static boolean isOn(XmlElement configuration, String name) {
        String value = configuration.childText(name).orElse("false");
        if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
            throw new S3Exception(S3Error.MALFORMED_XML, "<" + name + "> is true or false");
        }
        return value.equalsIgnoreCase("true");
    }
}
