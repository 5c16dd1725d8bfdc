-- KEYS: intents
-- ARGV: time, how many
-- Answers id and intent of those that are taken now, or were before, oldest first.
local all = redis.call('HGETALL', KEYS[1])
local found, intents = {}, {}
for i = 1, #all, 2 do
  local id, intent = tonumber(all[i]), all[i + 1]
  if id and (string.sub(intent, 1, 1) == 't' or tonumber(string.sub(intent, 2, 16)) < tonumber(ARGV[1])) then
    found[#found + 1] = id
    intents[id] = intent
  end
end
table.sort(found)
local answer = {}
for i = 1, math.min(#found, tonumber(ARGV[2])) do
  local id = found[i]
  local intent = 't' .. string.sub(intents[id], 2)
  redis.call('HSET', KEYS[1], id, intent)
  answer[#answer + 1] = tostring(id)
  answer[#answer + 1] = intent
end
return answer
