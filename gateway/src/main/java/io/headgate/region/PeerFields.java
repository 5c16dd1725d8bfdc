package io.headgate.region;

import io.headgate.http.RequestHead.Field;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The fields that gateways put on what they send each other. */
final class PeerFields {
    /** What no client may send, and no client is shown. */
    static final String PREFIX = "x-headgate-peer-";

    static final String FROM = PREFIX + "from";
    static final String TO = PREFIX + "to";
    static final String USER = PREFIX + "user";
    static final String CLIENT = PREFIX + "client";
    static final String REQUEST_ID = PREFIX + "request-id";
    static final String TIME = PREFIX + "time";
    static final String NONCE = PREFIX + "nonce";
    static final String BODY = PREFIX + "body";
    static final String SIGNATURE = PREFIX + "signature";

    static final String LENGTH = PREFIX + "length";
    static final String MISDIRECTED = PREFIX + "misdirected";
    static final String ANSWER = PREFIX + "answer";

    /** In the value of {@link #BODY} behind the length, if the client sends a trailer. */
    static final String WITH_TRAILER = " trailer";

    /** About one connection, or its framing. */
    private static final Set<String> OF_THE_CONNECTION =
            Set.of("connection", "keep-alive", "transfer-encoding", "te", "upgrade", "expect", "content-length");

    /** Which every server adds by itself. */
    private static final Set<String> OF_THE_SERVER = Set.of("date", "server", "x-amz-request-id");

    private PeerFields() {}

    /** Whether a field of a request goes on to the other gateway, and is covered by its signature. */
    static boolean isOfRequest(Field field) {
        return !OF_THE_CONNECTION.contains(field.name())
                && !field.name().startsWith("proxy-")
                && !field.name().equals(SIGNATURE);
    }

    /** Whether a field of an answer goes back to the client, and is covered by its signature. */
    static boolean isOfAnswer(Field field) {
        return !OF_THE_CONNECTION.contains(field.name())
                && !OF_THE_SERVER.contains(field.name())
                && !field.name().startsWith("proxy-")
                && !field.name().equals(ANSWER);
    }

    static boolean isOfPeers(Field field) {
        return field.name().startsWith(PREFIX);
    }

    /** The value of the only field of that name; null if there is none, or several. */
    static @Nullable String only(List<Field> fields, String name) {
        String value = null;
        for (Field field : fields) {
            if (field.name().equals(name)) {
                if (value != null) {
                    return null;
                }
                value = field.value();
            }
        }
        return value;
    }
}
