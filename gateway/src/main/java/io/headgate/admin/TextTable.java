package io.headgate.admin;

import java.util.ArrayList;
import java.util.List;

/** A table for people: columns as wide as they need to be, control characters shown as {@code ?}. Not thread-safe. */
final class TextTable {
    private static final String GAP = "  ";

    private final List<List<String>> rows = new ArrayList<>();

    TextTable(String... head) {
        rows.add(List.of(head));
    }

    TextTable row(Object... cells) {
        List<String> row = new ArrayList<>(cells.length);
        for (Object cell : cells) {
            row.add(printable(cell.toString()));
        }
        rows.add(row);
        return this;
    }

    /** The text, a line a row. */
    String render() {
        int[] widths = new int[rows.getFirst().size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder text = new StringBuilder();
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i))
                        .repeat(' ', widths[i] - row.get(i).length())
                        .append(GAP);
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    static String printable(String text) {
        return text.replaceAll("\\p{Cntrl}", "?");
    }
}
