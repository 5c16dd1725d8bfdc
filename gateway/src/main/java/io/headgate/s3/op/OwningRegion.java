package io.headgate.s3.op;

import io.headgate.domain.BodyException;
import io.headgate.domain.BucketName;
import io.headgate.http.Exchange;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.region.Answer;
import io.headgate.region.PeerHandler;
import io.headgate.region.PeerRequest;
import io.headgate.region.PeerResponse;
import io.headgate.region.Regions;
import io.headgate.region.RegistryEntry;
import io.headgate.region.RegistryException;
import io.headgate.s3.CopySource;
import io.headgate.s3.Responses;
import io.headgate.s3.Router;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has each request for a bucket answered where the bucket is: here, or by a gateway of another region. Where a bucket is, a gateway
 * remembers; what it remembers wrongly is found out before any answer, by the region that has not the bucket.
 *
 * <p>A bucket that the registry does not know may be here all the same, as those made before there were regions: what is not elsewhere is
 * looked for here.
 */
final class OwningRegion {
    private static final Logger LOG = LoggerFactory.getLogger(OwningRegion.class);

    private final Regions regions;
    private final Storage storage;
    private final Router router;

    OwningRegion(Regions regions, Storage storage, Router router) {
        this.regions = regions;
        this.storage = storage;
        this.router = router;
    }

    /**
     * Answers a client's request.
     *
     * @param here answers it from this region
     */
    Response answer(S3Request request, Call call, Supplier<Response> here) {
        if (!(request instanceof S3Request.OfBucket ofBucket) || request instanceof S3Request.CreateBucket) {
            return here.get(); // a bucket that is to be made is where its making says
        }
        BucketName bucket = ofBucket.bucket();
        String region = known(bucket);
        if (!region.equals(regions.own())) {
            refuseToSendOn(request, region);
            return elsewhere(bucket, region, call, here);
        }
        try {
            return here(request, here);
        } catch (S3Exception failure) {
            Optional<String> other = hasMoved(bucket, failure);
            if (other.isEmpty()) {
                throw failure;
            }
            refuseIfBodyIsTaken(bucket, call);
            return elsewhere(bucket, other.get(), call, here);
        }
    }

    /** Answers a copy once more if its source turns out to have moved: the second time that is known. */
    private Response here(S3Request request, Supplier<Response> here) {
        try {
            return here.get();
        } catch (S3Exception failure) {
            Optional<CopySource> source = switch (request) {
                case S3Request.CopyObject copy -> Optional.of(copy.source());
                case S3Request.UploadPartCopy copy -> Optional.of(copy.source());
                default -> Optional.empty();
            };
            if (source.isEmpty() || hasMoved(source.get().bucket(), failure).isEmpty()) {
                throw failure;
            }
            return here.get();
        }
    }

    /** Answers a request that another region's gateway has sent here, which is not sent on. */
    Response answerForwarded(S3Request request, Call call, Supplier<Response> here) {
        if (!(request instanceof S3Request.OfBucket ofBucket) || request instanceof S3Request.CreateBucket) {
            return here.get();
        }
        BucketName bucket = ofBucket.bucket();
        // What is remembered may be old, and who has sent it may know better.
        if (!registered(bucket).equals(regions.own()) && !asked(bucket).equals(regions.own())) {
            return PeerHandler.misdirected();
        }
        try {
            return here(request, here);
        } catch (S3Exception failure) {
            if (hasMoved(bucket, failure).isEmpty()) {
                throw failure;
            }
            refuseIfBodyIsTaken(bucket, call);
            return PeerHandler.misdirected();
        }
    }

    /** The other region where the bucket is, as far as is known; empty if it is here, or nowhere. */
    Optional<String> other(BucketName bucket) {
        return Optional.of(known(bucket)).filter(region -> !region.equals(regions.own()));
    }

    /**
     * Asks the region that has the bucket, which is known to be that one.
     *
     * @return empty if the bucket is in this region, or in none
     * @throws S3Exception ServiceUnavailable if its region cannot be reached
     */
    Optional<PeerResponse> read(BucketName bucket, String known, PeerRequest request) {
        String region = known;
        for (int hops = 0; hops < 2; hops++) {
            Optional<PeerResponse> answer = send(region, request);
            if (answer.isPresent()) {
                return answer;
            }
            region = asked(bucket);
            if (region.equals(regions.own())) {
                return Optional.empty();
            }
        }
        throw disagree(bucket, region);
    }

    /**
     * Where the bucket is for who asks here, as far as is known; the own region for one that nobody has. What this region has it serves, also if
     * another has the name, as long as nobody has decided which of both is to stay.
     */
    private String known(BucketName bucket) {
        String region = registered(bucket);
        return region.equals(regions.own())
                        || storage.namespace().bucket(bucket).isEmpty()
                ? region
                : regions.own();
    }

    private String registered(BucketName bucket) {
        return region(bucket, regions.directory()::find);
    }

    private String asked(BucketName bucket) {
        return region(bucket, regions.directory()::ask);
    }

