package io.headgate.domain;

import java.io.IOException;
import java.io.InputStream;

/** A stream that is made to be read in blocks: a single byte is a block of one. */
public abstract class BlockInputStream extends InputStream {
    @Override
    public final int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public abstract int read(byte[] bytes, int offset, int length) throws IOException;
}
