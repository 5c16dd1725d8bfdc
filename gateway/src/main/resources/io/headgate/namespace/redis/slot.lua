-- What a slot keeps beside its ranges.
--   KEYS[1]  blobs: groups of encoded id and record: 2 bytes of the account's number, 5 of the size, state; of shared ones when a holder
--            left last; of garbage since when it is that, and why its write was refused, if it was
--   KEYS[2]  holders of shared blobs: encoded id, NUL, holder
--   KEYS[3]  garbage: account, since when, encoded id
--   KEYS[4]  what accounts hold: account and kind of count
--   KEYS[5]  what came of writes lately, KEYS[6] of those before
--   KEYS[7]  intents that were taken
--   KEYS[8]  what other slots are to be told, and what may be forgotten of what they have told
local ONE, SHARED, GARBAGE = 'o', 's', 'g'

-- The slot that a blob's id names.
local function slot_of(id)
  return byte(id, 6) * 64 + (byte(id, 7) - 128) * 4 + math.floor(byte(id, 8) / 64)
end

-- As it orders by time, and without NUL.
local function encoded(id)
  return (string.gsub(sub(id, 2, 8) .. sub(id, 1, 1) .. sub(id, 9), '[%z\1]', { ['\0'] = '\1\1', ['\1'] = '\1\2' }))
end

local function count(account, kind, number, bytes)
  call('HINCRBY', KEYS[4], account .. kind, number)
  call('HINCRBY', KEYS[4], account .. kind .. 'b', integer(bytes))
end

local function blob_of(id)
  local group = group_of(KEYS[1], id)
  return group and record_of(group, id), group
end

local function blob_size(blob) return struct.unpack('>I5', blob, 3) end

local function state_of(blob) return sub(blob, 8, 8) end

-- What is to be said of the write that a known blob came with.
local function outcome_of(blob)
  local refusal = state_of(blob) == GARBAGE and sub(blob, 15) or ''
  return #refusal > 0 and refusal or AGAIN
end

-- Makes the blob garbage, since then.
local function drop(id, group, blob, since, refusal)
  local account = sub(blob, 1, 2)
  store(KEYS[1], group, id, sub(blob, 1, 7) .. GARBAGE .. since .. refusal)
  call('ZADD', KEYS[3], 0, account .. since .. id)
  count(account, 'g', 1, blob_size(blob))
end

-- Takes the holder from what is shared; whether there is another.
local function is_held(id, holder)
  call('ZREM', KEYS[2], id .. '\0' .. holder)
  return #call('ZRANGEBYLEX', KEYS[2], '[' .. id .. '\0', '(' .. id .. '\1', 'LIMIT', 0, 1) > 0
end

-- Whether all holders that the arguments name, from that one on, are holders.
local function all_hold(id, from)
  for i = from, #ARGV do
    if not call('ZSCORE', KEYS[2], id .. '\0' .. ARGV[i]) then return false end
  end
  return true
end

-- Takes the holder from a blob of this slot; one that has no other is garbage, since the last left.
local function release(id, holder, since)
  local blob, group = blob_of(id)
  if not blob or state_of(blob) == GARBAGE then return end
  if state_of(blob) == SHARED then
    if before(since, sub(blob, 9, 14)) then since = sub(blob, 9, 14) end
    if is_held(id, holder) then
      store(KEYS[1], group, id, sub(blob, 1, 8) .. since)
      return
    end
  end
  count(sub(blob, 1, 2), 'l', -1, -blob_size(blob))
  drop(id, group, blob, since, '')
end

local function known(write)
  return call('HGET', KEYS[5], write) or call('HGET', KEYS[6], write)
end

-- For as long as the write may be sent again.
local function remember(write, outcome)
  call('HSET', KEYS[5], write, outcome)
  call('EXPIRE', KEYS[5], 300)
end

local function is_taken(intent)
  return call('SISMEMBER', KEYS[7], intent) == 1
end
