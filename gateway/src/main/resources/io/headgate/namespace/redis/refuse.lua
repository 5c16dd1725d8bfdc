-- KEYS: of the slot
-- ARGV: the blob's encoded id, its record, time, why its write is refused, what is not to be looked at any more
local blob, group = blob_of(ARGV[1])
if blob and state_of(blob) == ONE then count(sub(blob, 1, 2), 'l', -1, -blob_size(blob)) end
if not blob or state_of(blob) == ONE then drop(ARGV[1], group, ARGV[2], ARGV[3], ARGV[4]) end
call('ZREM', KEYS[8], ARGV[5])
return DONE
