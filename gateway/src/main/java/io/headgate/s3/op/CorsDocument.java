package io.headgate.s3.op;

import io.headgate.cors.CorsConfiguration;
import io.headgate.cors.CorsRule;
import io.headgate.s3.Decimal;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import io.headgate.s3.XmlElement;
import io.headgate.s3.XmlWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * A bucket's rules for pages of other origins, as a document.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/API_PutBucketCors.html">S3: PutBucketCors</a>
 */
final class CorsDocument {
    static final String ROOT = "CORSConfiguration";

    private static final int MAX_RULES = 100;
    private static final int MAX_ID_CHARACTERS = 255;
    private static final Set<String> METHODS = Set.of("GET", "PUT", "HEAD", "POST", "DELETE");

    private CorsDocument() {}

    /** @throws S3Exception MalformedXML, InvalidRequest */
    static CorsConfiguration read(XmlElement document) {
        List<CorsRule> rules = new ArrayList<>();
        for (XmlElement rule : document.children()) {
            if (!rule.name().equals("CORSRule") || rules.size() == MAX_RULES) {
                throw new S3Exception(S3Error.MALFORMED_XML);
            }
            rules.add(rule(rule));
        }
        if (rules.isEmpty()) {
            throw new S3Exception(S3Error.MALFORMED_XML);
        }
        return new CorsConfiguration(rules);
    }

    private static CorsRule rule(XmlElement rule) {
        List<String> origins = texts(rule, "AllowedOrigin");
        List<String> methods = texts(rule, "AllowedMethod");
        List<String> headers = texts(rule, "AllowedHeader");
        List<String> exposed = texts(rule, "ExposeHeader");
        Optional<String> id = rule.childText("ID");
        if (origins.isEmpty()
                || methods.isEmpty()
                || id.filter(text -> text.length() > MAX_ID_CHARACTERS).isPresent()) {
            throw new S3Exception(S3Error.MALFORMED_XML);
        }
        for (String method : methods) {
            if (!METHODS.contains(method)) {
                throw invalid("Found unsupported HTTP method in CORS config. Unsupported method is " + method);
            }
        }
        atMostOneStar("AllowedOrigin", origins);
        atMostOneStar("AllowedHeader", headers);
        for (String header : exposed) {
            if (header.indexOf('*') >= 0) {
                throw invalid("ExposeHeader \"" + header
                        + "\" contains wildcard. We currently do not support wildcard for ExposeHeader");
            }
        }
        return new CorsRule(id, origins, methods, headers, exposed, maxAge(rule));
    }

    /** What is told to browsers in a header must be fit for one. */
    private static List<String> texts(XmlElement rule, String name) {
        List<String> texts = rule.children().stream()
                .filter(child -> child.name().equals(name))
                .map(child -> child.text().strip())
                .toList();
        if (texts.stream().anyMatch(text -> text.isEmpty() || text.chars().anyMatch(c -> c <= ' ' || c >= 0x7F))) {
            throw invalid("The value of " + name + " is invalid");
        }
        return texts;
    }

    private static void atMostOneStar(String name, List<String> patterns) {
        for (String pattern : patterns) {
            if (pattern.indexOf('*') != pattern.lastIndexOf('*')) {
                throw invalid(name + " \"" + pattern + "\" can not have more than one wildcard");
            }
        }
    }

    private static OptionalInt maxAge(XmlElement rule) {
        Optional<String> text = rule.childText("MaxAgeSeconds");
        if (text.isEmpty()) {
            return OptionalInt.empty();
        }
        try {
            long seconds = Decimal.parse(text.get());
            if (seconds >= 0 && seconds <= Integer.MAX_VALUE) {
                return OptionalInt.of((int) seconds);
            }
        } catch (NumberFormatException notANumber) {
            throw new S3Exception(S3Error.MALFORMED_XML);
        }
        throw new S3Exception(S3Error.MALFORMED_XML);
    }

    private static S3Exception invalid(String message) {
        return new S3Exception(S3Error.INVALID_REQUEST, message);
    }

    /** The document, complete but for the end of its root. */
    static XmlWriter write(CorsConfiguration configuration) {
        XmlWriter xml = XmlWriter.document(ROOT);
        for (CorsRule rule : configuration.rules()) {
            xml.open("CORSRule");
            rule.id().ifPresent(id -> xml.element("ID", id));
            rule.methods().forEach(method -> xml.element("AllowedMethod", method));
            rule.origins().forEach(origin -> xml.element("AllowedOrigin", origin));
            rule.headers().forEach(header -> xml.element("AllowedHeader", header));
            rule.maxAgeSeconds().ifPresent(seconds -> xml.element("MaxAgeSeconds", seconds));
            rule.exposeHeaders().forEach(header -> xml.element("ExposeHeader", header));
            xml.close("CORSRule");
        }
        return xml;
    }
}
