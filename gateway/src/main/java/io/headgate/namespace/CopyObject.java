package io.headgate.namespace;

import io.headgate.domain.BucketName;
import io.headgate.domain.Checksum;
import io.headgate.domain.ObjectKey;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Makes a new version of {@code key} that shares the source's slices: no bytes move.
 *
 * @param expectedSourceWriteId if present, the source's current version must be this one (SOURCE_CHANGED otherwise): set when
 *     the caller has read the source's bytes for a checksum
 * @param replacement attributes instead of the source's, but for the tags
 * @param tags the tag set instead of the source's
 * @param storageClass instead of the source's, whose class is not copied: STANDARD unless the client says otherwise
 * @param websiteRedirect instead of the source's, which is not copied either, nor taken from {@code replacement}
 * @param checksums instead of the source's
 * @param access the owner and the ACL of the copy, as {@link ObjectAttributes} keeps them; the source's are never copied
 * @param lastModified the time that the copy shows, if it is not that of the command
 */
public record CopyObject(
        BucketName sourceBucket,
        ObjectKey sourceKey,
        Optional<String> expectedSourceWriteId,
        ReadCondition sourceCondition,
        BucketName bucket,
        ObjectKey key,
        String writeId,
        Optional<ObjectAttributes> replacement,
        Optional<Map<String, String>> tags,
        String storageClass,
        Optional<String> websiteRedirect,
        Optional<List<Checksum>> checksums,
        WriteCondition condition,
        Map<String, String> access,
        Optional<Instant> lastModified,
        Instant now) {

    /** A copy that is its bucket's owner's alone. */
    public CopyObject(
            BucketName sourceBucket,
            ObjectKey sourceKey,
            Optional<String> expectedSourceWriteId,
            ReadCondition sourceCondition,
            BucketName bucket,
            ObjectKey key,
            String writeId,
            Optional<ObjectAttributes> replacement,
            Optional<Map<String, String>> tags,
            String storageClass,
            Optional<String> websiteRedirect,
            Optional<List<Checksum>> checksums,
            WriteCondition condition,
            Instant now) {
        this(
                sourceBucket,
                sourceKey,
                expectedSourceWriteId,
                sourceCondition,
                bucket,
                key,
                writeId,
                replacement,
                tags,
                storageClass,
                websiteRedirect,
                checksums,
                condition,
                Map.of(),
                Optional.empty(),
                now);
    }

    /** The version that it makes of its source. */
    public ObjectVersion version(ObjectVersion source) {
        return new ObjectVersion(
                key,
                writeId,
                lastModified.orElse(now).truncatedTo(ChronoUnit.MILLIS),
                source.sizeBytes(),
                source.etag(),
                attributes(source.attributes()),
                checksums.orElse(source.checksums()),
                source.manifest());
    }

    private ObjectAttributes attributes(ObjectAttributes source) {
        ObjectAttributes said = replacement.orElse(source);
        Map<String, String> headers = new HashMap<>(said.headers());
        headers.remove(ObjectAttributes.WEBSITE_REDIRECT);
        headers.remove(ObjectAttributes.OWNER);
        headers.remove(ObjectAttributes.ACL);
        headers.putAll(access);
        websiteRedirect.ifPresent(location -> headers.put(ObjectAttributes.WEBSITE_REDIRECT, location));
        return new ObjectAttributes(headers, said.metadata(), tags.orElse(source.tags()), storageClass);
    }
}
