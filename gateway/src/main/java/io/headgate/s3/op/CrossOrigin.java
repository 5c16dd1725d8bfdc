package io.headgate.s3.op;

import io.headgate.cors.CorsConfiguration;
import io.headgate.cors.CorsGrant;
import io.headgate.http.RequestHead;
import io.headgate.http.RequestHead.Field;
import io.headgate.http.Response;
import io.headgate.s3.Responses;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a browser is told of requests that pages of other origins make: before them, if it asks, and with their answers, errors included.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/RESTOPTIONSobject.html">S3: OPTIONS object</a>
 */
final class CrossOrigin {
    private static final String ORIGIN = "origin";
    private static final String METHOD = "access-control-request-method";
    private static final String HEADERS = "access-control-request-headers";
    private static final Set<String> METHODS = Set.of("GET", "PUT", "HEAD", "POST", "DELETE");
    private static final int MAX_HEADERS = 100;

    private CrossOrigin() {}

    /**
     * Answers a browser that asks before a request. It is not signed.
     *
     * @param rules of the bucket, if it has any
     * @param resource BUCKET or OBJECT
     * @throws S3Exception BadRequest if it does not say what it asks, AccessForbidden if that is not allowed
     */
    static Response preflight(Optional<CorsConfiguration> rules, RequestHead head, String resource) {
        asked(head);
        if (rules.isEmpty()) {
            throw forbidden(head, resource, "CORSResponse: CORS is not enabled for this bucket");
        }
        CorsGrant grant = grant(rules.get(), head)
                .orElseThrow(() -> forbidden(
                        head,
                        resource,
                        "CORSResponse: This CORS request is not allowed. This is usually because the evalution of Origin, request"
                                + " method / Access-Control-Request-Method or Access-Control-Request-Headers are not whitelisted by"
                                + " the resource's CORS spec"));
        return Responses.empty(200, fields(grant));
    }

    /** Refuses what does not say what it asks; can be done before the bucket is looked up. */
    static void asked(RequestHead head) {
        String origin = head.header(ORIGIN);
        if (origin == null || origin.isEmpty()) {
            throw new S3Exception(S3Error.BAD_REQUEST, "Insufficient information. Origin request header needed");
        }
        String method = head.header(METHOD);
        if (method == null || !METHODS.contains(method)) {
            throw new S3Exception(S3Error.BAD_REQUEST, "Invalid Access-Control-Request-Method: " + method);
        }
    }

    private static S3Exception forbidden(RequestHead head, String resource, String message) {
        return new S3Exception(
                S3Error.ACCESS_FORBIDDEN,
                message,
                Map.of("Method", String.valueOf(head.header(METHOD)), "ResourceType", resource));
    }

    /** The answer with what the rules say of its request; unchanged if that comes from no page, or from one that no rule allows. */
    static Response with(Response answer, CorsConfiguration rules, RequestHead head) {
        return grant(rules, head).map(grant -> answer.with(fields(grant))).orElse(answer);
    }

    private static Optional<CorsGrant> grant(CorsConfiguration rules, RequestHead head) {
        String origin = head.header(ORIGIN);
        if (origin == null) {
            return Optional.empty();
        }
        String asked = head.header(METHOD);
        return rules.match(origin, asked == null ? head.method() : asked, names(head.header(HEADERS)));
    }

    private static List<String> names(@Nullable String list) {
        List<String> names = new ArrayList<>();
        for (String name : (list == null ? "" : list).split(",", MAX_HEADERS)) {
            if (!name.isBlank()) {
                names.add(name.strip());
            }
        }
        return names;
    }

    private static Field[] fields(CorsGrant grant) {
        return grant.headers().entrySet().stream()
                .map(header -> new Field(header.getKey(), header.getValue()))
                .toArray(Field[]::new);
    }
}
