-- KEYS: of the slot
-- ARGV: encoded ids and records of blobs; those that are known stay as they are
for i = 1, #ARGV, 2 do
  local id, record = ARGV[i], ARGV[i + 1]
  local blob, group = blob_of(id)
  if not blob then
    local account = sub(record, 1, 2)
    store(KEYS[1], group, id, record)
    if state_of(record) == GARBAGE then
      call('ZADD', KEYS[3], 0, account .. sub(record, 9, 14) .. id)
      count(account, 'g', 1, blob_size(record))
    else
      count(account, 'l', 1, blob_size(record))
    end
  end
end
return DONE
