package io.headgate.s3;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The decoded parameters of a query, in order; of a name given twice the first counts. */
public final class QueryParameters {
    /** More parameters than any S3 request has. */
    private static final int MAX_PARAMETERS = 100;

    private record Parameter(String name, String value) {}

    private final List<Parameter> parameters;

    private QueryParameters(List<Parameter> parameters) {
        this.parameters = parameters;
    }

    /**
     * Parses a raw query.
     *
     * @throws S3Exception InvalidURI if an escape is malformed or there are too many parameters
     */
    public static QueryParameters parse(String rawQuery) {
        List<Parameter> parameters = new ArrayList<>();
        int begin = 0;
        while (begin < rawQuery.length()) {
            int end = rawQuery.indexOf('&', begin);
            if (end < 0) {
                end = rawQuery.length();
            }
            if (end > begin) {
                if (parameters.size() == MAX_PARAMETERS) {
                    throw new S3Exception(
                            S3Error.INVALID_URI, "The query has more than " + MAX_PARAMETERS + " parameters");
                }
                parameters.add(parameter(rawQuery, begin, end));
            }
            begin = end + 1;
        }
        return new QueryParameters(parameters);
    }

    private static Parameter parameter(String rawQuery, int begin, int end) {
        int equals = rawQuery.indexOf('=', begin);
        boolean bare = equals < 0 || equals >= end;
        try {
            String name = PercentCoding.decode(rawQuery.substring(begin, bare ? end : equals), true);
            String value = bare ? "" : PercentCoding.decode(rawQuery.substring(equals + 1, end), true);
            return new Parameter(name, value);
        } catch (IllegalArgumentException malformed) {
            throw new S3Exception(S3Error.INVALID_URI);
        }
    }

    public boolean has(String name) {
        return find(name) != null;
    }

    /** Whether a name begins so. */
    public boolean hasPrefix(String prefix) {
        for (Parameter parameter : parameters) {
            if (parameter.name().startsWith(prefix)) {
                return true;
            }
        }
        return false;
    }

    /** The value; empty for a parameter without one; {@code null} if the parameter is absent. */
    public @Nullable String find(String name) {
        for (Parameter parameter : parameters) {
            if (parameter.name().equals(name)) {
                return parameter.value();
            }
        }
        return null;
    }

    /** The value, or empty if the parameter is absent. */
    public String get(String name) {
        String value = find(name);
        return value == null ? "" : value;
    }

    /** The names, in order. */
    public List<String> names() {
        return parameters.stream().map(Parameter::name).toList();
    }

    /** The first name that is one of these; empty if none is. */
    public String firstOf(Set<String> names) {
        for (Parameter parameter : parameters) {
            if (names.contains(parameter.name())) {
                return parameter.name();
            }
        }
        return "";
    }

    /**
     * A number from {@code min} to {@code max}; {@code fallback} if the parameter is absent or empty.
     *
     * @throws S3Exception InvalidArgument if it is not a number or out of range
     */
    public int number(String name, int fallback, int min, int max) {
        String value = get(name);
        if (value.isEmpty()) {
            return fallback;
        }
        long number;
        try {
            number = Decimal.parse(value);
        } catch (NumberFormatException notANumber) {
            throw S3Exception.invalidArgument(
                    name, value, "Provided " + name + " not an integer or within integer range");
        }
        if (number < min || number > max) {
            throw S3Exception.invalidArgument(
                    name, value, "Argument " + name + " must be an integer between " + min + " and " + max);
        }
        return (int) number;
    }
}
