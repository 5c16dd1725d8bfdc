package io.headgate.s3;

import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The common shapes of S3's responses. */
public final class Responses {
    private static final Field XML_TYPE = new Field("content-type", "application/xml");

    private Responses() {}

    /** No body. */
    public static Response empty(int status, Field... headers) {
        return new Response(status, List.of(headers), new Response.Body.None(status == 204 || status == 304 ? -1 : 0));
    }

    /** 200 with a document. */
    public static Response xml(byte[] document, Field... headers) {
        return xml(200, document, List.of(headers));
    }

    /** 200 with a document in JSON. */
    public static Response json(byte[] document) {
        return new Response(
                200, List.of(new Field("content-type", "application/json")), new Response.Body.Bytes(document));
    }

    /** With a document. */
    public static Response xml(int status, byte[] document, List<Field> headers) {
        List<Field> all = new ArrayList<>(headers.size() + 1);
        all.add(XML_TYPE);
        all.addAll(headers);
        return new Response(status, all, new Response.Body.Bytes(document));
    }

    /**
     * The one place where an error becomes a response: S3's XML, but no body for HEAD and 304.
     *
     * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html">S3: error responses</a>
     */
    public static Response error(S3Exception failure, RequestHead head, String requestId) {
        S3Error error = failure.error();
        List<Field> headers = error.status() == 503 ? List.of(new Field("retry-after", "1")) : List.of();
        if (head.method().equals("HEAD") || error.status() == 304) {
            return new Response(error.status(), headers, new Response.Body.None(-1));
        }
        XmlWriter xml =
                XmlWriter.plain("Error").element("Code", error.code()).element("Message", sentence(failure.answer()));
        for (Map.Entry<String, String> detail : failure.details().entrySet()) {
            xml.element(detail.getKey(), detail.getValue());
        }
        xml.element("Resource", head.rawPath()).element("RequestId", requestId).element("HostId", "headgate");
        return xml(error.status(), xml.end("Error"), headers);
    }

    private static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }
}
