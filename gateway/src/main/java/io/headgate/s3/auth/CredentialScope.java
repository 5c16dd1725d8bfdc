package io.headgate.s3.auth;

import java.util.Map;

/**
 * What a signature's Credential holds: {@code ACCESS_KEY/yyyyMMdd/REGION/SERVICE/aws4_request}.
 *
 * @param text all but the access key, as it stands in the string to sign
 */
record CredentialScope(String accessKey, String date, String region, String service, String terminal, String text) {
    /** Longer than any credential that a store keeps. */
    private static final int MAX_LENGTH = 512;

    /** Parses from the right, since an access key may contain slashes. */
    static CredentialScope parse(String credential, Carrier carrier) {
        int terminal = slashBefore(credential, credential.length(), carrier);
        int service = slashBefore(credential, terminal, carrier);
        int region = slashBefore(credential, service, carrier);
        int date = slashBefore(credential, region, carrier);
        return new CredentialScope(
                credential.substring(0, date),
                credential.substring(date + 1, region),
                credential.substring(region + 1, service),
                credential.substring(service + 1, terminal),
                credential.substring(terminal + 1),
                credential.substring(date + 1));
    }

    private static int slashBefore(String credential, int end, Carrier carrier) {
        int slash = credential.lastIndexOf('/', end - 1);
        if (slash <= 0 || credential.length() > MAX_LENGTH) {
            throw carrier.badCredential(
                    "the Credential is mal-formed; expecting \"<YOUR-AKID>/YYYYMMDD/REGION/SERVICE/aws4_request\".",
                    Map.of());
        }
        return slash;
    }

    /** Checks everything but the access key. */
    void check(Carrier carrier, String expectedRegion, String signedOn) {
        if (!date.equals(signedOn)) {
            throw carrier.badCredential(
                    "Invalid credential date \"" + date + "\". This date is not the same as X-Amz-Date: \"" + signedOn
                            + "\".",
                    Map.of());
        }
        if (!region.equals(expectedRegion)) {
            throw carrier.badCredential(
                    "the region '" + region + "' is wrong; expecting '" + expectedRegion + "'",
                    Map.of("Region", expectedRegion));
        }
        if (!service.equals("s3")) {
            throw carrier.badCredential(
                    "incorrect service \"" + service + "\". This endpoint belongs to \"s3\".", Map.of());
        }
        if (!terminal.equals("aws4_request")) {
            throw carrier.badCredential(
                    "incorrect terminal \"" + terminal + "\". This endpoint uses \"aws4_request\".", Map.of());
        }
    }
}
