package io.headgate.blob.azure;

import com.azure.core.util.BinaryData;
import com.azure.core.util.Context;
import com.azure.storage.blob.models.BlobHttpHeaders;
import com.azure.storage.blob.options.BlockBlobCommitBlockListOptions;
import com.azure.storage.blob.options.BlockBlobSimpleUploadOptions;
import com.azure.storage.blob.options.BlockBlobStageBlockOptions;
import com.azure.storage.blob.specialized.BlockBlobClient;
import io.headgate.blob.BlobStoreException;
import io.headgate.blob.BodyParts;
import io.headgate.blob.Persistence;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Puts blobs, whole or in blocks. A block that is throttled is sent again, because no other account could take it any more. */
final class AzureUpload {
    /** Up to this length a throttled put fails at once: whoever wrote it still has the bytes and may go to another account. */
    private static final int MOVABLE_BYTES = 128 << 10;

    private static final BlobHttpHeaders HEADERS = new BlobHttpHeaders().setContentType("application/octet-stream");

    private static final Logger LOG = LoggerFactory.getLogger(AzureUpload.class);

    private final AzureRequests requests;

    AzureUpload(AzureRequests requests) {
        this.requests = requests;
    }

    /** Puts a blob of one block. */
    void whole(BlockBlobClient blob, BodyParts body) throws IOException {
        body.next();
        if (body.count() <= MOVABLE_BYTES) {
            put(blob, body);
        } else {
            Persistence.whileThrottled(() -> {
                put(blob, body);
                return null;
            });
        }
    }

    private void put(BlockBlobClient blob, BodyParts body) throws BlobStoreException {
        byte[] md5 = md5(body);
        requests.store(
                "put a blob",
                () -> blob.uploadWithResponse(
                        new BlockBlobSimpleUploadOptions(bytes(body))
                                .setContentMd5(md5)
                                .setHeaders(HEADERS),
                        null,
                        requests.sending(body.count())));
    }

    /** Puts a blob of several blocks, which is there once they are committed. */
    void inBlocks(BlockBlobClient blob, BodyParts body) throws IOException {
        List<String> blocks = new ArrayList<>();
        boolean stored = false;
        try {
            while (body.next()) {
                String block = Base64.getEncoder()
                        .encodeToString("%05d".formatted(blocks.size()).getBytes(StandardCharsets.US_ASCII));
                blocks.add(block);
                Persistence.whileThrottled(() -> {
                    stage(blob, block, body);
                    return null;
                });
            }
            Persistence.whileThrottled(() -> requests.send(
                    "commit blocks",
                    () -> blob.commitBlockListWithResponse(
                            new BlockBlobCommitBlockListOptions(blocks).setHeaders(HEADERS), null, Context.NONE)));
            stored = true;
        } finally {
            if (!stored && !blocks.isEmpty()) {
                dropUnfinished(blob);
            }
        }
    }

    /** Drops the blocks of a put that failed, which the deletion of the blob does too if this fails. */
    private void dropUnfinished(BlockBlobClient blob) {
        try {
            dropBlocks(blob);
        } catch (BlobStoreException left) {
            LOG.warn("{}; the deletion of blob {} will do it", left.getMessage(), blob.getBlobName());
        }
    }

    /** Blocks that were never committed cannot be deleted; but an empty blob in their place can. */
    void dropBlocks(BlockBlobClient blob) throws BlobStoreException {
        requests.send("put an empty blob", () -> blob.upload(BinaryData.fromBytes(new byte[0]), true));
        requests.send(
                "delete a blob",
                () -> blob.deleteIfExistsWithResponse(null, null, null, Context.NONE)
                        .getValue());
    }

    private void stage(BlockBlobClient blob, String block, BodyParts body) throws BlobStoreException {
        byte[] md5 = md5(body);
        requests.store(
                "put a block",
                () -> blob.stageBlockWithResponse(
                        new BlockBlobStageBlockOptions(block, bytes(body)).setContentMd5(md5),
                        null,
                        requests.sending(body.count())));
    }

    /** Not copied. */
    private static BinaryData bytes(BodyParts body) {
        return BinaryData.fromByteBuffer(ByteBuffer.wrap(body.buffer(), 0, body.count()));
    }

    private static byte[] md5(BodyParts body) {
        try {
            MessageDigest md5 = MessageDigest.getInstance("MD5");
            md5.update(body.buffer(), 0, body.count());
            return md5.digest();
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("every JDK has MD5", impossible);
        }
    }
}
