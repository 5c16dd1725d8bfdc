-- KEYS: root of a range that has been filled
-- ARGV: its epoch
if redis.call('HGET', KEYS[1], 'e') == 'p' then
  redis.call('HSET', KEYS[1], 'e', ARGV[1])
  redis.call('HDEL', KEYS[1], 'f')
end
return redis.call('HGET', KEYS[1], 'e')
