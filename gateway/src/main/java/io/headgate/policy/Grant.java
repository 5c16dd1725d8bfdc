package io.headgate.policy;

/** A permission that an access control list gives. */
public record Grant(Grantee grantee, Permission permission) {
    /** Who gets it. */
    public sealed interface Grantee {
        /** An account, by its id; one that was named by e-mail is looked up before. */
        record Account(String id) implements Grantee {}

        /** Whoever asks. */
        record AllUsers() implements Grantee {}

        /** Whoever signs the request, with whatever account. */
        record AuthenticatedUsers() implements Grantee {}

        /** The service that would write access logs; nobody who asks is of it. */
        record LogDelivery() implements Grantee {}

        private boolean includes(Caller caller) {
            return switch (this) {
                case Account(String id) -> !(caller instanceof Caller.Anonymous) && caller.isOf(id);
                case AllUsers() -> true;
                case AuthenticatedUsers() -> !(caller instanceof Caller.Anonymous);
                case LogDelivery() -> false;
            };
        }

        private boolean isPublic() {
            return switch (this) {
                case AllUsers() -> true;
                case AuthenticatedUsers() -> true;
                case Account ignored -> false;
                case LogDelivery() -> false;
            };
        }
    }

    /** What is permitted, by the names of S3's XML. */
    public enum Permission {
        FULL_CONTROL,
        READ,
        WRITE,
        READ_ACP,
        WRITE_ACP;

        /**
         * Whether it permits this action when granted on a bucket.
         *
         * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/acl-overview.html">S3: mapping of ACL permissions</a>
         */
        boolean permitsOnBucket(String action) {
            return switch (this) {
                case FULL_CONTROL ->
                    READ.permitsOnBucket(action)
                            || WRITE.permitsOnBucket(action)
                            || READ_ACP.permitsOnBucket(action)
                            || WRITE_ACP.permitsOnBucket(action);
                case READ ->
                    action.equals("s3:ListBucket")
                            || action.equals("s3:ListBucketVersions")
                            || action.equals("s3:ListBucketMultipartUploads");
                case WRITE -> action.equals("s3:PutObject");
                case READ_ACP -> action.equals("s3:GetBucketAcl");
                case WRITE_ACP -> action.equals("s3:PutBucketAcl");
            };
        }

        /** Whether it permits this action when granted on an object; WRITE permits nothing there. */
        boolean permitsOnObject(String action) {
            return switch (this) {
                case FULL_CONTROL ->
                    READ.permitsOnObject(action)
                            || READ_ACP.permitsOnObject(action)
                            || WRITE_ACP.permitsOnObject(action);
                case READ ->
                    action.equals("s3:GetObject")
                            || action.equals("s3:GetObjectVersion")
                            || action.equals("s3:GetObjectTorrent");
                case WRITE -> false;
                case READ_ACP -> action.equals("s3:GetObjectAcl") || action.equals("s3:GetObjectVersionAcl");
                case WRITE_ACP -> action.equals("s3:PutObjectAcl") || action.equals("s3:PutObjectVersionAcl");
            };
        }
    }

    /** Whether it is to everybody, or to everybody with an account. */
    public boolean isPublic() {
        return grantee.isPublic();
    }

    /** Whether it gives the caller something, with public access or without. */
    boolean isTo(Caller caller, boolean ignorePublic) {
        return grantee.includes(caller) && !(ignorePublic && isPublic());
    }
}
