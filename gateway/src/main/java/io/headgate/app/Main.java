package io.headgate.app;

/** The entry point of the packaged application. */
public final class Main {
    private Main() {}

    /** Runs the command named by the arguments. */
    public static void main(String[] args) {
        System.err.println("headgate: no such command: " + String.join(" ", args));
        System.exit(2);
    }
}
