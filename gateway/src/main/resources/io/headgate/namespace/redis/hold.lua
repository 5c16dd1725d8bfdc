-- KEYS: of the slot
-- ARGV: the blob's encoded id, the state that it must have, who holds it too
-- A blob that is garbage lives again. Answers whether they hold it.
local blob, group = blob_of(ARGV[1])
if not blob then return '0' end
if state_of(blob) ~= ARGV[2] then return state_of(blob) == SHARED and all_hold(ARGV[1], 3) and '1' or '0' end
if ARGV[2] == GARBAGE then
  local account = sub(blob, 1, 2)
  call('ZREM', KEYS[3], account .. sub(blob, 9, 14) .. ARGV[1])
  count(account, 'g', -1, -blob_size(blob))
  count(account, 'l', 1, blob_size(blob))
end
for i = 3, #ARGV do call('ZADD', KEYS[2], 0, ARGV[1] .. '\0' .. ARGV[i]) end
if ARGV[2] ~= SHARED then
  local since = ARGV[2] == GARBAGE and sub(blob, 9, 14) or '\0\0\0\0\0\0'
  store(KEYS[1], group, ARGV[1], sub(blob, 1, 7) .. SHARED .. since)
end
return '1'
