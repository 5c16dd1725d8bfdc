-- KEYS: of the slot; 9 and 10 of copies
-- ARGV: account, encoded ids
-- Answers for each whether it should not be in the account.
local answer = {}
for i = 2, #ARGV do
  local blob = blob_of(ARGV[i])
  local copy = copy_state(call('HGET', KEYS[9], ARGV[1] .. ARGV[i]))
  local known = blob and sub(blob, 1, 2) == ARGV[1] or copy == MOVING or copy == LEFT
  answer[i - 1] = known and '0' or '1'
end
return answer
