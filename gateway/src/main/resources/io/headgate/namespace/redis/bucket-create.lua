-- KEYS: the bucket, its ranges
-- ARGV: id, owner, location, time, first range
-- Answers id, owner, location and time of the bucket that has the name: this one, or another.
if redis.call('EXISTS', KEYS[1]) == 0 then
  redis.call('HSET', KEYS[1], 'id', ARGV[1], 'owner', ARGV[2], 'location', ARGV[3], 'created', ARGV[4])
  redis.call('ZADD', KEYS[2], 0, ARGV[5])
end
return redis.call('HMGET', KEYS[1], 'id', 'owner', 'location', 'created')
