-- KEYS: the bucket, its ranges, what ended last of that name
-- ARGV: id, owner, location, time, whether its keys are hashed ('' or 1), settings, ranges
-- Answers id, owner, location, time and settings of the bucket that has the name: this one, or another. One that has ended since this was sent first is
-- not made again.
if redis.call('HGET', KEYS[3], 'id') == ARGV[1] then return { ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[6] } end
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'id', ARGV[1], 'owner', ARGV[2], 'location', ARGV[3], 'created', ARGV[4])
  if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'hashed', ARGV[5]) end
  if ARGV[6] ~= '' then redis.call('HSET', KEYS[1], 'settings', ARGV[6]) end
  for i = 7, #ARGV do redis.call('ZADD', KEYS[2], 0, ARGV[i]) end
end
local made = redis.call('HMGET', KEYS[1], 'id', 'owner', 'location', 'created', 'settings')
made[5] = made[5] or ''
return made
