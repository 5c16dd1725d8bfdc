package io.headgate.s3.op;

import io.headgate.domain.BucketName;
import io.headgate.http.Response;
import io.headgate.namespace.BucketSetting;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.XmlWriter;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;

/** What the owners of buckets set, kept as the documents that a read of it answers. */
record BucketDocuments(Storage storage) {
    /** @throws S3Exception with that error if it is not set */
    Response get(BucketName bucket, BucketSetting setting, S3Error unset, Call call) {
        String document = call.bucket(bucket)
                .setting(setting)
                .orElseThrow(() -> new S3Exception(unset, unset.message(), Map.of("BucketName", bucket.value())));
        return Responses.xml(document.getBytes(StandardCharsets.UTF_8));
    }

    /** @param document complete but for the end of its root */
    void put(BucketName bucket, BucketSetting setting, XmlWriter document, String root) {
        put(bucket, setting, new String(document.end(root), StandardCharsets.UTF_8));
    }

    void put(BucketName bucket, BucketSetting setting, String document) {
        Refusals.done(storage.namespace().changeBucket(bucket, setting, Optional.of(document)));
    }

    /** 204, whether it was set or not. */
    Response delete(BucketName bucket, BucketSetting setting) {
        Refusals.done(storage.namespace().changeBucket(bucket, setting, Optional.empty()));
        return Responses.empty(204);
    }
}