    /** Without the registry a region serves what is its own. */
    private String region(BucketName bucket, Function<BucketName, Optional<RegistryEntry>> lookUp) {
        try {
            return region(lookUp.apply(bucket));
        } catch (RegistryException outage) {
            if (storage.namespace().bucket(bucket).isEmpty()) {
                throw outage;
            }
            return regions.own();
        }
    }

    private String region(Optional<RegistryEntry> entry) {
        return entry.map(RegistryEntry::region).orElse(regions.own());
    }

    /** The region where the bucket is that was not found here, if it is in another. */
    private Optional<String> hasMoved(BucketName bucket, S3Exception failure) {
        if (failure.error() != S3Error.NO_SUCH_BUCKET) {
            return Optional.empty();
        }
        return regions.directory()
                .ask(bucket)
                .map(RegistryEntry::region)
                .filter(region -> !region.equals(regions.own()));
    }

    /** Who signed a form is only known from its body, and only that is known may be sent on. */
    private void refuseToSendOn(S3Request request, String region) {
        if (request instanceof S3Request.PostObject && regions.redirects().isEmpty()) {
            throw new S3Exception(
                    S3Error.NOT_IMPLEMENTED, "A form must be sent to the region of its bucket, which is " + region);
        }
    }

    /** What a client has sent already cannot be sent on; it tries again, and then the bucket's region is known. */
    private static void refuseIfBodyIsTaken(BucketName bucket, Call call) {
        if (call.isBodyTaken()) {
            throw new S3Exception(
                    S3Error.SERVICE_UNAVAILABLE,
                    "The bucket " + bucket + " was deleted and made anew in another region. Please try again");
        }
    }

    private Response elsewhere(BucketName bucket, String region, Call call, Supplier<Response> here) {
        if (!regions.redirects().isEmpty()) {
            return redirected(bucket, region, call, here);
        }
        Optional<Response> answer = there(region, call);
        if (answer.isPresent()) {
            return answer.get();
        }
        String now = asked(bucket);
        if (now.equals(regions.own())) {
            return here.get();
        }
        if (!now.equals(region)) {
            answer = there(now, call);
            if (answer.isPresent()) {
                return answer.get();
            }
        }
        throw disagree(bucket, now);
    }

    /** Where a client is sent must be right: nobody tells it otherwise there, and two regions would send it to and fro. */
    private Response redirected(BucketName bucket, String remembered, Call call, Supplier<Response> here) {
        String region;
        try {
            region = region(regions.directory().ask(bucket));
        } catch (RegistryException outage) {
            region = remembered;
        }
        if (region.equals(regions.own())) {
            return here.get();
        }
        call.exchange().label(Exchange.Label.REGION, region);
        return redirect(region, call);
    }

    private static S3Exception disagree(BucketName bucket, String region) {
        LOG.error("the region {} has not the bucket {}, though the registry says so", region, bucket);
        return new S3Exception(
                S3Error.SERVICE_UNAVAILABLE, "The regions do not agree about where the bucket " + bucket + " is");
    }

    /** The answer of a region to a client's request; empty if it has not the bucket. */
    private Optional<Response> there(String region, Call call) {
        call.exchange().label(Exchange.Label.REGION, region);
        try {
            Answer answer = regions.peers()
                    .forward(
                            region, call.exchange(), router.hostBucket(call.head()), call.userId(), call.relayedBody());
            return relayed(region, answer).map(PeerResponse::relayed);
        } catch (BodyException broken) {
            throw Call.bodyFailure(broken);
        }
    }

    /**
     * The answer of a region to a request of this gateway's own; empty if it is not for that region.
     *
     * @throws S3Exception ServiceUnavailable if it cannot be reached
     */
    Optional<PeerResponse> send(String region, PeerRequest request) {
        try {
            return relayed(region, regions.peers().send(region, request));
        } catch (BodyException impossible) {
            throw new IllegalStateException("it has no body that could be wrong", impossible);
        }
    }

    private static Optional<PeerResponse> relayed(String region, Answer answer) {
        return switch (answer) {
            case Answer.Relayed(PeerResponse response) -> Optional.of(response);
            case Answer.Misdirected() -> Optional.empty();
            case Answer.Unreachable(String reason) -> throw unreachable(region, reason);
        };
    }

    /** The answer for what the region that it needs does not give. */
    static S3Exception unreachable(String region, String reason) {
        LOG.warn("the region {} cannot be asked: {}", region, reason);
        return new S3Exception(
                S3Error.SERVICE_UNAVAILABLE, "The region " + region + " cannot be reached. Please try again later");
    }

    /** 307: the client is to ask the region itself, in path style. */
    private Response redirect(String region, Call call) {
        String endpoint = String.valueOf(regions.redirects().get(region)).replaceAll("/$", "");
        String target = call.head().target();
        String bucket = router.hostBucket(call.head());
        String location = endpoint + (bucket.isEmpty() ? "" : "/" + bucket) + target;
        S3Exception redirect = new S3Exception(
                S3Error.TEMPORARY_REDIRECT,
                S3Error.TEMPORARY_REDIRECT.message(),
                Map.of("Endpoint", endpoint.replaceFirst("^https?://", "")));
        return Responses.error(redirect, call.head(), call.exchange().requestId())
                .with(new Field("location", location), new Field("x-amz-bucket-region", region));
    }
}
