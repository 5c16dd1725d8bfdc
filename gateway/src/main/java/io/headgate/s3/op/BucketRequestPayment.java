package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlWriter;

/**
 * GetBucketRequestPayment, PutBucketRequestPayment. Nobody pays for requests here, so the owner of the
 * bucket is all that may be set; anything else would promise a bill to somebody.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketRequestPayment.html">S3: PutBucketRequestPayment</a>
 */
final class BucketRequestPayment {
    static final Action READ = Action.GET_BUCKET_REQUEST_PAYMENT;
    static final Action WRITE = Action.PUT_BUCKET_REQUEST_PAYMENT;

    private static final String ROOT = "RequestPaymentConfiguration";
    private static final String OWNER = "BucketOwner";

    Response get(S3Request.GetBucketRequestPayment request, Call call) {
        call.bucket(request.bucket());
        return Responses.xml(XmlWriter.document(ROOT).element("Payer", OWNER).end(ROOT));
    }

    Response put(S3Request.PutBucketRequestPayment request, Call call) {
        String payer = call.document(ROOT, Call.DigestOf.DOCUMENT).requiredText("Payer");
        if (payer.equals("Requester")) {
            throw new S3Exception(S3Error.NOT_IMPLEMENTED, "Not implemented: requests that the requester pays for");
        }
        if (!payer.equals(OWNER)) {
            throw new S3Exception(S3Error.MALFORMED_XML, "<Payer> is BucketOwner or Requester");
        }
        call.bucket(request.bucket());
        return Responses.empty(200);
    }
}
