package io.headgate.blob.s3;

import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BlobStoreException.Kind;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Set;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;

/** What the SDK's exceptions mean for an account. */
final class S3Faults {
    /** Errors by which services ask for fewer requests. */
    private static final Set<String> THROTTLING_CODES = Set.of(
            "SlowDown",
            "SlowDownRead",
            "SlowDownWrite",
            "Throttling",
            "ThrottlingException",
            "RequestLimitExceeded",
            "RequestThrottled",
            "TooManyRequests",
            "TooManyRequestsException",
            "BandwidthLimitExceeded");

    private S3Faults() {}

    /** @param host of the service */
    static BlobStoreException of(String account, String host, String doing, SdkException failure) {
        return new BlobStoreException(
                kind(failure), "account " + account + " failed to " + doing + ": " + reason(host, failure), failure);
    }

    /**
     * Whether the request may have better luck at once. Throttled ones are not sent again here, as another account may take them; nor
     * are those that took too long, as nobody would wait as long again.
     */
    static boolean isTransient(Throwable failure) {
        return switch (failure) {
            case AwsServiceException refused -> refused.statusCode() >= 500 && kind(refused) == Kind.ACCOUNT_FAULT;
            case SdkClientException unanswered -> isBrokenConnection(unanswered);
            default -> false;
        };
    }

    /** Refused, reset, or closed by the service while it was idle; no time-out. */
    private static boolean isBrokenConnection(SdkClientException unanswered) {
        for (Throwable cause = unanswered.getCause(); cause != null; cause = cause.getCause()) {
            if (cause instanceof InterruptedIOException) {
                return false;
            }
            if (cause instanceof IOException) {
                return true;
            }
        }
        return false;
    }

    static boolean isNotFound(SdkException failure) {
        return failure instanceof AwsServiceException refused && refused.statusCode() == 404;
    }

    /** Whether the service does not have the operation at all. */
    static boolean isNotImplemented(SdkException failure) {
        return failure instanceof AwsServiceException refused && refused.statusCode() == 501;
    }

    private static Kind kind(SdkException failure) {
        if (!(failure instanceof AwsServiceException refused)) {
            return Kind.ACCOUNT_FAULT;
        }
        String code = code(refused);
        if (refused.statusCode() == 429 || THROTTLING_CODES.contains(code) || isBareThrottling(refused, code)) {
            return Kind.THROTTLED;
        }
        boolean missing = refused.statusCode() == 404 && !code.equals("NoSuchBucket");
        return missing || refused.statusCode() == 416 ? Kind.MISSING : Kind.ACCOUNT_FAULT;
    }

    /** A proxy that limits rates answers 503 with the advice when to come back, but without S3's document. */
    private static boolean isBareThrottling(AwsServiceException refused, String code) {
        return refused.statusCode() == 503
                && code.isEmpty()
                && refused.awsErrorDetails() != null
                && refused.awsErrorDetails().sdkHttpResponse() != null
                && refused.awsErrorDetails()
                        .sdkHttpResponse()
                        .firstMatchingHeader("Retry-After")
                        .isPresent();
    }

    private static String code(AwsServiceException refused) {
        String code = refused.awsErrorDetails() == null
                ? null
                : refused.awsErrorDetails().errorCode();
        return code == null ? "" : code;
    }

    private static String hint(AwsServiceException refused) {
        return switch (code(refused)) {
            case "NoSuchBucket" -> " (there is no such bucket)";
            case "RequestTimeTooSkewed" -> " (the clocks differ too much)";
            case "AccessDenied" -> " (the credentials do not allow it)";
            default ->
                refused.statusCode() == 401 || refused.statusCode() == 403 ? " (the credentials are not accepted)" : "";
        };
    }

    private static String reason(String host, SdkException failure) {
        if (failure instanceof AwsServiceException refused) {
            String id = refused.requestId() == null ? "" : ", request " + refused.requestId();
            return "status " + refused.statusCode() + " " + code(refused) + hint(refused) + id;
        }
        Throwable root = failure;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String why = root == failure ? String.valueOf(failure.getMessage()) : failure.getMessage() + " (" + root + ")";
        return why + "; the service is " + host;
    }
}
