package io.headgate.s3.auth;

import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.util.Map;

/** Where a request's signature stands; malformed ones have different errors. */
enum Carrier {
    /** In the Authorization header. */
    HEADER(S3Error.AUTHORIZATION_HEADER_MALFORMED, "The authorization header is malformed; "),
    /** In the query: a presigned URL. */
    QUERY(S3Error.AUTHORIZATION_QUERY_PARAMETERS_ERROR, "Error parsing the X-Amz-Credential parameter; "),
    /** In the fields of a browser's form. */
    FORM(S3Error.INVALID_ARGUMENT, "Error parsing the X-Amz-Credential field; ");

    private final S3Error error;
    private final String credentialError;

    Carrier(S3Error error, String credentialError) {
        this.error = error;
        this.credentialError = credentialError;
    }

    /** An error about the signature as a whole. */
    S3Exception malformed(String message) {
        return new S3Exception(error, message);
    }

    /** An error about the credential and its scope. */
    S3Exception badCredential(String reason, Map<String, String> details) {
        return new S3Exception(error, credentialError + reason, details);
    }
}
