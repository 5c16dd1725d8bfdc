-- KEYS: of the slot; 9 root, 10 records, 11 uploads and 12 changes of the range
-- ARGV: epoch, the slot, time, the operation's id, then key and condition of each
-- Answers an outcome for each, then what other slots must be told.
local writable, round = is_written_by(KEYS[9], ARGV[1])
if not writable then return { MOVED } end
local before_this = known(ARGV[4])
if before_this then return cmsgpack.unpack(before_this) end
local slot, since = tonumber(ARGV[2]), ARGV[3]
local answer, told, gone, bytes = {}, {}, 0, 0
for i = 5, #ARGV, 2 do
  local key = ARGV[i]
  local group = group_of(KEYS[10], key)
  local current = group and record_of(group, key)
  local outcome = refused_by(ARGV[i + 1], current)
  if not outcome and current then
    erase(KEYS[10], group, key)
    note(KEYS[12], round, OBJECT, key)
    gone = gone + 1
    bytes = bytes + size_of(current)
    local message = replaced(current, slot, since)
    if #message > 0 then told[#told + 1] = message end
    outcome = DONE
  end
  answer[#answer + 1] = outcome or '-'
end
if gone > 0 then
  call('HINCRBY', KEYS[9], 'n', -gone)
  call('HINCRBY', KEYS[9], 'b', integer(-bytes))
end
for i = 1, #told do answer[#answer + 1] = told[i] end
if gone > 0 then remember(ARGV[4], cmsgpack.pack(answer)) end
return answer
