package io.headgate.s3.form;

/** How long a file may be: from {@code leastBytes} to {@code mostBytes}, both included. */
public record LengthRange(long leastBytes, long mostBytes) {
    LengthRange and(LengthRange other) {
        return new LengthRange(Math.max(leastBytes, other.leastBytes), Math.min(mostBytes, other.mostBytes));
    }
}
