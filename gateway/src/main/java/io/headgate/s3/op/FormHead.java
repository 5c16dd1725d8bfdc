package io.headgate.s3.op;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.s3.PercentCoding;
import io.headgate.s3.S3Exception;
import io.headgate.s3.XmlElement;
import io.headgate.s3.form.Form;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** A form's fields as the headers of a PutObject that says the same. */
final class FormHead {
    private static final Set<String> HEADERS = Set.of(
            "cache-control",
            "content-disposition",
            "content-encoding",
            "content-language",
            "content-md5",
            "content-type",
            "expires");

    /** About the form's signature, not about the object. */
    private static final Set<String> SIGNING =
            Set.of("x-amz-algorithm", "x-amz-credential", "x-amz-date", "x-amz-signature");

    private FormHead() {}

    static RequestHead of(Form form, RequestHead request) {
        List<Field> headers = new ArrayList<>();
        form.fields().forEach((name, value) -> {
            if (name.equals("acl")) {
                headers.add(header("x-amz-acl", value));
            } else if (name.equals("tagging")) {
                headers.add(new Field("x-amz-tagging", tagging(value)));
            } else if (HEADERS.contains(name) || (name.startsWith("x-amz-") && !SIGNING.contains(name))) {
                headers.add(header(name, value));
            }
        });
        return new RequestHead("PUT", request.target(), headers, request.remoteAddress());
    }

    /** What no header could hold must not become one when the object is read. */
    private static Field header(String name, String value) {
        boolean plainName = name.chars().allMatch(c -> "abcdefghijklmnopqrstuvwxyz0123456789-_.".indexOf(c) >= 0);
        boolean plainValue = value.chars().allMatch(c -> c == '\t' || (c >= ' ' && c != 0x7F));
        if (!plainName || !plainValue) {
            throw S3Exception.invalidArgument(name, "", "The field has a character that no header may have");
        }
        // With a character for each byte, as headers arrive.
        return new Field(name, new String(value.strip().getBytes(UTF_8), ISO_8859_1));
    }

    private static String tagging(String document) {
        Map<String, String> tags = Tags.read(XmlElement.parse(document.getBytes(UTF_8), "Tagging"));
        return tags.entrySet().stream()
                .map(tag -> PercentCoding.encodeForListing(tag.getKey())
                        + '='
                        + PercentCoding.encodeForListing(tag.getValue()))
                .collect(Collectors.joining("&"));
    }
}
