-- KEYS: of the slot; 9 root and 10 records of the range
-- ARGV: epoch, key, the write's id
-- Answers what came of the write, nothing if it has not been.
if not state_by(KEYS[9], ARGV[1]) then return MOVED end
local group = group_of(KEYS[10], ARGV[2])
local current = group and record_of(group, ARGV[2])
if current and write_of(current) == ARGV[3] then return AGAIN .. current end
return known(ARGV[3])
