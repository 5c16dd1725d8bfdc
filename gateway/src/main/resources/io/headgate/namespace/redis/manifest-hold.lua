-- KEYS: of the slot; 9 the manifest, 10 orphans of the slot
-- ARGV: its encoded id, the state that it must have, its line among the orphans ('' for none), who holds it too
-- Answers whether they hold it.
local state = call('GET', KEYS[9])
if state ~= ARGV[2] then return state == SHARED and all_hold(ARGV[1], 4) and '1' or '0' end
if #ARGV[3] > 0 then call('ZREM', KEYS[10], ARGV[3]) end
for i = 4, #ARGV do call('ZADD', KEYS[2], 0, ARGV[1] .. '\0' .. ARGV[i]) end
call('SET', KEYS[9], SHARED)
return '1'
