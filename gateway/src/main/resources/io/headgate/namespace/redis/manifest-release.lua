-- KEYS: of the slot; 9 the manifest, 10 orphans of the slot
-- ARGV: its encoded id, who holds it no more, since when, its id, what is not to be looked at any more ('' for nothing)
-- One that nobody holds can be read for a while.
local state = call('GET', KEYS[9])
if #ARGV[5] > 0 then call('ZREM', KEYS[8], ARGV[5]) end
if state ~= 'w' and state ~= SHARED then return DONE end
if state == SHARED and is_held(ARGV[1], ARGV[2]) then return DONE end
call('SET', KEYS[9], 'O')
call('ZADD', KEYS[10], 0, ARGV[3] .. 'm' .. ARGV[4])
return DONE
