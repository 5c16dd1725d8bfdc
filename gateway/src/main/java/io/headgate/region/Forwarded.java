package io.headgate.region;

import io.headgate.s3.auth.Payload;

/**
 * Whom a forwarded request comes from.
 *
 * @param fromRegion the region where it arrived and was authenticated
 * @param userId who sent it
 * @param requestId its id there, which the client is told
 * @param payload how its body is framed now; to be used in place of what its head says
 */
public record Forwarded(String fromRegion, String userId, String requestId, Payload payload) {}
