-- KEYS: 1 root, 2 records and 3 changes of the range
-- ARGV: epoch, then keys and records; keys that are there stay as they are
local writable, round = is_written_by(KEYS[1], ARGV[1])
if not writable then return MOVED end
local objects, bytes = 0, 0
for i = 2, #ARGV, 2 do
  local key, record = ARGV[i], ARGV[i + 1]
  local group = group_of(KEYS[2], key)
  if not (group and record_of(group, key)) then
    store(KEYS[2], group, key, record)
    objects = objects + 1
    bytes = bytes + size_of(record)
    note(KEYS[3], round, OBJECT, key)
  end
end
call('HINCRBY', KEYS[1], 'n', objects)
call('HINCRBY', KEYS[1], 'b', integer(bytes))
return DONE
