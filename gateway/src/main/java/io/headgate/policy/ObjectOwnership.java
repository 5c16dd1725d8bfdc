package io.headgate.policy;

import java.util.Optional;

/** Who owns the objects that others put into a bucket, and whether ACLs count there. */
public enum ObjectOwnership {
    /** The bucket's owner owns all, ACLs do not count. */
    BUCKET_OWNER_ENFORCED("BucketOwnerEnforced"),
    /**
     * Nobody has said. ACLs count for whoever is given something by one, the writer owns, and the bucket's owner may read
     * every object, though not what another grants: so most reads need not ask who wrote it.
     */
    UNSET(""),
    /** The bucket's owner owns those that are put with the ACL bucket-owner-full-control. */
    BUCKET_OWNER_PREFERRED("BucketOwnerPreferred"),
    /** Whoever put it. */
    OBJECT_WRITER("ObjectWriter");

    private final String s3Name;

    ObjectOwnership(String s3Name) {
        this.s3Name = s3Name;
    }

    public String s3Name() {
        return s3Name;
    }

    /** Empty if there is none of that name. */
    public static Optional<ObjectOwnership> of(String s3Name) {
        for (ObjectOwnership ownership : values()) {
            if (ownership != UNSET && ownership.s3Name.equals(s3Name)) {
                return Optional.of(ownership);
            }
        }
        return Optional.empty();
    }

    public boolean aclsCount() {
        return this != BUCKET_OWNER_ENFORCED;
    }

    /**
     * The account that owns a new object.
     *
     * @param acl the canned ACL that it is put with, if it is
     */
    public String ownerOfNew(String bucketOwner, String writer, Optional<CannedAcl> acl) {
        return switch (this) {
            case BUCKET_OWNER_ENFORCED -> bucketOwner;
            case BUCKET_OWNER_PREFERRED ->
                acl.filter(canned -> canned == CannedAcl.BUCKET_OWNER_FULL_CONTROL)
                                .isPresent()
                        ? bucketOwner
                        : writer;
            case UNSET, OBJECT_WRITER -> writer;
        };
    }
}
