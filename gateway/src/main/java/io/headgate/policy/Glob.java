package io.headgate.policy;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** A pattern of characters and wildcards: * stands for any characters, also none, ? for one. */
final class Glob {
    private static final int ANY = -1;
    private static final int ONE = -2;
    private static final int ARN_PARTS = 6;

    private final int[] tokens;

    private Glob(int[] tokens) {
        this.tokens = tokens;
    }

    static Glob of(String pattern) {
        return new Builder().add(pattern, true).build();
    }

    /** Collects the parts of a pattern. */
    static final class Builder {
        private int[] tokens = new int[32];
        private int length;

        /** @param wildcards whether * and ? in it are wildcards */
        Builder add(String text, boolean wildcards) {
            tokens = Arrays.copyOf(tokens, Math.max(tokens.length, length + text.length()));
            for (int i = 0; i < text.length(); ) {
                int character = text.codePointAt(i);
                i += Character.charCount(character);
                tokens[length++] = switch (character) {
                    case '*' -> wildcards ? ANY : '*';
                    case '?' -> wildcards ? ONE : '?';
                    default -> character;
                };
            }
            return this;
        }

        Glob build() {
            return new Glob(Arrays.copyOf(tokens, length));
        }
    }

    boolean matches(String text) {
        return matches(text.codePoints().toArray(), false);
    }

    boolean matchesIgnoringCase(String text) {
        return matches(text.codePoints().toArray(), true);
    }

    /** Goes back to the last * only, so the time is at most the product of both lengths. */
    private boolean matches(int[] text, boolean ignoreCase) {
        int at = 0;
        int token = 0;
        int star = -1;
        int afterStar = 0;
        while (at < text.length) {
            if (token < tokens.length && tokens[token] == ANY) {
                star = token++;
                afterStar = at;
            } else if (token < tokens.length && matches(tokens[token], text[at], ignoreCase)) {
                token++;
                at++;
            } else if (star >= 0) {
                token = star + 1;
                at = ++afterStar;
            } else {
                return false;
            }
        }
        while (token < tokens.length && tokens[token] == ANY) {
            token++;
        }
        return token == tokens.length;
    }

    private static boolean matches(int token, int character, boolean ignoreCase) {
        return token == ONE || token == character || (ignoreCase && folded(token) == folded(character));
    }

    private static int folded(int character) {
        return Character.toLowerCase(Character.toUpperCase(character));
    }

    /** Whether each of the six parts of the ARN matches that of the pattern, so that * does not reach beyond a colon of the first five. */
    boolean matchesArn(String arn) {
        if (tokens.length == 1 && tokens[0] == ANY) {
            return true;
        }
        List<Glob> patterns = parts();
        String[] values = arn.split(":", ARN_PARTS);
        if (patterns.size() != ARN_PARTS || values.length != ARN_PARTS) {
            return false;
        }
        for (int i = 0; i < ARN_PARTS; i++) {
            if (!patterns.get(i).matches(values[i])) {
                return false;
            }
        }
        return true;
    }

    private List<Glob> parts() {
        List<Glob> parts = new ArrayList<>();
        int start = 0;
        for (int i = 0; i < tokens.length && parts.size() < ARN_PARTS - 1; i++) {
            if (tokens[i] == ':') {
                parts.add(new Glob(Arrays.copyOfRange(tokens, start, i)));
                start = i + 1;
            }
        }
        parts.add(new Glob(Arrays.copyOfRange(tokens, start, tokens.length)));
        return parts;
    }

    /** The characters; only for a pattern without wildcards. */
    String literal() {
        return new String(tokens, 0, tokens.length);
    }
}
