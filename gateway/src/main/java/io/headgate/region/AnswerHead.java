package io.headgate.region;

import io.headgate.http.RequestHead.Field;
import java.util.List;

/**
 * The head of an answer as received.
 *
 * @param persistent whether the connection can serve another request after the body
 */
record AnswerHead(int status, List<Field> fields, boolean persistent) {
    boolean isInterim() {
        return status < 200;
    }

    /** Whether a body follows, which is not so after HEAD whatever the head says. */
    boolean hasBody(String method) {
        return !method.equals("HEAD") && status >= 200 && status != 204 && status != 304;
    }
}
