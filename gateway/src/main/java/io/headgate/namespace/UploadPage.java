package io.headgate.namespace;

import java.util.List;

/** A page of uploads in progress. {@code lastUploadId} is empty when the last entry is a common prefix. */
public record UploadPage(
        List<Upload> uploads, List<String> commonPrefixes, boolean truncated, String lastKey, String lastUploadId) {}
