package io.headgate.namespace;

import io.headgate.domain.ObjectKey;

/** Deletes the current version of a key, if the condition holds. Deleting what is not there is done, not refused. */
public record DeleteObject(ObjectKey key, WriteCondition condition) {}
