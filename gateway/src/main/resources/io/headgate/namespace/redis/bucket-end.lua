-- KEYS: the bucket, its ranges, what ended last of that name
-- ARGV: token of who closes it, whether it goes or opens again
-- Answers whether it was this token's.
local closing = redis.call('HGET', KEYS[1], 'closing')
if not closing or string.match(closing, '^(.*)@%d+$') ~= ARGV[1] then
  return redis.call('HGET', KEYS[3], 'by') == ARGV[1] and '1' or '0' -- this has been sent before
end
if ARGV[2] == '1' then
  redis.call('HSET', KEYS[3], 'by', ARGV[1], 'id', redis.call('HGET', KEYS[1], 'id'))
  redis.call('EXPIRE', KEYS[3], 600)
  redis.call('DEL', KEYS[1], KEYS[2])
else
  redis.call('HDEL', KEYS[1], 'closing')
end
return '1'
