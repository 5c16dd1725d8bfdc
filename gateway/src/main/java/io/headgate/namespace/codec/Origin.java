package io.headgate.namespace.codec;

/** Which write made a version: where its repeat is recognised once the version is replaced. */
public enum Origin {
    /** By its blob. */
    PUT(0),
    /** By the replaced writes. */
    PUT_EMPTY(1),
    /** By the replaced writes. */
    COPY(2),
    /** By the completed uploads. */
    COMPLETE(3);

    private final int code;

    Origin(int code) {
        this.code = code;
    }

    /** How it stands in a column. */
    public int code() {
        return code;
    }

    /** Whether the write leaves nothing else behind by which its repeat could be recognised. */
    public boolean isRememberedWhenReplaced() {
        return this == PUT_EMPTY || this == COPY;
    }

    /** The origin of a column. */
    public static Origin of(int code) {
        for (Origin origin : values()) {
            if (origin.code == code) {
                return origin;
            }
        }
        throw Codec.corrupt();
    }
}
