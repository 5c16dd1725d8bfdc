-- A record is current no more: releases what it held, or answers what another slot must be told to release.
local function replaced(record, slot, since)
  local bytes = bytes_of(record)
  if has(record, REMEMBERED) then
    remember(write_of(record), AGAIN .. record)
  elseif not (has(record, BLOB) and slot_of(bytes) == slot) then
    remember(write_of(record), AGAIN) -- no blob of this slot tells it
  end
  if not bytes then return '' end
  if has(record, BLOB) and slot_of(bytes) == slot then
    release(encoded(bytes), write_of(record), since)
    return ''
  end
  local told = since .. (has(record, BLOB) and 'b' or 'm') .. bytes .. write_of(record)
  call('ZADD', KEYS[8], 0, told)
  return told
end
