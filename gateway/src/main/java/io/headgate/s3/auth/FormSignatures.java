package io.headgate.s3.auth;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;

/**
 * Verifies the signatures of browsers' forms, which stand in their fields and cover the form's policy, as it is sent: Version 4, and
 * Version 2, which many a page still makes and S3 takes. Thread-safe.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-authentication-HTTPPOST.html">S3: authenticating requests that
 *     use POST</a>
 */
final class FormSignatures {
    private static final Duration MAX_SKEW = Duration.ofMinutes(15);

    /** For so long a key is good that is derived for a day. */
    private static final Duration MAX_AGE = Duration.ofDays(7);

    private static final String POLICY = "policy";
    private static final String V2_ACCESS_KEY = "awsaccesskeyid";
    private static final String V2_SIGNATURE = "signature";
    private static final String ALGORITHM = "x-amz-algorithm";
    private static final String CREDENTIAL = "x-amz-credential";
    private static final String DATE = "x-amz-date";
    private static final String SIGNATURE = "x-amz-signature";
    private static final String TOKEN = "x-amz-security-token";

    private final String region;
    private final Map<String, SigningKeys> signingKeys;
    private final CredentialSource credentials;

    /**
     * @param region that a client is told of which signs for none of the regions
     * @param signingKeys by the regions that signatures may name
     */
    FormSignatures(String region, Map<String, SigningKeys> signingKeys, CredentialSource credentials) {
        this.region = region;
        this.signingKeys = signingKeys;
        this.credentials = credentials;
    }

    Authentication authenticate(Map<String, String> fields, Instant now) {
        boolean version4 =
                fields.containsKey(ALGORITHM) || fields.containsKey(CREDENTIAL) || fields.containsKey(SIGNATURE);
        boolean version2 = fields.containsKey(V2_ACCESS_KEY) || fields.containsKey(V2_SIGNATURE);
        if (!version4 && !version2 && !fields.containsKey(POLICY)) {
            return new Authentication.Anonymous(new Payload.Unsigned());
        }
        if (version4 && version2) {
            throw S3Exception.invalidArgument(
                    "Signature", "", "Only one auth mechanism allowed; the form has fields of two");
        }
        if (fields.containsKey(TOKEN)) {
            throw SigV4.tokensNotSupported();
        }
        return new Authentication.Verified(version4 ? version4(fields, now) : version2(fields), new Payload.Unsigned());
    }

    private Credential version4(Map<String, String> fields, Instant now) {
        String policy = required(fields, POLICY, "Policy");
        if (!required(fields, ALGORITHM, "X-Amz-Algorithm").equals(RequestSignature.ALGORITHM)) {
            throw Carrier.FORM.malformed("X-Amz-Algorithm only supports \"" + RequestSignature.ALGORITHM + "\"");
        }
        CredentialScope scope = CredentialScope.parse(required(fields, CREDENTIAL, "X-Amz-Credential"), Carrier.FORM);
        Timestamp signedAt = Timestamp.parse(required(fields, DATE, "X-Amz-Date"));
        if (signedAt == null) {
            throw Carrier.FORM.malformed("X-Amz-Date must be in the ISO8601 Long Format \"yyyyMMdd'T'HHmmss'Z'\"");
        }
        SigningKeys keys = signingKeys.get(scope.region());
        scope.check(Carrier.FORM, keys == null ? region : scope.region(), signedAt.date());
        if (signedAt.instant().isAfter(now.plus(MAX_SKEW))) {
            throw new S3Exception(S3Error.ACCESS_DENIED, "Request is not valid yet");
        }
        if (signedAt.instant().isBefore(now.minus(MAX_AGE))) {
            throw new S3Exception(S3Error.ACCESS_DENIED, "Request has expired");
        }
        String signature = required(fields, SIGNATURE, "X-Amz-Signature");
        Credential credential = known(scope.accessKey());
        SigningKey key = Objects.requireNonNull(keys).get(credential.secret(), scope.date());
        if (!SigningKey.matches(key.sign(policy.getBytes(UTF_8)), signature)) {
            throw wrong(scope.accessKey(), policy);
        }
        return credential;
    }

    private Credential version2(Map<String, String> fields) {
        String policy = required(fields, POLICY, "Policy");
        String accessKey = required(fields, V2_ACCESS_KEY, "AWSAccessKeyId");
        String signature = required(fields, V2_SIGNATURE, "Signature");
        Credential credential = known(accessKey);
        byte[] provided = BodyClaims.decode(signature, PresignedV2.SIGNATURE_BYTES);
        if (provided == null || !PresignedV2.signs(credential, policy, provided)) {
            throw wrong(accessKey, policy);
        }
        return credential;
    }

    private Credential known(String accessKey) {
        Credential credential = credentials.find(accessKey);
        if (credential == null) {
            throw new S3Exception(
                    S3Error.INVALID_ACCESS_KEY_ID,
                    S3Error.INVALID_ACCESS_KEY_ID.message(),
                    Map.of("AWSAccessKeyId", accessKey));
        }
        return credential;
    }

    private static S3Exception wrong(String accessKey, String policy) {
        return new S3Exception(
                S3Error.SIGNATURE_DOES_NOT_MATCH,
                S3Error.SIGNATURE_DOES_NOT_MATCH.message(),
                Map.of("AWSAccessKeyId", accessKey, "StringToSign", policy));
    }

    private static String required(Map<String, String> fields, String field, String name) {
        String value = fields.get(field);
        if (value == null || value.isEmpty()) {
            throw S3Exception.invalidArgument(
                    name,
                    "",
                    "Bucket POST must contain a field named '" + name
                            + "'. If it is specified, please check the order of the fields.");
        }
        return value;
    }
}
