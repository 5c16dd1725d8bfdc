-- KEYS: intents
-- ARGV: expiry in 15 digits, ids
-- Answers the ids of those that stand.
local standing = {}
for i = 2, #ARGV do
  local intent = redis.call('HGET', KEYS[1], ARGV[i])
  if intent and string.sub(intent, 1, 1) == 's' then
    redis.call('HSET', KEYS[1], ARGV[i], 's' .. ARGV[1] .. string.sub(intent, 17))
    standing[#standing + 1] = ARGV[i]
  end
end
return standing
