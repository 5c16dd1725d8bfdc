package io.headgate.s3.op;

import io.headgate.s3.CopySource;
import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;

/** What the copy operations check of their source. */
final class CopySources {
    private CopySources() {}

    /** Without versioning every object has the one version "null". */
    static void refuseVersion(CopySource source) {
        if (source.versionId().isPresent() && !source.versionId().get().equals("null")) {
            throw new S3Exception(S3Error.NO_SUCH_VERSION);
        }
    }
}
