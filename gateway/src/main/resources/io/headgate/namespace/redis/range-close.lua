-- KEYS: 1 root and 2 changes of the range
-- ARGV: epoch, epoch from now on
-- An empty range gets another epoch, by which nobody knows it but who closes its bucket, or its old one back. A part that is on its way to
-- another range stays here.
if call('HGET', KEYS[1], 'e') == ARGV[2] then return '1' end
local state = state_by(KEYS[1], ARGV[1])
if state ~= '' and not is_copied(state) then return MOVED end
if call('HGET', KEYS[1], 'n') ~= '0' then return '0' end
call('HSET', KEYS[1], 'e', ARGV[2])
if is_copied(state) then
  call('HDEL', KEYS[1], 'to')
  call('UNLINK', KEYS[2])
end
return '1'
