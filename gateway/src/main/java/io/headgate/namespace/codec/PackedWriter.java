package io.headgate.namespace.codec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Map;

/** Writes numbers and strings one after the other into a byte array: numbers in groups of seven bits, strings after their length. */
public final class PackedWriter {
    private byte[] bytes = new byte[128];
    private int length;

    public PackedWriter number(long value) {
        room(10);
        long rest = value;
        while ((rest & ~0x7FL) != 0) {
            bytes[length++] = (byte) (rest | 0x80);
            rest >>>= 7;
        }
        bytes[length++] = (byte) rest;
        return this;
    }

    public PackedWriter string(String value) {
        return bytes(value.getBytes(StandardCharsets.UTF_8));
    }

    public PackedWriter bytes(byte[] value) {
        number(value.length);
        room(value.length);
        System.arraycopy(value, 0, bytes, length, value.length);
        length += value.length;
        return this;
    }

    public PackedWriter map(Map<String, String> map) {
        number(map.size());
        map.forEach((name, value) -> string(name).string(value));
        return this;
    }

    public byte[] toBytes() {
        return Arrays.copyOf(bytes, length);
    }

    private void room(int more) {
        if (bytes.length - length < more) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, length + more));
        }
    }
}
