-- KEYS: the bucket
-- ARGV: token of who closes it, after how many milliseconds another is overtaken
-- Answers whether it is this token's to close; nothing if there is no such bucket.
if call('EXISTS', KEYS[1]) == 0 then return nil end
local now = now_millis()
local closing = call('HGET', KEYS[1], 'closing')
if closing then
  local token, since = string.match(closing, '^(.*)@(%d+)$')
  if token ~= ARGV[1] and since + ARGV[2] > tonumber(now) then return '0' end
end
call('HSET', KEYS[1], 'closing', ARGV[1] .. '@' .. now)
return '1'
