package io.headgate.namespace;

import java.util.List;

/** A page of parts in the order of their numbers. For an upload in progress {@code upload} is that upload. */
public record PartsPage(Upload upload, List<Part> parts, boolean truncated) {}
