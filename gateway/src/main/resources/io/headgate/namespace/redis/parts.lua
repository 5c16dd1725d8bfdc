-- A part of an upload: 2 bytes of its number, 6 of its size, 6 of its time, 4 of the number of its slices, then 44 each: holder, blob,
-- offset, length.
local OPEN, SEALED, ABORTED = 'o', 'c', 'x'

-- The part is no more: releases what it held, or answers what is to be released elsewhere, or later.
local function let_go(part, slot, since)
  local slices = struct.unpack('>I4', part, 15)
  if slices == 0 then return '' end
  local holder, id = sub(part, 19, 34), sub(part, 35, 50)
  if holder ~= id or slot_of(id) ~= slot then remember(holder, AGAIN) end -- no blob of this slot tells it
  if slices == 1 and slot_of(id) == slot then
    release(encoded(id), holder, since)
    return ''
  end
  local told = since .. 'p' .. sub(part, 19, 18 + 44 * slices)
  call('ZADD', KEYS[8], 0, told)
  return told
end
