package io.headgate.benchmarks;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Flags of a command line, each with a value. */
final class Flags {
    /** The command line is wrong. The message is one line. */
    static final class UsageException extends Exception {
        private static final long serialVersionUID = 1L;

        UsageException(String message) {
            super(message);
        }
    }

    private final Map<String, String> values;

    private Flags(Map<String, String> values) {
        this.values = values;
    }

    /** @param known the flags that there are, such as {@code --seconds} */
    static Flags parse(List<String> words, Set<String> known) throws UsageException {
        Map<String, String> values = new HashMap<>();
        for (int i = 0; i < words.size(); i += 2) {
            String name = words.get(i);
            if (!known.contains(name)) {
                throw new UsageException(name + ": unknown flag");
            }
            if (i + 1 == words.size()) {
                throw new UsageException(name + ": needs a value");
            }
            if (values.put(name, words.get(i + 1)) != null) {
                throw new UsageException(name + ": given twice");
            }
        }
        return new Flags(values);
    }

    String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    /** Numbers with commas between them. */
    List<Integer> numbers(String name, String otherwise, int least, int most) throws UsageException {
        List<Integer> numbers = new ArrayList<>();
        for (String text : text(name, otherwise).split(",", -1)) {
            numbers.add(number(name, text, least, most));
        }
        return numbers;
    }

    int number(String name, int otherwise, int least, int most) throws UsageException {
        String text = values.get(name);
        return text == null ? otherwise : number(name, text, least, most);
    }

    private static int number(String name, String text, int least, int most) throws UsageException {
        try {
            int number = Integer.parseInt(text);
            if (number >= least && number <= most) {
                return number;
            }
        } catch (NumberFormatException wrong) {
            throw new UsageException(name + ": not a number: " + text);
        }
        throw new UsageException(name + ": " + text + " is not from " + least + " to " + most);
    }
}
