package io.headgate.s3.op;

import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;

/** Continuation tokens: opaque to clients, and the last entry of the page before to us, so that they need no memory of ours. */
final class ListTokens {
    private static final char MARK = '1';

    private ListTokens() {}

    static String encode(String last) {
        return MARK + Base64.getUrlEncoder().withoutPadding().encodeToString(last.getBytes(StandardCharsets.UTF_8));
    }

    /**
     * The entry that a token stands for; empty for an empty token.
     *
     * @param argument the parameter's name, for the error
     * @throws S3Exception InvalidArgument if the token is none of ours
     */
    static String decode(String argument, String token) {
        if (token.isEmpty()) {
            return "";
        }
        try {
            if (token.charAt(0) == MARK) {
                byte[] bytes = Base64.getUrlDecoder().decode(token.substring(1));
                return StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(bytes))
                        .toString();
            }
        } catch (IllegalArgumentException | CharacterCodingException notOurs) {
            // answered below, like a token without our mark
        }
        throw new S3Exception(
                S3Error.INVALID_ARGUMENT,
                "The continuation token provided is incorrect",
                Map.of("ArgumentName", argument));
    }
}
