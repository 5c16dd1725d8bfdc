-- KEYS: of the slot; 9 the manifest
-- ARGV: its encoded id, who holds it, who is to hold it too, what to look at if nobody confirms that
local WRITTEN = 'w'
local state = call('GET', KEYS[9])
if state ~= WRITTEN and state ~= SHARED then return '0' end
if state == WRITTEN then
  call('SET', KEYS[9], SHARED)
  call('ZADD', KEYS[2], 0, ARGV[1] .. '\0' .. ARGV[2])
end
call('ZADD', KEYS[2], 0, ARGV[1] .. '\0' .. ARGV[3])
call('ZADD', KEYS[8], 0, ARGV[4])
return '1'
