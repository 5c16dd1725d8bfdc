package io.headgate.namespace.cache;

import java.nio.charset.StandardCharsets;

/**
 * What runs inside Redis, each atomically. A key holds an entry; or a reservation, {@code f} with a token, of a reader who is about to
 * fill it; or a mark, {@code w} with the tokens of the writes under way, 16 bytes each.
 */
final class Scripts {
    /** Bytes of a token; its first character stands before. */
    static final int TOKEN_BYTES = 16;

    /** More writes of a key at once than that, and it is left alone until their time is over: the mark {@code w} without a token. */
    private static final int MOST_TOKENS = 256;

    /** KEYS: to mark. ARGV: token, lifetime of the mark. */
    static final byte[] MARK = script("""
            for i = 1, #KEYS do
              local v = redis.call('GET', KEYS[i])
              if not v or string.byte(v) ~= 119 then
                v = 'w' .. ARGV[1]
              elseif #v == 1 or #v > %d then
                v = 'w'
              else
                v = v .. ARGV[1]
              end
              redis.call('SET', KEYS[i], v, 'PX', ARGV[2])
            end
            return 1""".formatted(MOST_TOKENS * TOKEN_BYTES));

    /**
     * KEYS: to lift the mark from. ARGV: token, lifetime of what is left there, and for each key what that is, or nothing. Answers how
     * many marks were not there any more. What another write has not marked is not believed then.
     */
    static final byte[] LIFT = script("""
            local lost = 0
            for i = 1, #KEYS do
              local v = redis.call('GET', KEYS[i])
              local marked = v and string.byte(v) == 119
              local at = nil
              if marked then
                for p = 2, #v, %1$d do
                  if string.sub(v, p, p + %1$d - 1) == ARGV[1] then at = p end
                end
              end
              if not at then
                lost = lost + 1
                if not marked then redis.call('DEL', KEYS[i]) end
              elseif #v > %1$d + 1 then
                redis.call('SET', KEYS[i], string.sub(v, 1, at - 1) .. string.sub(v, at + %1$d), 'KEEPTTL')
              elseif ARGV[2 + i] == '' then
                redis.call('DEL', KEYS[i])
              else
                redis.call('SET', KEYS[i], ARGV[2 + i], 'PX', ARGV[2])
              end
            end
            return lost""".formatted(TOKEN_BYTES));

    /** KEYS: to fill. ARGV: the reservation that must still be there, the entry, its lifetime. */
    static final byte[] FILL = script("""
            if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
            redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
            return 1""");

    private Scripts() {}

    private static byte[] script(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }
}
