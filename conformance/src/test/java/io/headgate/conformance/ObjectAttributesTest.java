package io.headgate.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.model.GetObjectAttributesResponse;
import software.amazon.awssdk.services.s3.model.ObjectAttributes;
import software.amazon.awssdk.services.s3.model.ObjectPart;

/** What can be learnt of an object without reading it. */
class ObjectAttributesTest extends S3Test {
    private static final int PART = 5 * MIB;

    @ParameterizedTest
    @EnumSource(ClientKind.class)
    void an_objects_attributes_are_told(ClientKind kind) {
        String bucket = newBucket();
        byte[] body = bytes(1, 1234);
        String etag = s3.putObject(
                        request -> request.bucket(bucket).key("key").checksumAlgorithm("CRC32C"),
                        RequestBody.fromBytes(body))
                .eTag();

        GetObjectAttributesResponse attributes = kind.client()
                .getObjectAttributes(request -> request.bucket(bucket)
                        .key("key")
                        .objectAttributes(
                                ObjectAttributes.E_TAG,
                                ObjectAttributes.OBJECT_SIZE,
                                ObjectAttributes.STORAGE_CLASS,
                                ObjectAttributes.CHECKSUM,
                                ObjectAttributes.OBJECT_PARTS));

        assertThat(attributes.eTag()).as("without quotes").isEqualTo(etag.replace("\"", ""));
        assertThat(attributes.objectSize()).isEqualTo(1234);
        assertThat(attributes.storageClassAsString()).isEqualTo("STANDARD");
        assertThat(attributes.checksum().checksumCRC32C()).isEqualTo(Algorithm.CRC32C.base64(body));
        assertThat(attributes.checksum().checksumTypeAsString()).isEqualTo("FULL_OBJECT");
        assertThat(attributes.objectParts()).isNull();
        assertThat(attributes.lastModified())
                .isEqualTo(s3.headObject(request -> request.bucket(bucket).key("key"))
                        .lastModified());
    }

    @Test
    void only_what_is_asked_for_is_told() {
        String bucket = newBucket();
        put(bucket, "key", "x");

        GetObjectAttributesResponse attributes = s3.getObjectAttributes(
                request -> request.bucket(bucket).key("key").objectAttributes(ObjectAttributes.OBJECT_SIZE));

        assertThat(attributes.objectSize()).isEqualTo(1);
        assertThat(attributes.eTag()).isNull();
        assertThat(attributes.checksum()).isNull();
        assertThat(attributes.storageClass()).isNull();
    }

    @Test
    void the_parts_of_an_object_are_listed_in_pages() {
        String bucket = newBucket();
        Upload upload = Upload.start(s3, bucket, "key", request -> request.checksumAlgorithm("SHA256"));
        byte[] whole = bytes(2, 2 * PART + 17);
        upload.parts(whole, PART, part -> part.checksumAlgorithm("SHA256"));
        upload.complete();

        GetObjectAttributesResponse first = s3.getObjectAttributes(request -> request.bucket(bucket)
                .key("key")
                .objectAttributes(ObjectAttributes.OBJECT_PARTS, ObjectAttributes.OBJECT_SIZE)
                .maxParts(2));
        GetObjectAttributesResponse second = s3.getObjectAttributes(request -> request.bucket(bucket)
                .key("key")
                .objectAttributes(ObjectAttributes.OBJECT_PARTS)
                .partNumberMarker(first.objectParts().nextPartNumberMarker()));

        assertThat(first.objectSize()).isEqualTo(whole.length);
        assertThat(first.objectParts().totalPartsCount()).isEqualTo(3);
        assertThat(first.objectParts().isTruncated()).isTrue();
        assertThat(first.objectParts().parts())
                .extracting(ObjectPart::partNumber)
                .containsExactly(1, 2);
        assertThat(second.objectParts().isTruncated()).isFalse();
        List<ObjectPart> last = second.objectParts().parts();
        assertThat(last).extracting(ObjectPart::partNumber).containsExactly(3);
        assertThat(last.getFirst().size()).isEqualTo(17);
        assertThat(last.getFirst().checksumSHA256())
                .isEqualTo(Algorithm.SHA256.base64(Arrays.copyOfRange(whole, 2 * PART, whole.length)));
    }

    @Test
    void attributes_of_a_missing_object_are_refused() {
        String bucket = newBucket();

        assertRefused(
                404,
                "NoSuchKey",
                () -> s3.getObjectAttributes(
                        request -> request.bucket(bucket).key("missing").objectAttributes(ObjectAttributes.E_TAG)));
    }

    @Test
    void an_unknown_attribute_or_none_is_refused() {
        String bucket = newBucket();
        put(bucket, "key", "x");
        RawRequest none = RawRequest.of("GET", "/" + bucket + "/key?attributes=");

        assertThat(RawConnection.send(endpoint, Signer.of(endpoint).sign(none)).status())
                .isEqualTo(400);
        RawConnection.send(endpoint, Signer.of(endpoint).sign(none.with("x-amz-object-attributes", "ETag,Flavour")))
                .assertError(400, "InvalidArgument");
    }
}
