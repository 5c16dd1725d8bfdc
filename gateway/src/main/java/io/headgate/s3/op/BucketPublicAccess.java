package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketSetting;
import io.headgate.policy.PublicAccessBlock;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlElement;
import io.headgate.s3.XmlWriter;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * GetPublicAccessBlock, PutPublicAccessBlock, DeletePublicAccessBlock: what a bucket's policy and access control lists may not allow,
 * whatever they say.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutPublicAccessBlock.html">S3: PutPublicAccessBlock</a>
 */
final class BucketPublicAccess {
    static final Action READ = Action.GET_BUCKET_PUBLIC_ACCESS_BLOCK;
    static final Action WRITE = Action.PUT_BUCKET_PUBLIC_ACCESS_BLOCK;

    private static final String ROOT = "PublicAccessBlockConfiguration";
    private static final String BLOCK_ACLS = "BlockPublicAcls";
    private static final String IGNORE_ACLS = "IgnorePublicAcls";
    private static final String BLOCK_POLICY = "BlockPublicPolicy";
    private static final String RESTRICT = "RestrictPublicBuckets";

    private final BucketDocuments documents;

    BucketPublicAccess(BucketDocuments documents) {
        this.documents = documents;
    }

    Response get(S3Request.GetPublicAccessBlock request, Call call) {
        Bucket bucket = call.bucket(request.bucket());
        if (bucket.setting(BucketSetting.PUBLIC_ACCESS).isEmpty()) {
            throw new S3Exception(S3Error.NO_SUCH_PUBLIC_ACCESS_BLOCK_CONFIGURATION);
        }
        PublicAccessBlock block = of(bucket);
        return Responses.xml(XmlWriter.document(ROOT)
                .element(BLOCK_ACLS, block.blockPublicAcls())
                .element(IGNORE_ACLS, block.ignorePublicAcls())
                .element(BLOCK_POLICY, block.blockPublicPolicy())
                .element(RESTRICT, block.restrictPublicBuckets())
                .end(ROOT));
    }

    Response put(S3Request.PutPublicAccessBlock request, Call call) {
        XmlElement configuration = call.document(ROOT, Call.DigestOf.DOCUMENT);
        String on = Stream.of(BLOCK_ACLS, IGNORE_ACLS, BLOCK_POLICY, RESTRICT)
                .filter(name -> isOn(configuration, name))
                .collect(Collectors.joining(" "));
        documents.put(request.bucket(), BucketSetting.PUBLIC_ACCESS, on);
        return Responses.empty(200);
    }

    Response delete(S3Request.DeletePublicAccessBlock request) {
        return documents.delete(request.bucket(), BucketSetting.PUBLIC_ACCESS);
    }

    /** A switch that is not named is off. */
    private static boolean isOn(XmlElement configuration, String name) {
        String value = configuration.childText(name).orElse("false");
        if (!value.equalsIgnoreCase("true") && !value.equalsIgnoreCase("false")) {
            throw new S3Exception(S3Error.MALFORMED_XML, "<" + name + "> is true or false");
        }
        return value.equalsIgnoreCase("true");
    }

    static PublicAccessBlock of(Bucket bucket) {
        return bucket.setting(BucketSetting.PUBLIC_ACCESS)
                .map(kept -> List.of(kept.split(" ", -1)))
                .map(on -> new PublicAccessBlock(
                        on.contains(BLOCK_ACLS),
                        on.contains(IGNORE_ACLS),
                        on.contains(BLOCK_POLICY),
                        on.contains(RESTRICT)))
                .orElse(PublicAccessBlock.NONE);
    }
}
