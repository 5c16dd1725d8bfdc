-- KEYS: the bucket
-- ARGV: token of who closes it, time, before which another must have begun to be overtaken
-- Answers whether it is this token's to close; nothing if there is no such bucket.
if redis.call('EXISTS', KEYS[1]) == 0 then return nil end
local closing = redis.call('HGET', KEYS[1], 'closing')
if closing then
  local token, since = string.match(closing, '^(.*)@(%d+)$')
  if token ~= ARGV[1] and tonumber(since) > tonumber(ARGV[3]) then return '0' end
end
redis.call('HSET', KEYS[1], 'closing', ARGV[1] .. '@' .. ARGV[2])
return '1'
