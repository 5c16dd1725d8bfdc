package io.headgate.namespace.redis;

import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The connections to one process: as it ends, or one of them breaks, the link does.
 *
 * @param acknowledgements null if nobody waits for replicas, or if the process is no master
 */
record Link(
        StatefulRedisConnection<byte[], byte[]> commands,
        @Nullable Acknowledgements acknowledgements) {
    boolean isOpen() {
        return commands.isOpen() && (acknowledgements == null || acknowledgements.isOpen());
    }

    /** @param asking whether it has been said that the node is to answer although the slot is not its own yet */
    void send(AsyncCommand<byte[], byte[], ?> command, boolean asking) {
        if (asking) {
            commands.dispatch(List.of(
                    new AsyncCommand<>(new Command<>(CommandType.ASKING, new StatusOutput<>(ByteArrayCodec.INSTANCE))),
                    command));
        } else {
            commands.dispatch(command);
        }
    }

    /** Completed when replicas have what the node has done. */
    CompletableFuture<Void> acknowledged() {
        if (acknowledgements != null) {
            return acknowledgements.ofWritesSoFar();
        }
        close(); // it may be a master next time
        return CompletableFuture.failedFuture(
                new Acknowledgements.Unacknowledged("the node is not known as a master", null));
    }

    void close() {
        CompletableFuture<Void> unused = commands.closeAsync();
        if (acknowledgements != null) {
            acknowledgements.close();
        }
    }
}
