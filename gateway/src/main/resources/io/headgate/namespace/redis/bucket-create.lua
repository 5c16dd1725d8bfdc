-- KEYS: the bucket, its ranges
-- ARGV: id, owner, location, time, whether its keys are hashed ('' or 1), ranges
-- Answers id, owner, location and time of the bucket that has the name: this one, or another.
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'id', ARGV[1], 'owner', ARGV[2], 'location', ARGV[3], 'created', ARGV[4])
  if ARGV[5] ~= '' then redis.call('HSET', KEYS[1], 'hashed', ARGV[5]) end
  for i = 6, #ARGV do redis.call('ZADD', KEYS[2], 0, ARGV[i]) end
end
return redis.call('HMGET', KEYS[1], 'id', 'owner', 'location', 'created')
