-- KEYS: the upload
-- ARGV: how it was to end
if redis.call('HGET', KEYS[1], 'c') == ARGV[1] and redis.call('HGET', KEYS[1], 's') == 'c' then
  redis.call('HSET', KEYS[1], 's', 'o')
  redis.call('HINCRBY', KEYS[1], 'v', 1) -- a seal that is sent again is not to seal it again
  redis.call('HDEL', KEYS[1], 'c')
end
return '+'
