package io.headgate.namespace;

import java.util.Map;

/**
 * What a client says of an object beside its bytes.
 *
 * @param headers standard headers kept as sent, by lower-case name: content-type, content-encoding, content-disposition,
 *     content-language, cache-control, expires, x-amz-website-redirect-location; and two of Headgate's own, if they are not what the
 *     bucket's owner has of an object that nobody said anything about: {@value #OWNER}, a user id, and {@value #ACL}, the grants in the form that the
 *     S3 operations write
 * @param metadata user metadata, by lower-case name without {@code x-amz-meta-}
 * @param tags the tag set
 * @param storageClass as sent; STANDARD by default
 */
public record ObjectAttributes(
        Map<String, String> headers, Map<String, String> metadata, Map<String, String> tags, String storageClass) {
    public static final String STANDARD = "STANDARD";
    public static final String WEBSITE_REDIRECT = "x-amz-website-redirect-location";
    public static final String OWNER = "x-headgate-owner";
    public static final String ACL = "x-headgate-acl";

    public ObjectAttributes {
        headers = Map.copyOf(headers);
        metadata = Map.copyOf(metadata);
        tags = Map.copyOf(tags);
    }
}
