package io.headgate.namespace.redis;

import io.lettuce.core.AbstractRedisAsyncCommands;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.RedisCommand;
import java.nio.ByteBuffer;
import java.util.function.Function;

/** Makes commands without sending them, so that their key says where they are to go. */
final class Unsent extends AbstractRedisAsyncCommands<byte[], byte[]> {
    private static final Unsent COMMANDS = new Unsent();

    private Unsent() {
        super(null, ByteArrayCodec.INSTANCE);
    }

    @Override
    public <T> AsyncCommand<byte[], byte[], T> dispatch(RedisCommand<byte[], byte[], T> command) {
        return new AsyncCommand<>(command);
    }

    static <T> AsyncCommand<byte[], byte[], T> make(
            Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> command) {
        if (command.apply(COMMANDS) instanceof AsyncCommand<?, ?, ?> made) {
            @SuppressWarnings("unchecked") // it was made by dispatch
            AsyncCommand<byte[], byte[], T> unsent = (AsyncCommand<byte[], byte[], T>) made;
            return unsent;
        }
        throw new IllegalArgumentException("more than one command");
    }

    /** The slot of its first key. */
    static int slot(RedisCommand<byte[], byte[], ?> command) {
        ByteBuffer key = command.getArgs().getFirstEncodedKey();
        return SlotHash.getSlot(key);
    }
}
