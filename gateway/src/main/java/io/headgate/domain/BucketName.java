package io.headgate.domain;

import java.util.regex.Pattern;

/**
 * The name of a bucket, valid by S3's rules for general purpose buckets: 3 to 63 characters of {@code a-z 0-9 . -}, beginning
 * and ending with a letter or digit, no two dots in a row, not formed like an IPv4 address, none of the reserved prefixes and
 * suffixes.
 *
 * @see <a href="https://docs.aws.amazon.com/AmazonS3/latest/userguide/bucketnamingrules.html">S3: bucket naming rules</a>
 */
public record BucketName(String value) implements Comparable<BucketName> {
    private static final Pattern IPV4 = Pattern.compile("\\d{1,3}(\\.\\d{1,3}){3}");

    /** @throws IllegalArgumentException if {@code value} breaks a naming rule; the message names the rule */
    public BucketName {
        String broken = brokenRule(value);
        if (!broken.isEmpty()) {
            throw new IllegalArgumentException(broken);
        }
    }

    /** Whether {@code value} keeps every naming rule. */
    public static boolean isValid(String value) {
        return brokenRule(value).isEmpty();
    }

    private static String brokenRule(String value) {
        int length = value.length();
        if (length < 3 || length > 63) {
            return "A bucket name has 3 to 63 characters";
        }
        for (int i = 0; i < length; i++) {
            char c = value.charAt(i);
            boolean alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
            if (!alphanumeric && c != '-' && c != '.') {
                return "A bucket name consists of lower-case letters, digits, dots and hyphens";
            }
            if (!alphanumeric && (i == 0 || i == length - 1)) {
                return "A bucket name begins and ends with a letter or a digit";
            }
            if (c == '.' && value.charAt(i - 1) == '.') {
                return "A bucket name has no two dots in a row";
            }
        }
        if (IPV4.matcher(value).matches()) {
            return "A bucket name is not formed like an IP address";
        }
        if (value.startsWith("xn--") || value.startsWith("sthree-") || value.startsWith("amzn-s3-demo-")) {
            return "A bucket name does not begin with a reserved prefix";
        }
        if (value.endsWith("-s3alias")
                || value.endsWith("--ol-s3")
                || value.endsWith(".mrap")
                || value.endsWith("--x-s3")) {
            return "A bucket name does not end with a reserved suffix";
        }
        return "";
    }

    @Override
    public int compareTo(BucketName other) {
        return value.compareTo(other.value);
    }

    @Override
    public String toString() {
        return value;
    }
}
