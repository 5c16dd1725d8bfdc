-- KEYS: 1 root and 2 changes of the range
-- ARGV: epoch, where a part of it goes
-- Where an earlier part went must have been cleared. From now on writes note what they change. Answers objects and bytes.
local state = state_by(KEYS[1], ARGV[1])
if not (is_copied(state) and call('HGET', KEYS[1], 'to') == ARGV[2]) then -- otherwise this was sent before
  if state ~= '' or call('HGET', KEYS[1], 'cut') == '1' then return { MOVED } end
  call('HSET', KEYS[1], 'e', ARGV[1] .. '+0', 'to', ARGV[2])
  call('HDEL', KEYS[1], 'cut', 'at', 'joined')
  call('DEL', KEYS[2])
end
return call('HMGET', KEYS[1], 'n', 'b')
