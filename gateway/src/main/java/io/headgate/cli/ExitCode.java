package io.headgate.cli;

/** How the process ends; {@code docs/cli.md} lists them. */
public enum ExitCode {
    /** Done. */
    OK(0),
    /** The command failed: no gateway answers, it refused, or it could not start. */
    FAILED(1),
    /** The command {@code fsck} found something. */
    FOUND(1),
    /** The command {@code fsck} could not run, or not check everything. */
    INCOMPLETE(2),
    /** The command line is wrong. */
    USAGE(2),
    /** The configuration is wrong. */
    CONFIGURATION(3),
    /** This build does not have the command yet. */
    NOT_IMPLEMENTED(4);

    private final int status;

    ExitCode(int status) {
        this.status = status;
    }

    public int status() {
        return status;
    }
}
