package io.headgate.cli;

/** The command line is wrong. The message names the word or flag at fault, in a line, or shows in several how to use a group of commands. */
public final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
