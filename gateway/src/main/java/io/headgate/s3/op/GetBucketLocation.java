package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.region.Regions;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlWriter;
import java.util.Optional;

/**
 * The LocationConstraint that a bucket was created with; without one the region, if there are several.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetBucketLocation.html">S3: GetBucketLocation</a>
 */
final class GetBucketLocation {
    static final Action ACTION = Action.GET_BUCKET_LOCATION;

    /** The region whose buckets have none, by S3's tradition. */
    private static final String WITHOUT_CONSTRAINT = "us-east-1";

    /** Of a bucket that was created without one. */
    private final String otherwise;

    /** @param regions if there are several */
    GetBucketLocation(Optional<Regions> regions) {
        otherwise = regions.map(Regions::own)
                .filter(own -> !own.equals(WITHOUT_CONSTRAINT))
                .orElse("");
    }

    Response handle(S3Request.GetBucketLocation request, Call call) {
        String location = call.bucket(request.bucket()).location();
        XmlWriter xml = XmlWriter.documentWithText("LocationConstraint", location.isEmpty() ? otherwise : location);
        return Responses.xml(xml.end("LocationConstraint"));
    }
}
