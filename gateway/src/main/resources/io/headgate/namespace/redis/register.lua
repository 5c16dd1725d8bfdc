-- KEYS: of the slot
-- ARGV: intent, the blob's encoded id, its record, time, what to look at if nobody confirms that the write was committed, whether the
--   intent stands for all that the gateway knows
-- Answers + that the write may go on, = that it has been, ? that it may have been, why it is refused, or n that it is to be refused with the
-- blob unknown.
local blob, group = blob_of(ARGV[2])
if blob then
  local outcome = outcome_of(blob)
  if outcome == AGAIN and state_of(blob) ~= GARBAGE and call('ZSCORE', KEYS[8], ARGV[5]) then return '?' end
  return outcome
end
if ARGV[6] == '0' then return 'n' end
if is_taken(ARGV[1]) then
  drop(ARGV[2], group, ARGV[3], ARGV[4], '11')
  return '11'
end
store(KEYS[1], group, ARGV[2], ARGV[3])
count(sub(ARGV[3], 1, 2), 'l', 1, blob_size(ARGV[3]))
call('ZADD', KEYS[8], 0, ARGV[5])
return DONE
