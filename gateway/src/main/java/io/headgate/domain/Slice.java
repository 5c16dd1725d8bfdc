package io.headgate.domain;

/**
 * A run of bytes in a blob. A version's bytes are an ordered list of slices; many versions may use one blob, and one blob may
 * hold the bytes of many versions.
 *
 * @param account the name of the account that holds the blob
 * @param offsetBytes where the run begins in the blob, at least 0
 * @param lengthBytes at least 1
 */
public record Slice(BlobId blob, String account, long offsetBytes, long lengthBytes) {
    public Slice {
        if (offsetBytes < 0 || lengthBytes < 1) {
            throw new IllegalArgumentException("offset " + offsetBytes + ", length " + lengthBytes);
        }
    }

    /** The part of this slice that begins {@code skipBytes} into it and is {@code lengthBytes} long. */
    public Slice sub(long skipBytes, long length) {
        if (skipBytes < 0 || length < 1 || skipBytes + length > lengthBytes) {
            throw new IllegalArgumentException("skip " + skipBytes + ", length " + length + " of " + lengthBytes);
        }
        return new Slice(blob, account, offsetBytes + skipBytes, length);
    }
}
