-- KEYS: 1 root, 2 records, 3 uploads and 4 changes of the range
-- ARGV: where a part of it goes, the last round to look at, how many, how many bytes are enough, then changes that have been copied
-- Forgets those, if they have not changed again, and answers others, each with what it is now.
if call('HGET', KEYS[1], 'to') ~= ARGV[1] then return { MOVED } end
local round = tonumber(ARGV[2])
for i = 5, #ARGV do
  local noted = call('ZSCORE', KEYS[4], ARGV[i])
  if noted and tonumber(noted) <= round then call('ZREM', KEYS[4], ARGV[i]) end
end
local changes = call('ZRANGEBYSCORE', KEYS[4], '-inf', round, 'LIMIT', 0, ARGV[3])
local answer, room = {}, tonumber(ARGV[4])
for i = 1, #changes do
  if room <= 0 then break end
  local member = sub(changes[i], 2)
  local now
  if sub(changes[i], 1, 1) == OBJECT then
    local group = group_of(KEYS[2], member)
    now = group and record_of(group, member)
  else
    now = call('ZSCORE', KEYS[3], member)
  end
  answer[2 * i - 1] = changes[i]
  answer[2 * i] = now or ''
  room = room - #answer[2 * i]
end
return answer
