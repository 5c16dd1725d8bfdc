package io.headgate.admin;

import io.headgate.work.Finding;
import io.headgate.work.Fsck;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** How findings and summaries of a check are printed: a line each, for people or as JSON. */
public final class FsckReport {
    /** What the command ends with: all was checked, and nothing found. */
    public static final int CLEAN = 0;

    public static final int FOUND = 1;
    /** Not all could be checked, whatever was found in the rest. */
    public static final int INCOMPLETE = 2;

    private FsckReport() {}

    /** The status that the command ends with: 0 if all is well, 1 if something was found, 2 if not all could be checked. */
    public static int status(Fsck.Summary summary) {
        if (!summary.isComplete()) {
            return INCOMPLETE;
        }
        return summary.isClean() ? CLEAN : FOUND;
    }

    /** A line without its end. */
    public static String line(Finding finding, boolean json) {
        return json ? json(finding) : text(finding);
    }

    private static String text(Finding finding) {
        StringBuilder text = new StringBuilder(lower(finding.kind())).append(':');
        finding.details().forEach((name, value) -> {
            text.append(' ').append(name).append('=');
            if (value instanceof String string && !string.matches("[\\w./:+-]+")) {
                text.append('"')
                        .append(TextTable.printable(string).replace("\"", "\\\""))
                        .append('"');
            } else {
                text.append(value);
            }
        });
        return text.append(
                        switch (finding.fate()) {
                            case REPORTED -> "";
                            case REPAIRABLE -> " (--repair sets it right)";
                            case REPAIRED -> " (set right)";
                            case HELD_BACK -> " (left alone: too many to be left-overs)";
                        })
                .toString();
    }

    private static String json(Finding finding) {
        JsonWriter json = new JsonWriter(256)
                .beginObject()
                .name("finding")
                .value(lower(finding.kind()))
                .name("fate")
                .value(lower(finding.fate()));
        finding.details().forEach((name, value) -> {
            json.name(name);
            if (value instanceof Long number) {
                json.value(number);
            } else {
                json.value(value.toString());
            }
        });
        return string(json.endObject());
    }

    /** A line for JSON, a few for people; without the end of the last. */
    public static String lines(Fsck.Summary summary, boolean json) {
        return json ? json(summary) : text(summary);
    }

    private static String text(Fsck.Summary summary) {
        StringBuilder text = new StringBuilder();
        for (String unchecked : summary.unchecked()) {
            text.append("not checked: ").append(TextTable.printable(unchecked)).append('\n');
        }
        text.append("checked %s with %s in %s"
                .formatted(
                        count(summary.blobs(), "blob"),
                        count(summary.bytes(), "byte"),
                        count(summary.accounts(), "account")));
        if (summary.verified() + summary.unverifiable() > 0) {
            text.append("; the bytes of %s are right, of %d nothing is kept to compare with"
                    .formatted(count(summary.verified(), "version"), summary.unverifiable()));
        }
        if (summary.explained() > 0) {
            text.append("; too young to be judged: ").append(count(summary.explained(), "blob"));
        }
        text.append('\n');
        if (summary.isClean()) {
            return text.append(summary.isComplete() ? "clean" : "nothing found in what was checked")
                    .toString();
        }
        long all =
                summary.findings().values().stream().mapToLong(Long::longValue).sum();
        text.append(count(all, "finding"))
                .append(", ")
                .append(summary.repaired())
                .append(" set right:");
        summary.findings()
                .forEach((kind, count) ->
                        text.append(' ').append(lower(kind)).append(' ').append(count));
        return text.toString();
    }

    private static String count(long number, String thing) {
        return number + " " + thing + (number == 1 ? "" : "s");
    }

    private static String json(Fsck.Summary summary) {
        JsonWriter json = new JsonWriter(512).beginObject().name("summary").beginObject();
        json.name("clean").value(summary.isClean());
        json.name("complete").value(summary.isComplete());
        json.name("accounts").value(summary.accounts());
        json.name("blobs").value(summary.blobs());
        json.name("bytes").value(summary.bytes());
        json.name("explained").value(summary.explained());
        json.name("verified").value(summary.verified());
        json.name("unverifiable").value(summary.unverifiable());
        json.name("repaired").value(summary.repaired());
        json.name("findings").beginObject();
        Map<String, Long> findings = new TreeMap<>();
        summary.findings().forEach((kind, count) -> findings.put(lower(kind), count));
        findings.forEach((kind, count) -> json.name(kind).value(count));
        json.endObject().name("unchecked").beginArray();
        summary.unchecked().forEach(json::value);
        return string(json.endArray().endObject().endObject());
    }

    private static String lower(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static String string(JsonWriter json) {
        return new String(json.toByteArray(), StandardCharsets.UTF_8);
    }
}
