package io.headgate.cli;

/** The command line is wrong. The message is one line that names the word or flag at fault. */
public final class UsageException extends Exception {
    private static final long serialVersionUID = 1L;

    UsageException(String message) {
        super(message);
    }
}
