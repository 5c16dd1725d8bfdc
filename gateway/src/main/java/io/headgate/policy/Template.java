package io.headgate.policy;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A text of a policy that values are compared with: it may have wildcards and variables such as {@code ${aws:username}}, which stand for a
 * value of the request, taken literally. {@code ${*}}, {@code ${?}} and {@code ${$}} stand for these characters.
 */
final class Template {
    private sealed interface Piece {
        /** @param wildcards whether * and ? in it are wildcards */
        record Text(String value, boolean wildcards) implements Piece {}

        /** @param fallback what it stands for if the request has no value */
        record Variable(String key, Optional<String> fallback) implements Piece {}
    }

    /** More would let a small policy grow to megabytes by a long value of a request. */
    private static final int MAX_VARIABLES = 16;

    private final String source;
    private final List<Piece> pieces;

    private Template(String source, List<Piece> pieces) {
        this.source = source;
        this.pieces = pieces;
    }

    /**
     * @param wildcards whether * and ? are wildcards
     * @param variables whether it may have variables; documents of the version 2008-10-17 may not
     * @throws PolicyException if a variable does not end or has no name, or there are more than {@value #MAX_VARIABLES}
     */
    static Template parse(String text, boolean wildcards, boolean variables) {
        List<Piece> pieces = new ArrayList<>();
        int at = 0;
        while (variables) {
            int start = text.indexOf("${", at);
            if (start < 0) {
                break;
            }
            int end = text.indexOf('}', start);
            if (end <= start + 2) {
                throw new PolicyException("Invalid policy variable in " + text);
            }
            pieces.add(new Piece.Text(text.substring(at, start), wildcards));
            pieces.add(variable(text.substring(start + 2, end), text));
            at = end + 1;
            if (pieces.size() > 2 * MAX_VARIABLES) {
                throw new PolicyException("Too many policy variables in " + text);
            }
        }
        pieces.add(new Piece.Text(text.substring(at), wildcards));
        return new Template(text, List.copyOf(pieces));
    }

    private static Piece variable(String content, String text) {
        if (content.equals("*") || content.equals("?") || content.equals("$")) {
            return new Piece.Text(content, false);
        }
        int comma = content.indexOf(',');
        String key = (comma < 0 ? content : content.substring(0, comma)).strip();
        String fallback = comma < 0 ? "" : content.substring(comma + 1).strip();
        boolean quoted = fallback.length() >= 2 && fallback.startsWith("'") && fallback.endsWith("'");
        if (key.isEmpty() || (comma >= 0 && !quoted)) {
            throw new PolicyException("Invalid policy variable in " + text);
        }
        return new Piece.Variable(
                RequestContext.normalized(key),
                comma < 0 ? Optional.empty() : Optional.of(fallback.substring(1, fallback.length() - 1)));
    }

    /** As it stands in the document. */
    String source() {
        return source;
    }

    boolean hasVariables() {
        return pieces.stream().anyMatch(Piece.Variable.class::isInstance);
    }

    /** What it stands for in this request; empty if a variable has no value there, or several. */
    Optional<Glob> expand(RequestContext context) {
        Glob.Builder glob = new Glob.Builder();
        for (Piece piece : pieces) {
            switch (piece) {
                case Piece.Text(String value, boolean wildcards) -> glob.add(value, wildcards);
                case Piece.Variable(String key, Optional<String> fallback) -> {
                    List<String> values = context.values(key);
                    if (values.size() == 1) {
                        glob.add(values.getFirst(), false);
                    } else if (values.isEmpty() && fallback.isPresent()) {
                        glob.add(fallback.get(), false);
                    } else {
                        return Optional.empty();
                    }
                }
            }
        }
        return Optional.of(glob.build());
    }
}
