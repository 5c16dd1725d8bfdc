package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlWriter;

/**
 * The LocationConstraint that a bucket was created with.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLocation.html">S3: GetBucketLocation</a>
 */
final class GetBucketLocation {
    static final Action ACTION = Action.GET_BUCKET_LOCATION;

    Response handle(S3Request.GetBucketLocation request, Call call) {
        XmlWriter xml = XmlWriter.documentWithText(
                "LocationConstraint", call.bucket(request.bucket()).location());
        return Responses.xml(xml.end("LocationConstraint"));
    }
}
