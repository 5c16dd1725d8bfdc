package io.headgate.policy;

/**
 * What an object, or an upload in progress, says about access to it.
 *
 * @param owner the id of the account that owns it; of an upload, that began it
 */
public record ObjectAccess(String owner, AccessControlList acl) {}
