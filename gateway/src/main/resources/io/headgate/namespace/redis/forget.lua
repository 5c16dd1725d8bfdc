-- KEYS: of the slot; 9 and 10 of copies
-- ARGV: account, time, how old what is remembered of copies may be, encoded ids of blobs whose bytes are gone from the account
local account = ARGV[1]
for i = 4, #ARGV do
  local id = ARGV[i]
  local blob, group = blob_of(id)
  local copy = call('HGET', KEYS[9], account .. id)
  if blob and state_of(blob) == GARBAGE and sub(blob, 1, 2) == account then
    erase(KEYS[1], group, id)
    call('ZREM', KEYS[3], account .. sub(blob, 9, 14) .. id)
    count(account, 'g', -1, -blob_size(blob))
  elseif copy_state(copy) == LEFT then
    call('ZREM', KEYS[3], account .. sub(copy, 9, 14) .. id)
    call('HSET', KEYS[9], account .. id, GONE .. sub(copy, 2, 8) .. ARGV[2])
    call('ZADD', KEYS[10], 0, 'x' .. ARGV[2] .. account .. id)
    count(account, 'g', -1, -copy_size(copy))
  end
end
local old = call('ZRANGEBYLEX', KEYS[10], '[x', '(x' .. ARGV[3], 'LIMIT', 0, 2 * #ARGV)
for i = 1, #old do
  local field = sub(old[i], 8)
  if copy_state(call('HGET', KEYS[9], field)) == GONE then call('HDEL', KEYS[9], field) end
  call('ZREM', KEYS[10], old[i])
end
return DONE
