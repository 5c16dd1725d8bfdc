package io.headgate.s3.op;

import io.headgate.domain.BucketName;
import io.headgate.http.Exchange;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.BucketClaim;
import io.headgate.namespace.BucketSetting;
import io.headgate.policy.AccessControlList;
import io.headgate.policy.ObjectOwnership;
import io.headgate.region.PeerRequest;
import io.headgate.region.PeerResponse;
import io.headgate.region.Regions;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlElement;
import io.headgate.s3.auth.RelayedBody;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Makes a bucket. Its LocationConstraint is the preferred region of its blobs' accounts, and where there are several regions the one
 * that has it, if it is one of them.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_CreateBucket.html">S3: CreateBucket</a>
 */
final class CreateBucket {
    static final Action ACTION = Action.CREATE_BUCKET;

    private static final int MAX_LOCATION_CHARACTERS = 64;
    private static final String HASHED_RANGES = "x-headgate-hashed-ranges";
    private static final int MAX_HASHED_RANGES = 1_024;

    private static final Set<String> OF_THE_BODY =
            Set.of("x-amz-trailer", "x-amz-sdk-checksum-algorithm", "x-amz-decoded-content-length");

    private final Storage storage;
    private final Acls acls;
    private final Optional<Regions> regions;
    private final Optional<OwningRegion> owning;

    /** The last two if there are several regions. */
    CreateBucket(Storage storage, Acls acls, Optional<Regions> regions, Optional<OwningRegion> owning) {
        this.storage = storage;
        this.acls = acls;
        this.regions = regions;
        this.owning = owning;
    }

    Response handle(S3Request.CreateBucket request, Call call) {
        RequestAttributes.refuseUnsupported(call.head());
        if ("true".equalsIgnoreCase(call.header("x-amz-bucket-object-lock-enabled"))) {
            throw new S3Exception(S3Error.NOT_IMPLEMENTED, "Not implemented: object lock");
        }
        byte[] document = call.document(Call.DigestOf.DOCUMENT);
        String location = location(document);
        int hashedRanges = hashedRanges(call);
        if (regions.isPresent() && !call.isForwarded()) {
            String region = region(regions.get(), location);
            if (!region.equals(regions.get().own())) {
                return elsewhere(region, request.bucket(), call, document);
            }
        }
        Bucket wanted = new Bucket(request.bucket(), call.userId(), location, storage.now(), settings(call));
        Function<Bucket, BucketClaim> making = bucket -> hashedRanges == 0
                ? storage.namespace().createBucket(bucket)
                : storage.namespace().createHashedBucket(bucket, hashedRanges);
        BucketClaim claim =
                regions.isPresent() ? regions.get().bucketNames().create(wanted, making) : making.apply(wanted);
        if (!claim.made()) {
            throw new S3Exception(
                    claim.bucket().owner().equals(wanted.owner())
                            ? S3Error.BUCKET_ALREADY_OWNED_BY_YOU
                            : S3Error.BUCKET_ALREADY_EXISTS);
        }
        return Responses.empty(200, new Field("location", "/" + request.bucket()));
    }

    /** What the bucket is made with. */
    private Map<BucketSetting, String> settings(Call call) {
        Map<BucketSetting, String> settings = new EnumMap<>(BucketSetting.class);
        Optional<ObjectOwnership> ownership = Optional.ofNullable(call.header("x-amz-object-ownership"))
                .map(name -> BucketOwnership.named(name, S3Error.INVALID_ARGUMENT));
        ownership.ifPresent(said -> settings.put(BucketSetting.OWNERSHIP, said.s3Name()));
        String owner = call.userId();
        AccessControlList ofOwner = AccessControlList.ofOwner(owner);
        AccessControlList acl = acls.ofHead(call.head(), owner, canned -> AccessControlList.ofBucket(canned, owner))
                .orElse(ofOwner);
        if (!acl.equals(ofOwner)) {
            if (!ownership.orElse(ObjectOwnership.UNSET).aclsCount()) {
                throw new S3Exception(S3Error.INVALID_BUCKET_ACL_WITH_OBJECT_OWNERSHIP);
            }
            settings.put(BucketSetting.ACL, Acls.kept(acl));
        }
        return settings;
    }

    /** For keys that come in order: see {@link io.headgate.namespace.Namespace#createHashedBucket}. */
    private static int hashedRanges(Call call) {
        String value = call.header(HASHED_RANGES);
        if (value == null) {
            return 0;
        }
        if (!value.matches("[1-9][0-9]{0,3}") || Integer.parseInt(value) > MAX_HASHED_RANGES) {
            throw S3Exception.invalidArgument(
                    HASHED_RANGES, value, "The number of hashed ranges is 1 to " + MAX_HASHED_RANGES);
        }
        return Integer.parseInt(value);
    }

    /** Where the bucket is to be. */
    private static String region(Regions regions, String location) {
        return location.isEmpty()
                ? regions.newBuckets()
                : regions.names().contains(location) ? location : regions.own();
    }

    private Response elsewhere(String region, BucketName bucket, Call call, byte[] document) {
        call.exchange().label(Exchange.Label.REGION, region);
        // What is said of the body has been checked, and a trailer does not go with the document.
        List<Field> fields = call.head().fields().stream()
                .filter(field -> !OF_THE_BODY.contains(field.name()))
                .toList();
        PeerRequest request = new PeerRequest(
                "PUT",
                "/" + bucket,
                fields,
                call.userId(),
                call.head().remoteAddress(),
                call.exchange().requestId(),
                Optional.of(RelayedBody.of(document)));
        return owning.orElseThrow()
                .send(region, request)
                .map(PeerResponse::relayed)
                .orElseThrow(() -> OwningRegion.unreachable(region, "it does not take itself for that"));
    }

    private static String location(byte[] document) {
        if (document.length == 0) {
            return "";
        }
        XmlElement configuration = XmlElement.parse(document, "CreateBucketConfiguration");
        String location = configuration.childText("LocationConstraint").orElse("");
        boolean valid = location.length() <= MAX_LOCATION_CHARACTERS
                && location.chars()
                        .allMatch(c -> (c >= 'a' && c <= 'z')
                                || (c >= 'A' && c <= 'Z')
                                || (c >= '0' && c <= '9')
                                || c == '-'
                                || c == '_');
        if (!valid) {
            throw new S3Exception(S3Error.INVALID_LOCATION_CONSTRAINT);
        }
        return location;
    }
}
