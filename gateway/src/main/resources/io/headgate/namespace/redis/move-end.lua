-- KEYS: of the slot; 9 and 10 of copies
-- ARGV: encoded id, account that it moves from, to, time, whether the copy is whole, the operation's id
-- Answers the size if the blob lives there now, 0 if it did so before; nothing if it does not.
local id, from, to, since = ARGV[1], ARGV[2], ARGV[3], ARGV[4]
local before_this = known(ARGV[6])
if before_this then return before_this end
local blob, group = blob_of(id)
local alive = blob and state_of(blob) ~= GARBAGE
local copy = call('HGET', KEYS[9], to .. id)
if copy_state(copy) ~= MOVING then
  return ARGV[5] == '1' and alive and sub(blob, 1, 2) == to and '0' or nil
end
call('ZREM', KEYS[10], 'v' .. to .. id)
local size = copy_size(copy)
if ARGV[5] ~= '1' or not alive or sub(blob, 1, 2) ~= from then
  leave(to, id, size, since)
  return nil
end
call('HDEL', KEYS[9], to .. id)
count(to, 'g', -1, -size)
store(KEYS[1], group, id, to .. sub(blob, 3))
count(to, 'l', 1, size)
count(from, 'l', -1, -size)
leave(from, id, size, since)
count(from, 'g', 1, size)
remember(ARGV[6], integer(size))
return integer(size)
