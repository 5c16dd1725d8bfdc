package io.headgate.app.config;

/** Where a value was set, as an error begins: {@code headgate.yaml:12: listen}, {@code HEADGATE_LISTEN (environment)}. */
record Origin(String text) {
    static Origin line(String file, int line, String key) {
        return new Origin(file + ":" + line + (key.isEmpty() ? "" : ": " + key));
    }

    static Origin environment(String variable) {
        return new Origin(variable + " (environment)");
    }

    ConfigException error(String message) {
        return new ConfigException(text + ": " + message);
    }
}
