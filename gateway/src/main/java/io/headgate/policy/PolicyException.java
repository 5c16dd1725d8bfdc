package io.headgate.policy;

/** A document is no valid policy; the message tells its author why, as S3's MalformedPolicy does. */
public final class PolicyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private static final int MAX_LENGTH = 200;

    /** @param message what it quotes of the document may be of any length, and have characters that no answer may have */
    PolicyException(String message) {
        super(printable(message));
    }

    private static String printable(String message) {
        StringBuilder text = new StringBuilder();
        message.codePoints()
                .limit(MAX_LENGTH)
                .map(character -> Character.isDefined(character)
                                && !Character.isISOControl(character)
                                && Character.getType(character) != Character.SURROGATE
                        ? character
                        : '?')
                .forEach(text::appendCodePoint);
        return text.toString();
    }
}
