package io.headgate.policy;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A request to be decided by {@link AccessDecision#decide}. Who copies needs two: to read the source, and to write.
 *
 * @param action such as {@code s3:GetObject}
 * @param bucket empty for what concerns no bucket that exists: the listing of all, and CreateBucket
 * @param object the object or upload that the request is about, if it exists; asked at most once, and only in a bucket where ACLs count
 * @param values the values of condition keys, as {@link RequestContext} asks for them
 * @param newAcl the ACL that the request would set, on the bucket or on an object
 * @param newPolicy the bucket policy that the request would set
 */
public record AccessRequest(
        Caller caller,
        String action,
        Resource resource,
        Optional<BucketAccess> bucket,
        Supplier<Optional<ObjectAccess>> object,
        Function<String, List<String>> values,
        Optional<AccessControlList> newAcl,
        Optional<PolicyDocument> newPolicy) {

    /** A request of the service, or to make a bucket. */
    public static AccessRequest ofService(
            Caller caller, String action, Resource resource, Function<String, List<String>> values) {
        return new AccessRequest(
                caller,
                action,
                resource,
                Optional.empty(),
                Optional::empty,
                values,
                Optional.empty(),
                Optional.empty());
    }

    /** A request about a bucket, or about an object that it may put there. */
    public static AccessRequest ofBucket(
            Caller caller,
            String action,
            Resource resource,
            BucketAccess bucket,
            Function<String, List<String>> values) {
        return ofObject(caller, action, resource, bucket, Optional::empty, values);
    }

    /** A request about an object or upload that may exist. */
    public static AccessRequest ofObject(
            Caller caller,
            String action,
            Resource resource,
            BucketAccess bucket,
            Supplier<Optional<ObjectAccess>> object,
            Function<String, List<String>> values) {
        return new AccessRequest(
                caller, action, resource, Optional.of(bucket), object, values, Optional.empty(), Optional.empty());
    }

    /** The same request, which would set this ACL. */
    public AccessRequest setting(AccessControlList acl) {
        return new AccessRequest(caller, action, resource, bucket, object, values, Optional.of(acl), newPolicy);
    }

    /** The same request, which would set this policy. */
    public AccessRequest setting(PolicyDocument policy) {
        return new AccessRequest(caller, action, resource, bucket, object, values, newAcl, Optional.of(policy));
    }

    /**
     * The question whether the caller may know that the object of this request does not exist: whoever may list the bucket by its key
     * gets a NoSuchKey, all others an AccessDenied.
     */
    public AccessRequest listing(BucketName name, ObjectKey key) {
        return new AccessRequest(
                caller,
                "s3:ListBucket",
                Resource.of(name),
                bucket,
                Optional::empty,
                asked -> asked.equals("s3:prefix") ? List.of(key.value()) : values.apply(asked),
                Optional.empty(),
                Optional.empty());
    }
}
