package io.headgate.namespace.redis;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.random.RandomGenerator;

/**
 * What runs inside Redis, each atomically and in one slot. The file of the same name says what it takes and answers: it is the body of a
 * function of the {@link Library}.
 */
enum Script {
    CURRENT(Effect.READS),
    PUT(Effect.GROWS),
    DELETE(Effect.ALWAYS),
    KNOWN(Effect.READS),
    REMEMBERED(Effect.READS),
    DELETED(Effect.READS),
    LIST(Effect.READS),
    ROLLUP(Effect.READS),
    REGISTER(Effect.GROWS),
    REFUSE(Effect.ALWAYS),
    SHARE(Effect.GROWS),
    RELEASE(Effect.ALWAYS),
    DISCARD(Effect.ALWAYS),
    FORGET(Effect.ALWAYS),
    GARBAGE(Effect.READS),
    UNKNOWN(Effect.READS),
    LIVE(Effect.READS),
    MOVE_BEGIN(Effect.GROWS),
    MOVE_END(Effect.ALWAYS),
    SWAP(Effect.ALWAYS),
    CLOCK(Effect.READS),
    BLOBS(Effect.READS),
    PART_PUT(Effect.GROWS),
    UPLOAD_CREATE(Effect.GROWS),
    UPLOAD_INDEX(Effect.ALWAYS),
    UPLOADS(Effect.READS),
    UPLOAD_PARTS(Effect.READS),
    UPLOAD_SEAL(Effect.GROWS),
    UPLOAD_UNSEAL(Effect.ALWAYS),
    UPLOAD_FENCE(Effect.ALWAYS),
    UPLOAD_ABORT(Effect.ALWAYS),
    UPLOAD_DROP(Effect.ALWAYS),
    UPLOAD_FINISH(Effect.ALWAYS),
    MANIFEST_SHARE(Effect.GROWS),
    MANIFEST_REMOVE(Effect.ALWAYS),
    MANIFEST_RELEASE(Effect.ALWAYS),
    PAGE(Effect.READS),
    HOLD(Effect.GROWS),
    MANIFEST_HOLD(Effect.GROWS),
    CORRECT(Effect.ALWAYS),
    LOAD_BLOBS(Effect.GROWS),
    LOAD_COPIES(Effect.GROWS),
    LOAD_VERSIONS(Effect.GROWS),
    BUCKET(Effect.READS),
    BUCKET_CHANGE(Effect.ALWAYS),
    BUCKET_CREATE(Effect.GROWS),
    BUCKET_CLOSE(Effect.ALWAYS),
    BUCKET_END(Effect.ALWAYS),
    BUCKET_RANGES(Effect.ALWAYS),
    BUCKET_NOTE(Effect.ALWAYS),
    RANGE_CLOSE(Effect.ALWAYS),
    RANGE_MAKE(Effect.GROWS),
    RANGE_BEGIN(Effect.GROWS),
    RANGE_FILL(Effect.GROWS),
    RANGE_TURN(Effect.ALWAYS),
    RANGE_CHANGES(Effect.ALWAYS),
    RANGE_APPLY(Effect.GROWS),
    RANGE_FILLED(Effect.ALWAYS),
    RANGE_CUT(Effect.ALWAYS),
    RANGE_RECUT(Effect.ALWAYS),
    RANGE_DROP(Effect.ALWAYS),
    RANGE_OPEN(Effect.ALWAYS),
    RANGE_THAW(Effect.ALWAYS),
    RANGE_TRIM(Effect.ALWAYS),
    RANGE_JOIN(Effect.GROWS),
    ACCOUNT_NUMBER(Effect.ALWAYS),
    INTENT_OPEN(Effect.ALWAYS),
    INTENTS_RENEW(Effect.ALWAYS),
    INTENTS_TAKE(Effect.ALWAYS),
    MARK(Effect.ALWAYS);

    /** What scripts take for yes and no. */
    static final byte[] YES = {'1'};

    static final byte[] NO = {'0'};

    private final Effect effect;
    private final String word = name().toLowerCase(Locale.ROOT);

    /** A number as scripts take it. */
    static byte[] number(long number) {
        return Long.toString(number).getBytes(StandardCharsets.US_ASCII);
    }

    /** The id of one operation, by which scripts know what was sent before. */
    static byte[] operation(RandomGenerator random) {
        return ByteBuffer.allocate(16)
                .putLong(random.nextLong())
                .putLong(random.nextLong())
                .array();
    }

    static byte[] flag(boolean yes) {
        return yes ? YES : NO;
    }

    Script(Effect effect) {
        this.effect = effect;
    }

    /** What Redis is told of a function: it refuses one as a whole rather than let it write what it must not. */
    enum Effect {
        READS("'no-writes'"),
        /** Takes memory, so it is refused when there is none. */
        GROWS("nil"),
        /** Frees memory, ends something, or keeps the gateways going with next to none: done also when memory is full. */
        ALWAYS("'allow-oom'");

        private final String flag;

        Effect(String flag) {
            this.flag = flag;
        }

        /** As {@code library.lua} takes it. */
        String flag() {
            return flag;
        }
    }

    Effect effect() {
        return effect;
    }

    /** Its name in Redis. */
    String word() {
        return word;
    }
}
