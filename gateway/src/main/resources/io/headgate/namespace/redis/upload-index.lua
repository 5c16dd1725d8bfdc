-- KEYS: 1 root, 2 uploads and 3 changes of the range
-- ARGV: epoch, upload to be listed, or to be listed no more, which of both
local writable, round = is_written_by(KEYS[1], ARGV[1])
if not writable then return MOVED end
local changed = ARGV[3] == '1' and call('ZADD', KEYS[2], 0, ARGV[2]) or call('ZREM', KEYS[2], ARGV[2])
if changed > 0 then note(KEYS[3], round, UPLOAD, ARGV[2]) end
return tostring(changed)
