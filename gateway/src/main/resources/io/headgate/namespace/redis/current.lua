-- KEYS: of the slot; 9 root and 10 records of the range
-- ARGV: epoch, the slot, key
-- Answers the number of the account where the version's blob lives, zeros if another slot knows, then the record.
if not state_by(KEYS[9], ARGV[1]) then return MOVED end
local group = group_of(KEYS[10], ARGV[3])
local record = group and record_of(group, ARGV[3])
if not record then return nil end
local account = '\0\0'
if has(record, BLOB) then
  local id = bytes_of(record)
  if slot_of(id) == tonumber(ARGV[2]) then
    local blob = blob_of(encoded(id))
    if blob then account = sub(blob, 1, 2) end
  end
end
return account .. record
