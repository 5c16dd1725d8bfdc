-- KEYS: 1 root and 2 records of the range
-- ARGV: epoch, then keys and records; keys that are there stay as they are
if call('HGET', KEYS[1], 'e') ~= ARGV[1] then return MOVED end
local objects, bytes = 0, 0
for i = 2, #ARGV, 2 do
  local key, record = ARGV[i], ARGV[i + 1]
  local group = group_of(KEYS[2], key)
  if not (group and record_of(group, key)) then
    store(KEYS[2], group, key, record)
    objects = objects + 1
    bytes = bytes + size_of(record)
  end
end
call('HINCRBY', KEYS[1], 'n', objects)
call('HINCRBY', KEYS[1], 'b', integer(bytes))
return DONE
