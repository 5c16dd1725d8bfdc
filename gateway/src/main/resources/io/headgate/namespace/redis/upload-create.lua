-- KEYS: the upload
-- ARGV: what it is
-- Until it is known to be listed, it does not stay.
if redis.call('HSETNX', KEYS[1], 's', 'o') == 1 then
  redis.call('HSET', KEYS[1], 'h', ARGV[1], 'v', 0)
  redis.call('EXPIRE', KEYS[1], 86400)
end
return '+'
