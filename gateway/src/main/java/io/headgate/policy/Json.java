package io.headgate.policy;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A JSON value of a policy. Text, numbers and booleans are all {@link Text}, as policies use them alike; {@code null} is refused. */
sealed interface Json {
    record Members(Map<String, Json> values) implements Json {}

    record Items(List<Json> values) implements Json {}

    /**
     * A text, a number or a boolean.
     *
     * @param quoted whether it stood in quotes
     */
    record Text(String value, boolean quoted) implements Json {}

    /** A policy needs five: document, statements, statement, condition, key, and one for the values. */
    int MAX_DEPTH = 6;

    /**
     * Reads a text strictly.
     *
     * @throws PolicyException if it is not exactly one JSON value, without comments, duplicate members or nulls, nested at most
     *     {@value #MAX_DEPTH} deep
     */
    static Json parse(String text) {
        try (JsonParser parser = Reading.FACTORY.createParser(text)) {
            if (parser.nextToken() == null) {
                throw new PolicyException(Reading.INVALID);
            }
            Json value = Reading.value(parser);
            if (parser.nextToken() != null) {
                throw new PolicyException(Reading.INVALID);
            }
            return value;
        } catch (IOException e) {
            // what Jackson says of the place is kept from the client: it quotes the document
            throw new PolicyException(Reading.INVALID);
        }
    }

    /** How it is read. */
    final class Reading {
        private static final String INVALID = "Policies must be valid JSON and the first byte must be '{'";
        private static final JsonFactory FACTORY = JsonFactory.builder()
                .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                // names come from clients: kept for nobody but the document that they stand in
                .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                .streamReadConstraints(StreamReadConstraints.builder()
                        .maxNestingDepth(MAX_DEPTH)
                        .build())
                .build();

        private Reading() {}

        private static Json value(JsonParser parser) throws IOException {
            JsonToken token = parser.currentToken();
            if (token == JsonToken.START_OBJECT) {
                return members(parser);
            }
            if (token == JsonToken.START_ARRAY) {
                return items(parser);
            }
            if (token == JsonToken.VALUE_NULL || !token.isScalarValue()) {
                throw new PolicyException("Syntax errors in policy.");
            }
            return new Text(parser.getText(), token == JsonToken.VALUE_STRING);
        }

        private static Members members(JsonParser parser) throws IOException {
            Map<String, Json> values = new LinkedHashMap<>();
            while (parser.nextToken() != JsonToken.END_OBJECT) {
                String name = parser.currentName();
                parser.nextToken();
                values.put(name, value(parser));
            }
            return new Members(values);
        }

        private static Items items(JsonParser parser) throws IOException {
            List<Json> values = new ArrayList<>();
            while (parser.nextToken() != JsonToken.END_ARRAY) {
                values.add(value(parser));
            }
            return new Items(values);
        }
    }
}
