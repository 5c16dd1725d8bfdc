-- KEYS: of the slot; 9 the upload, 10 orphans of the slot
-- ARGV: time, id of the upload
-- Its parts are let go when they are due; s if the upload is being completed.
local state = call('HGET', KEYS[9], 's')
if state == SEALED then return 's' end
if state == OPEN then
  call('HSET', KEYS[9], 's', ABORTED)
  call('ZADD', KEYS[10], 0, ARGV[1] .. 'u' .. ARGV[2])
end
return DONE
