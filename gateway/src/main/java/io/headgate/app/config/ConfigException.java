package io.headgate.app.config;

/** The configuration cannot be used. The message is one line for the operator, names file, line and key, and holds no secret. */
public final class ConfigException extends Exception {
    private static final long serialVersionUID = 1L;

    public ConfigException(String message) {
        super(message);
    }

    public ConfigException(String message, Throwable cause) {
        super(message, cause);
    }
}
