-- KEYS: of the slot
-- ARGV: account, encoded ids of its blobs that are gone
for i = 2, #ARGV do
  local blob, group = blob_of(ARGV[i])
  if blob and state_of(blob) == GARBAGE and sub(blob, 1, 2) == ARGV[1] then
    erase(KEYS[1], group, ARGV[i])
    call('ZREM', KEYS[3], ARGV[1] .. sub(blob, 9, 14) .. ARGV[i])
    count(ARGV[1], 'g', -1, -blob_size(blob))
  end
end
return DONE
