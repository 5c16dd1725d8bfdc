-- KEYS: of the slot; 9 root, 10 records, 11 uploads and 12 changes of the range
-- ARGV: epoch, the slot, key, record, time, condition, hash of the attempt, its number, intent if the record's blob is to be of this slot,
--   the blob's encoded id, its record, whether the intent stands for all that the gateway knows,
--   and the upload that this completes, which must be there, or ''
local writable, round = is_written_by(KEYS[9], ARGV[1])
if not writable then return MOVED end
local set, key, record, since, intent, id = KEYS[10], ARGV[3], ARGV[4], ARGV[5], ARGV[9], ARGV[10]
local write = write_of(record)
local blobs_group
if #intent > 0 then
  local blob
  blob, blobs_group = blob_of(id)
  if blob then return outcome_of(blob) end
else
  local before_this = known(write)
  if before_this then return before_this end
end
local group = group_of(set, key)
local current = group and record_of(group, key)
if current and write_of(current) == write then return AGAIN .. current end
local refusal = #ARGV[13] > 0 and not call('ZSCORE', KEYS[11], ARGV[13]) and '2'
  or superseded(current, ARGV[7], tonumber(ARGV[8])) and '12'
  or refused_by(ARGV[6], current)
  or (ARGV[12] == '0' or #intent > 0 and is_taken(intent)) and '11'
if refusal then
  if #intent > 0 then drop(id, blobs_group, ARGV[11], since, refusal) end
  if #ARGV[13] > 0 then remember(write, refusal) end -- nobody else shall complete it after that
  return refusal
end
if #intent > 0 then
  store(KEYS[1], blobs_group, id, ARGV[11])
  count(sub(ARGV[11], 1, 2), 'l', 1, blob_size(ARGV[11]))
end
if #ARGV[13] > 0 then
  call('ZREM', KEYS[11], ARGV[13])
  note(KEYS[12], round, UPLOAD, ARGV[13])
end
store(set, group, key, record)
note(KEYS[12], round, OBJECT, key)
local grown = size_of(record) - (current and size_of(current) or 0)
call('HINCRBY', KEYS[9], 'b', integer(grown))
if not current then
  call('HINCRBY', KEYS[9], 'n', 1)
  return DONE
end
return DONE .. replaced(current, tonumber(ARGV[2]), since)
