-- KEYS: of the slot
-- ARGV: the blob's encoded id, who holds it, who is to hold it too, what to look at if nobody confirms that
-- Answers whether the blob is alive.
local blob, group = blob_of(ARGV[1])
if not blob or state_of(blob) == GARBAGE then return '0' end
if state_of(blob) == ONE then
  store(KEYS[1], group, ARGV[1], sub(blob, 1, 7) .. SHARED .. '\0\0\0\0\0\0')
  call('ZADD', KEYS[2], 0, ARGV[1] .. '\0' .. ARGV[2])
end
call('ZADD', KEYS[2], 0, ARGV[1] .. '\0' .. ARGV[3])
call('ZADD', KEYS[8], 0, ARGV[4])
return '1'
