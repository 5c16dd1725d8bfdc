package io.headgate.app.config;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What is wrong with a configuration: all of it, so that it can be mended at once. */
final class Problems {
    /** More are counted and not told. */
    private static final int MOST = 100;

    private static final Pattern LINE = Pattern.compile("[^:]+:(\\d{1,9}): ");

    private final Set<String> lines = new LinkedHashSet<>();
    private int more;

    /** A part of reading that may find something wrong. */
    interface Step {
        void take() throws ConfigException;
    }

    /** Takes the step, and notes what is wrong. */
    void check(Step step) {
        try {
            step.take();
        } catch (ConfigException wrong) {
            add(wrong);
        }
    }

    /** The same is noted once, however often it is met. */
    void add(ConfigException wrong) {
        for (String line : wrong.lines()) {
            if (lines.size() < MOST) {
                lines.add(line);
            } else if (!lines.contains(line)) {
                more++;
            }
        }
    }

    boolean isEmpty() {
        return lines.isEmpty();
    }

    /** @throws ConfigException with a line for each thing that was noted, in the order of the file */
    void throwIfAny() throws ConfigException {
        if (lines.isEmpty()) {
            return;
        }
        List<String> told = new ArrayList<>(lines);
        told.sort(Comparator.comparingInt(Problems::lineNumber));
        if (more > 0) {
            told.add("and " + more + " more");
        }
        throw new ConfigException(told);
    }

    private static int lineNumber(String line) {
        Matcher matcher = LINE.matcher(line);
        return matcher.lookingAt() ? Integer.parseInt(matcher.group(1)) : Integer.MAX_VALUE;
    }
}
