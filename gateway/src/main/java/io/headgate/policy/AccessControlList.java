package io.headgate.policy;

import io.headgate.policy.Grant.Grantee;
import io.headgate.policy.Grant.Permission;
import java.util.ArrayList;
import java.util.List;

/**
 * Who, besides the owner, may do what with a bucket or an object.
 *
 * @param owner the id of the account that owns it
 * @param grants at most {@value #MAX_GRANTS}, in the order in which they are shown
 */
public record AccessControlList(String owner, List<Grant> grants) {
    public static final int MAX_GRANTS = 100;

    /**
     * An ACL of these grants.
     *
     * @throws IllegalArgumentException if there are too many
     */
    public AccessControlList {
        grants = List.copyOf(grants);
        if (grants.size() > MAX_GRANTS) {
            throw new IllegalArgumentException("more than " + MAX_GRANTS + " grants: " + grants.size());
        }
    }

    /** What a bucket or an object has that nobody said anything about. */
    public static AccessControlList ofOwner(String owner) {
        return new AccessControlList(owner, List.of(fullControl(owner)));
    }

    /** What the name stands for on a bucket. */
    public static AccessControlList ofBucket(CannedAcl canned, String owner) {
        return switch (canned) {
            case LOG_DELIVERY_WRITE ->
                before(
                        owner,
                        new Grant(new Grantee.LogDelivery(), Permission.WRITE),
                        new Grant(new Grantee.LogDelivery(), Permission.READ_ACP));
            case PRIVATE,
                    PUBLIC_READ,
                    PUBLIC_READ_WRITE,
                    AUTHENTICATED_READ,
                    BUCKET_OWNER_READ,
                    BUCKET_OWNER_FULL_CONTROL,
                    AWS_EXEC_READ -> ofObject(canned, owner, owner);
        };
    }

    /** What the name stands for on an object. */
    public static AccessControlList ofObject(CannedAcl canned, String owner, String bucketOwner) {
        return switch (canned) {
            case PRIVATE, LOG_DELIVERY_WRITE, AWS_EXEC_READ -> ofOwner(owner);
            case PUBLIC_READ -> before(owner, new Grant(new Grantee.AllUsers(), Permission.READ));
            case PUBLIC_READ_WRITE ->
                before(
                        owner,
                        new Grant(new Grantee.AllUsers(), Permission.READ),
                        new Grant(new Grantee.AllUsers(), Permission.WRITE));
            case AUTHENTICATED_READ -> before(owner, new Grant(new Grantee.AuthenticatedUsers(), Permission.READ));
            case BUCKET_OWNER_READ -> withBucketOwner(owner, bucketOwner, Permission.READ);
            case BUCKET_OWNER_FULL_CONTROL -> withBucketOwner(owner, bucketOwner, Permission.FULL_CONTROL);
        };
    }

    private static AccessControlList withBucketOwner(String owner, String bucketOwner, Permission permission) {
        return owner.equals(bucketOwner)
                ? ofOwner(owner)
                : new AccessControlList(
                        owner, List.of(fullControl(owner), new Grant(new Grantee.Account(bucketOwner), permission)));
    }

    /** Groups stand before the owner, as other servers show them. */
    private static AccessControlList before(String owner, Grant... grants) {
        List<Grant> all = new ArrayList<>(List.of(grants));
        all.add(fullControl(owner));
        return new AccessControlList(owner, all);
    }

    private static Grant fullControl(String owner) {
        return new Grant(new Grantee.Account(owner), Permission.FULL_CONTROL);
    }

    /** Whether it gives anything to everybody, or to everybody with an account. */
    public boolean isPublic() {
        return grants.stream().anyMatch(Grant::isPublic);
    }

    /** Whether, as a bucket's, it permits the caller this action. */
    boolean permitsOnBucket(Caller caller, String action, boolean ignorePublic) {
        return grants.stream()
                .anyMatch(grant -> grant.permission().permitsOnBucket(action) && grant.isTo(caller, ignorePublic));
    }

    /** Whether, as an object's, it permits the caller this action. */
    boolean permitsOnObject(Caller caller, String action, boolean ignorePublic) {
        return grants.stream()
                .anyMatch(grant -> grant.permission().permitsOnObject(action) && grant.isTo(caller, ignorePublic));
    }
}
