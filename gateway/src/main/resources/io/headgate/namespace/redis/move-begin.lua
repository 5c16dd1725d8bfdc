-- KEYS: of the slot; 9 and 10 of copies
-- ARGV: encoded id, account that it moves from, to, before when an earlier copy there must have gone
-- Answers the blob's size if the move is recorded.
local id, from, to = ARGV[1], ARGV[2], ARGV[3]
local blob = blob_of(id)
if not blob or state_of(blob) == GARBAGE or sub(blob, 1, 2) ~= from then return nil end
local copy = call('HGET', KEYS[9], to .. id)
if copy_state(copy) == MOVING and sub(copy, 2, 3) == from then return integer(copy_size(copy)) end
if copy and not (copy_state(copy) == GONE and before(sub(copy, 9, 14), ARGV[4])) then return nil end
call('HSET', KEYS[9], to .. id, MOVING .. from .. sub(blob, 3, 7) .. '\0\0\0\0\0\0')
call('ZADD', KEYS[10], 0, 'v' .. to .. id)
count(to, 'g', 1, blob_size(blob))
return integer(blob_size(blob))
