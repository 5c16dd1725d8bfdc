package io.headgate.s3.op;

import io.headgate.domain.BucketName;
import io.headgate.domain.ObjectKey;
import io.headgate.http.RequestHead;
import io.headgate.namespace.ObjectVersion;
import io.headgate.namespace.Outcome;
import io.headgate.s3.CopySource;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The values of the keys that conditions of policies ask for.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/amazon-s3-policy-keys.html">S3: condition keys</a>
 */
final class ConditionValues implements Function<String, List<String>> {
    private static final String EXISTING_TAG = "s3:existingobjecttag/";
    private static final String REQUEST_TAG = "s3:requestobjecttag/";
    /** More is not compared: a match takes time by the square of it. */
    private static final int MAX_CHARACTERS = 1_024;

    private static final String AMZ_HEADER = "s3:x-amz-";

    private final BucketName bucket;
    private final Optional<ObjectKey> key;
    private final RequestHead said;
    private final Call call;
    private final Storage storage;

    /**
     * Of a request about the bucket, or about the key.
     *
     * @param said what is asked for: the request's head, or what a form says instead
     */
    ConditionValues(BucketName bucket, Optional<ObjectKey> key, RequestHead said, Call call, Storage storage) {
        this.said = said;
        this.bucket = bucket;
        this.key = key;
        this.call = call;
        this.storage = storage;
    }

    /** @param name as {@link io.headgate.policy.RequestContext} asks */
    @Override
    public List<String> apply(String name) {
        if (name.startsWith(EXISTING_TAG)) {
            return one(existingTags().get(name.substring(EXISTING_TAG.length())));
        }
        if (name.startsWith(REQUEST_TAG)) {
            return one(RequestAttributes.tags(said).get(name.substring(REQUEST_TAG.length())));
        }
        if (name.startsWith(AMZ_HEADER)) {
            return said(name.substring("s3:".length()));
        }
        return switch (name) {
            case "aws:sourceip" -> List.of(call.head().remoteAddress());
            case "aws:securetransport" ->
                List.of("false"); // clients' connections are not encrypted by the gateway itself
            case "aws:referer" -> one(call.header("referer"));
            case "aws:useragent" -> one(call.header("user-agent"));
            case "aws:currenttime" -> List.of(now().toString());
            case "aws:epochtime" -> List.of(Long.toString(now().getEpochSecond()));
            case "s3:prefix", "s3:delimiter", "s3:max-keys" -> one(call.query().find(name.substring("s3:".length())));
            case "s3:versionid" -> one(call.query().find("versionId"));
            case "s3:requestobjecttagkeys" ->
                List.copyOf(RequestAttributes.tags(said).keySet());
            default -> List.of();
        };
    }

    /** What is said more than once counts as one list, as it does for who acts on it. */
    private List<String> said(String header) {
        List<String> values = said.headers(header);
        if (values.isEmpty()) {
            return List.of();
        }
        if (header.equals("x-amz-copy-source")) {
            CopySource source = CopySource.parse(values.getFirst());
            return one(source.bucket() + "/" + source.key());
        }
        return one(String.join(",", values));
    }

    private Instant now() {
        return storage.clock().instant();
    }

    private static List<String> one(@Nullable String value) {
        if (value == null) {
            return List.of();
        }
        return List.of(value.length() > MAX_CHARACTERS ? value.substring(0, MAX_CHARACTERS) : value);
    }

    private Map<String, String> existingTags() {
        return key.isPresent()
                        && storage.namespace().currentVersion(bucket, key.get())
                                instanceof Outcome.Done<ObjectVersion>(ObjectVersion version)
                ? version.attributes().tags()
                : Map.of();
    }
}
