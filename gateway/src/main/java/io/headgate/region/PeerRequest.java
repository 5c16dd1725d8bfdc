package io.headgate.region;

import io.headgate.http.RequestHead.Field;
import io.headgate.s3.auth.RelayedBody;
import java.util.List;
import java.util.Optional;

/**
 * A request to another region on behalf of a user.
 *
 * @param target the raw request target, sent as it is
 * @param fields of a client's head all that are not about its connection; those that a client may not send are left out by themselves
 * @param userId known to be the one who asks
 * @param clientAddress from where the client asks
 * @param requestId the id that the other region uses too
 * @param body read only when the other region asks for it
 */
public record PeerRequest(
        String method,
        String target,
        List<Field> fields,
        String userId,
        String clientAddress,
        String requestId,
        Optional<RelayedBody> body) {
    /** What gateways alone may ask of each other: that a read answers the tags too. */
    public static final String WITH_TAGS = "x-headgate-with-tags";

    public PeerRequest {
        fields = List.copyOf(fields);
    }
}
