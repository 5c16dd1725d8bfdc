package io.headgate.app.config;

import java.util.List;

/**
 * The configuration cannot be used. The message has a line for each thing that is wrong, for the operator, which names file, line and key and
 * holds no secret.
 */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    public ConfigException(String message) {
        super(message);
    }

    public ConfigException(String message, Throwable cause) {
        super(message, cause);
    }

    ConfigException(List<String> lines) {
        super(String.join("\n", lines));
    }

    /** What is wrong, at least one line. */
    public List<String> lines() {
        return List.of(String.valueOf(getMessage()).split("\n", -1));
    }
}
