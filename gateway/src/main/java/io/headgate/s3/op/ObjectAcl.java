package io.headgate.s3.op;

import io.headgate.http.Response;
import io.headgate.namespace.Bucket;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.policy.AccessControlList;
import io.headgate.policy.ObjectAccess;
import io.headgate.s3.Action;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.S3Request;
import io.headgate.s3.XmlElement;
import java.util.HashMap;
import java.util.Map;

/**
 * GetObjectAcl, PutObjectAcl: who owns an object, and what the owner grants to others.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutObjectAcl.html">S3: PutObjectAcl</a>
 */
final class ObjectAcl {
    static final Action READ = Action.GET_OBJECT_ACL;
    static final Action WRITE = Action.PUT_OBJECT_ACL;

    private final Storage storage;
    private final Acls acls;
    private final AttributeChange change;

    ObjectAcl(Storage storage, Acls acls, AttributeChange change) {
        this.storage = storage;
        this.acls = acls;
        this.change = change;
    }

    Response get(S3Request.GetObjectAcl request, Call call) {
        Bucket bucket = call.bucket(request.bucket());
        ObjectVersion version = ObjectRead.version(storage, request.bucket(), request.key(), request.versionId());
        boolean enforced = !BucketOwnership.of(bucket).aclsCount();
        return Responses.xml(acls.document(
                enforced
                        ? AccessControlList.ofOwner(bucket.owner())
                        : of(version.attributes(), bucket).acl()));
    }

    Response put(S3Request.PutObjectAcl request, Call call) {
        Bucket bucket = call.bucket(request.bucket());
        byte[] document = call.document(Call.DigestOf.DOCUMENT);
        if (!BucketOwnership.of(bucket).aclsCount()) {
            throw new S3Exception(S3Error.ACCESS_CONTROL_LIST_NOT_SUPPORTED);
        }
        ObjectVersion version = ObjectRead.version(storage, request.bucket(), request.key(), request.versionId());
        String owner = of(version.attributes(), bucket).owner();
        AccessControlList acl = acls.ofHead(
                        call.head(), owner, canned -> AccessControlList.ofObject(canned, owner, bucket.owner()))
                .orElseGet(() -> acls.ofDocument(XmlElement.parse(document, Acls.ROOT), owner));
        Authorizer.refuseIfBlocked(acl, bucket);
        change.apply(request.bucket(), version, attributes -> {
            Map<String, String> headers = new HashMap<>(attributes.headers());
            headers.remove(ObjectAttributes.ACL);
            headers.putAll(kept(new ObjectAccess(owner, acl), bucket));
            return new ObjectAttributes(headers, attributes.metadata(), attributes.tags(), attributes.storageClass());
        });
        return Responses.empty(200);
    }

    /** Whose an object, or what an upload makes, is. */
    static String owner(ObjectAttributes attributes, Bucket bucket) {
        return attributes.headers().getOrDefault(ObjectAttributes.OWNER, bucket.owner());
    }

    /** What an object's attributes say about access to it. */
    static ObjectAccess of(ObjectAttributes attributes, Bucket bucket) {
        String owner = owner(attributes, bucket);
        String kept = attributes.headers().get(ObjectAttributes.ACL);
        return new ObjectAccess(owner, kept == null ? AccessControlList.ofOwner(owner) : Acls.ofKept(owner, kept));
    }

    /** What attributes keep of it: nothing of what goes without saying. */
    static Map<String, String> kept(ObjectAccess access, Bucket bucket) {
        Map<String, String> kept = new HashMap<>();
        if (!access.owner().equals(bucket.owner())) {
            kept.put(ObjectAttributes.OWNER, access.owner());
        }
        if (!access.acl().equals(AccessControlList.ofOwner(access.owner()))) {
            kept.put(ObjectAttributes.ACL, Acls.kept(access.acl()));
        }
        return kept;
    }
}
