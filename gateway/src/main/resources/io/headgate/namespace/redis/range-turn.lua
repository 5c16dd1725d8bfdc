-- KEYS: 1 root and 2 changes of the range
-- ARGV: epoch, where a part of it goes, the round that begins, or ! that nothing is written any more
-- Answers how many changes are noted.
if call('HGET', KEYS[1], 'to') ~= ARGV[2] then return MOVED end
local state = state_by(KEYS[1], ARGV[1])
if is_copied(state) then
  if ARGV[3] == '!' then
    call('HSET', KEYS[1], 'e', ARGV[1] .. '!', 'at', now_millis())
  else
    call('HSET', KEYS[1], 'e', ARGV[1] .. '+' .. ARGV[3])
  end
elseif state ~= ARGV[3] then
  return MOVED
end
return tostring(call('ZCARD', KEYS[2]))
