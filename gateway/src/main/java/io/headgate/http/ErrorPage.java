package io.headgate.http;

import java.nio.charset.StandardCharsets;
import java.util.List;

/** The errors that the server itself answers, in S3's form. */
record ErrorPage(int status, String code, String message) {
    static final ErrorPage INTERNAL_ERROR =
            new ErrorPage(500, "InternalError", "We encountered an internal error. Please try again.");
    static final ErrorPage INVALID_URI = new ErrorPage(400, "InvalidURI", "Couldn't parse the specified URI.");
    static final ErrorPage TARGET_TOO_LONG = new ErrorPage(414, "InvalidURI", "The request target is too long.");
    static final ErrorPage HEAD_TOO_LARGE = new ErrorPage(
            431,
            "RequestHeaderSectionTooLarge",
            "The request head exceeds the maximum allowed size or number of fields.");
    static final ErrorPage HEAD_TOO_SLOW =
            new ErrorPage(408, "RequestTimeout", "The request head was not complete within the timeout period.");

    private static final List<RequestHead.Field> XML =
            List.of(new RequestHead.Field("content-type", "application/xml"));

    /** The page for a status that the HTTP library chose. */
    static ErrorPage of(int status) {
        return switch (status) {
            case 408 -> HEAD_TOO_SLOW;
            case 413 -> new ErrorPage(status, "EntityTooLarge", "The request is too large.");
            case 414 -> TARGET_TOO_LONG;
            case 426 -> new ErrorPage(status, "UpgradeRequired", "The protocol is not supported here.");
            case 431 -> HEAD_TOO_LARGE;
            case 501 ->
                new ErrorPage(status, "NotImplemented", "The request uses a part of HTTP that is not implemented.");
            case 503 -> new ErrorPage(status, "ServiceUnavailable", "The server is stopping. Please try again.");
            case 505 ->
                new ErrorPage(
                        status, "HTTPVersionNotSupported", "The protocol version of the request is not supported.");
            default ->
                status >= 400 && status < 500
                        ? new ErrorPage(status, "BadRequest", "The request is not valid HTTP.")
                        : INTERNAL_ERROR;
        };
    }

    Response response(String requestId) {
        return new Response(status, XML, new Response.Body.Bytes(xml(requestId)));
    }

    byte[] xml(String requestId) {
        return ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Error><Code>" + code + "</Code><Message>" + message
                        + "</Message><RequestId>" + requestId + "</RequestId></Error>")
                .getBytes(StandardCharsets.UTF_8);
    }
}
