-- KEYS: numbers of accounts
-- ARGV: name
local number = redis.call('HGET', KEYS[1], ARGV[1])
if not number then
  number = redis.call('HLEN', KEYS[1]) + 1
  redis.call('HSET', KEYS[1], ARGV[1], number)
end
return tostring(number)
