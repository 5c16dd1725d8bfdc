-- KEYS: 1 root and 2 changes of the range
-- ARGV: epoch, where a part of it was to go
-- It stays whole, if it is not cut yet. Answers whether it is cut.
if call('HGET', KEYS[1], 'to') ~= ARGV[2] then return '0' end
if call('HGET', KEYS[1], 'cut') then return '1' end
local state = state_by(KEYS[1], ARGV[1])
if state and state ~= '' then
  call('HSET', KEYS[1], 'e', ARGV[1])
  call('HDEL', KEYS[1], 'to', 'at')
  call('UNLINK', KEYS[2])
end
return '0'
