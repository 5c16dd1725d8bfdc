-- KEYS: of the slot; 9 the upload, 10 orphans of the slot
-- ARGV: time, id of the upload, the operation's id
-- Its parts are let go when they are due. Answers 1 if this operation has ended it, 0 if it has not; s if the upload is being completed.
local state = call('HGET', KEYS[9], 's')
if state == SEALED then return 's' end
if state == OPEN then
  call('HSET', KEYS[9], 's', ABORTED, 'a', ARGV[3])
  call('ZADD', KEYS[10], 0, ARGV[1] .. 'u' .. ARGV[2])
  return '1'
end
return state == ABORTED and call('HGET', KEYS[9], 'a') == ARGV[3] and '1' or '0'
