package io.headgate.s3.auth;

import io.headgate.http.RequestHead;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.security.MessageDigest;
import java.util.List;
import java.util.Map;

/** A request in the form in which it is signed, but for its path, of which there can be several forms. */
final class CanonicalRequest {
    /** Set by a content delivery network in front of us, after the client has signed; we act on nothing that it says. */
    private static final String SET_BY_CDN = "x-amz-cf-id";
    /** Of the headers that Headgate itself gives a meaning. */
    static final String OWN_PREFIX = "x-headgate-";

    private final CanonicalText beforePath = new CanonicalText(8);
    private final CanonicalText afterPath = new CanonicalText(1024);

    private final boolean collapse;
    private boolean collapsible;

    /**
     * @param collapse whether white space inside of headers becomes one space
     * @throws S3Exception AccessDenied if a header that could change the request's meaning is not signed
     */
    CanonicalRequest(RequestHead head, RequestSignature claim, boolean collapse) {
        this.collapse = collapse;
        beforePath.append(head.method());
        beforePath.append('\n');
        afterPath.append('\n');
        CanonicalQuery.append(head.rawQuery(), afterPath);
        afterPath.append('\n');
        List<String> names = claim.signedHeaders();
        int amzSigned = 0;
        for (int i = 0; i < names.size(); i++) {
            int values = appendHeader(head.fields(), names.get(i));
            amzSigned += mustBeSigned(names.get(i)) ? values : 0;
        }
        if (amzSigned < countAmz(head.fields())) {
            throw notSigned(head.fields(), names);
        }
        afterPath.append('\n');
        for (int i = 0; i < names.size(); i++) {
            if (i > 0) {
                afterPath.append(';');
            }
            afterPath.append(names.get(i));
        }
        afterPath.append('\n');
        afterPath.append(claim.payloadHash());
    }

    /** Appends a header's values, joined; one that is not there as an empty one. Returns how many values there are. */
    private int appendHeader(List<RequestHead.Field> fields, String name) {
        afterPath.append(name);
        afterPath.append(':');
        int values = 0;
        for (int i = 0; i < fields.size(); i++) {
            RequestHead.Field field = fields.get(i);
            if (field.name().equals(name)) {
                if (values++ > 0) {
                    afterPath.append(',');
                }
                collapsible |= afterPath.appendTrimmed(field.value(), collapse);
            }
        }
        afterPath.append('\n');
        return values;
    }

    /** Whether a signed header holds white space that can be collapsed. */
    boolean isCollapsible() {
        return collapsible;
    }

    /** Whether a header of that name could change what the request means. */
    static boolean mustBeSigned(String name) {
        return name.startsWith("x-amz-") ? !name.equals(SET_BY_CDN) : name.startsWith(OWN_PREFIX);
    }

    private static int countAmz(List<RequestHead.Field> fields) {
        int count = 0;
        for (int i = 0; i < fields.size(); i++) {
            if (mustBeSigned(fields.get(i).name())) {
                count++;
            }
        }
        return count;
    }

    private static S3Exception notSigned(List<RequestHead.Field> fields, List<String> signed) {
        List<String> names = fields.stream()
                .map(RequestHead.Field::name)
                .filter(name -> mustBeSigned(name) && !signed.contains(name))
                .distinct()
                .toList();
        return new S3Exception(
                S3Error.ACCESS_DENIED,
                "There were headers present in the request which were not signed",
                Map.of("HeadersNotSigned", String.join(", ", names)));
    }

    byte[] sha256(CanonicalText path) {
        MessageDigest digest = SigningKey.sha256();
        digest.update(beforePath.bytes(), 0, beforePath.length());
        digest.update(path.bytes(), 0, path.length());
        digest.update(afterPath.bytes(), 0, afterPath.length());
        return digest.digest();
    }

    String text(CanonicalText path) {
        return beforePath.toString() + path + afterPath;
    }
}
