package io.headgate.namespace.codec;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;

/** Reads what {@link PackedWriter} wrote. Anything else is corruption: {@link Codec#corrupt}. */
public final class PackedReader {
    private final byte[] bytes;
    private int position;

    public PackedReader(byte[] bytes) {
        this.bytes = bytes;
    }

    public long number() {
        long value = 0;
        for (int shift = 0; shift < Long.SIZE; shift += 7) {
            if (position == bytes.length) {
                throw Codec.corrupt();
            }
            byte group = bytes[position++];
            value |= (long) (group & 0x7F) << shift;
            if (group >= 0) {
                return value;
            }
        }
        throw Codec.corrupt();
    }

    /** A number of things that take at least a byte each. */
    public int count() {
        long count = number();
        if (count < 0 || count > bytes.length - position) {
            throw Codec.corrupt();
        }
        return (int) count;
    }

    public String string() {
        int length = count();
        String value = new String(bytes, position, length, StandardCharsets.UTF_8);
        position += length;
        return value;
    }

    public byte[] bytes() {
        int length = count();
        position += length;
        return Arrays.copyOfRange(bytes, position - length, position);
    }

    public Map<String, String> map() {
        int size = count();
        if (size == 0) {
            return Map.of();
        }
        Map<String, String> map = HashMap.newHashMap(size);
        for (int i = 0; i < size; i++) {
            map.put(string(), string());
        }
        return map;
    }
}
