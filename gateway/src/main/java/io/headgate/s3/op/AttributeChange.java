package io.headgate.s3.op;

import io.headgate.domain.BucketName;
import io.headgate.namespace.ObjectAttributes;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.namespace.ReadCondition;
import io.headgate.namespace.Refusal;
import io.headgate.namespace.WriteCondition;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Changes what is said of an object, not its bytes, entity tag or time: a copy onto itself that shares them. */
record AttributeChange(Storage storage) {
    private static final int TRIES = 20;

    /**
     * Changes the object as it was found; OperationAborted if it is another by now, of which nobody has decided that it may be changed.
     *
     * @param change may be asked again, of what another such change has made of the attributes meanwhile
     */
    void apply(BucketName bucket, ObjectVersion found, UnaryOperator<ObjectAttributes> change) {
        for (int i = 0; i < TRIES; i++) {
            ObjectVersion version = Refusals.done(storage.namespace().currentVersion(bucket, found.key()));
            if (!isSame(version, found)) {
                throw new S3Exception(S3Error.OPERATION_ABORTED);
            }
            Outcome<ObjectVersion> outcome =
                    storage.namespace().copyObject(command(bucket, version, change.apply(version.attributes())));
            boolean overtaken = outcome instanceof Outcome.Refused<ObjectVersion>(Refusal reason, String ignored)
                    && (reason == Refusal.SOURCE_CHANGED || reason == Refusal.PRECONDITION_FAILED);
            if (!overtaken) {
                Refusals.done(outcome);
                return;
            }
        }
        throw new S3Exception(S3Error.OPERATION_ABORTED);
    }

    /** Such changes keep the time, the entity tag and the owner. */
    private static boolean isSame(ObjectVersion version, ObjectVersion found) {
        return version.lastModified().equals(found.lastModified())
                && version.etag().equals(found.etag())
                && Objects.equals(owner(version), owner(found));
    }

    private static @Nullable String owner(ObjectVersion version) {
        return version.attributes().headers().get(ObjectAttributes.OWNER);
    }

    private io.headgate.namespace.CopyObject command(
            BucketName bucket, ObjectVersion version, ObjectAttributes changed) {
        Map<String, String> access = new HashMap<>(changed.headers());
        access.keySet().retainAll(Set.of(ObjectAttributes.OWNER, ObjectAttributes.ACL));
        return new io.headgate.namespace.CopyObject(
                bucket,
                version.key(),
                Optional.of(version.writeId()),
                ReadCondition.NONE,
                bucket,
                version.key(),
                storage.newId().get(),
                Optional.of(changed),
                Optional.of(changed.tags()),
                changed.storageClass(),
                Optional.ofNullable(changed.headers().get(ObjectAttributes.WEBSITE_REDIRECT)),
                Optional.empty(),
                new WriteCondition.Matches(Set.of(version.etag())),
                access,
                Optional.of(version.lastModified()),
                storage.now());
    }
}
