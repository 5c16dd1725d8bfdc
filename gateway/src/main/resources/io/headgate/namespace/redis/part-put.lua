-- KEYS: of the slot; 9 the upload and 10 its parts
-- ARGV: the slot, number, part, time, intent if the part's blob is to be of this slot, the blob's encoded id, its record, whether the intent
--   stands for all that the gateway knows
local slot, part, since, intent, id = tonumber(ARGV[1]), ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local group
if #intent > 0 then
  local blob
  blob, group = blob_of(id)
  if blob then return outcome_of(blob) end
elseif known(sub(part, 19, 34)) then
  return AGAIN
end
local state = call('HGET', KEYS[9], 's')
if state == SEALED then return 's' end
local refusal = state ~= OPEN and '2' or (ARGV[8] == '0' or #intent > 0 and is_taken(intent)) and '11'
if refusal then
  if #intent > 0 then drop(id, group, ARGV[7], since, refusal) end
  return refusal
end
local old = call('ZRANGEBYSCORE', KEYS[10], ARGV[2], ARGV[2])[1]
if old == part then return AGAIN end
if #intent > 0 then
  store(KEYS[1], group, id, ARGV[7])
  count(sub(ARGV[7], 1, 2), 'l', 1, blob_size(ARGV[7]))
end
if old then call('ZREM', KEYS[10], old) end
call('ZADD', KEYS[10], ARGV[2], part)
call('HINCRBY', KEYS[9], 'v', 1)
call('PERSIST', KEYS[9])
return DONE .. (old and let_go(old, slot, since) or '')
