package io.headgate.s3.op;

import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.XmlElement;
import io.headgate.s3.XmlWriter;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.TreeMap;

/**
 * Sets of tags, as documents and their rules.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-tagging.html">S3: tags</a>
 */
final class Tags {
    private static final int MAX_KEY_CHARACTERS = 128;
    private static final int MAX_VALUE_CHARACTERS = 256;

    private Tags() {}

    /** The tags of a Tagging document, in its order; MalformedXML, InvalidTag. */
    static Map<String, String> read(XmlElement tagging) {
        XmlElement set = tagging.child("TagSet").orElseThrow(() -> new S3Exception(S3Error.MALFORMED_XML));
        Map<String, String> tags = new LinkedHashMap<>();
        for (XmlElement tag : set.children()) {
            if (!tag.name().equals("Tag")) {
                throw new S3Exception(S3Error.MALFORMED_XML);
            }
            add(tags, text(tag, "Key"), text(tag, "Value"));
        }
        return tags;
    }

    /** White space counts in tags. */
    private static String text(XmlElement tag, String child) {
        return tag.child(child)
                .orElseThrow(() -> new S3Exception(S3Error.MALFORMED_XML, "<" + child + "> is missing"))
                .text();
    }

    /** Adds a tag that keeps the rules and is not there yet; else InvalidTag. */
    static void add(Map<String, String> tags, String key, String value) {
        if (key.isEmpty() || key.codePointCount(0, key.length()) > MAX_KEY_CHARACTERS || key.startsWith("aws:")) {
            throw new S3Exception(S3Error.INVALID_TAG, "The TagKey you have provided is invalid");
        }
        if (value.codePointCount(0, value.length()) > MAX_VALUE_CHARACTERS) {
            throw new S3Exception(S3Error.INVALID_TAG, "The TagValue you have provided is invalid");
        }
        if (tags.putIfAbsent(key, value) != null) {
            throw new S3Exception(S3Error.INVALID_TAG, "Cannot provide multiple Tags with the same key");
        }
    }

    /** A Tagging document, in the order of the keys, complete but for the end of its root. */
    static XmlWriter write(Map<String, String> tags) {
        XmlWriter xml = XmlWriter.document("Tagging").open("TagSet");
        new TreeMap<>(tags)
                .forEach((key, value) -> xml.open("Tag")
                        .element("Key", key)
                        .element("Value", value)
                        .close("Tag"));
        return xml.close("TagSet");
    }
}
