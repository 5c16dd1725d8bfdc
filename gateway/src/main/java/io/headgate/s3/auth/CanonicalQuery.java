package io.headgate.s3.auth;

import io.headgate.s3.S3Error;
import io.headgate.s3.S3Exception;
import java.util.Arrays;

/** Writes a query in canonical form: each name and value encoded anew, a missing {@code =} put in, sorted by name, then value. */
final class CanonicalQuery {
    private static final String SIGNATURE = "X-Amz-Signature";

    /** No fewer than the parser of parameters takes. */
    private static final int MAX_PARAMETERS = 100;

    private final CanonicalText encoded;
    /** For each parameter: where its name begins, where the name ends, where the value ends; in {@link #encoded}. */
    private final int[] bounds = new int[3 * MAX_PARAMETERS];

    private int count;

    private CanonicalQuery(int length) {
        encoded = new CanonicalText(length + 64);
    }

    /** Appends the canonical form of {@code rawQuery}, without the signature if it holds one. */
    static void append(String rawQuery, CanonicalText target) {
        if (rawQuery.isEmpty()) {
            return;
        }
        CanonicalQuery query = new CanonicalQuery(rawQuery.length());
        for (int begin = 0; begin < rawQuery.length(); ) {
            int ampersand = rawQuery.indexOf('&', begin);
            int end = ampersand < 0 ? rawQuery.length() : ampersand;
            if (end > begin) {
                query.add(rawQuery, begin, end);
            }
            begin = end + 1;
        }
        query.write(target);
    }

    private void add(String rawQuery, int begin, int end) {
        int equals = rawQuery.indexOf('=', begin);
        int nameEnd = equals < 0 || equals > end ? end : equals;
        if (nameEnd - begin == SIGNATURE.length() && rawQuery.startsWith(SIGNATURE, begin)) {
            return;
        }
        if (count == MAX_PARAMETERS) {
            throw new S3Exception(S3Error.INVALID_URI, "The query has more than " + MAX_PARAMETERS + " parameters");
        }
        bounds[3 * count] = encoded.length();
        encoded.appendEncoded(rawQuery, begin, nameEnd, false, true);
        bounds[3 * count + 1] = encoded.length();
        encoded.append('=');
        if (nameEnd < end) {
            encoded.appendEncoded(rawQuery, nameEnd + 1, end, false, true);
        }
        bounds[3 * count + 2] = encoded.length();
        count++;
    }

    private void write(CanonicalText target) {
        int[] order = sorted();
        for (int i = 0; i < count; i++) {
            if (i > 0) {
                target.append('&');
            }
            target.append(encoded, bounds[3 * order[i]], bounds[3 * order[i] + 2]);
        }
    }

    /** The parameters' indexes in order; by insertion, as they are few and mostly sorted. */
    private int[] sorted() {
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            int at = i;
            while (at > 0 && compare(order[at - 1], i) > 0) {
                order[at] = order[at - 1];
                at--;
            }
            order[at] = i;
        }
        return order;
    }

    private int compare(int a, int b) {
        int byName = compare(a, b, 0);
        return byName != 0 ? byName : compare(a, b, 1);
    }

    private int compare(int a, int b, int part) {
        byte[] bytes = encoded.bytes();
        return Arrays.compareUnsigned(
                bytes,
                bounds[3 * a + part],
                bounds[3 * a + part + 1],
                bytes,
                bounds[3 * b + part],
                bounds[3 * b + part + 1]);
    }
}
