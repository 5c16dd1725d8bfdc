-- KEYS: of the slot; 9 and 10 of copies
-- ARGV: encoded id, record and time of each
for i = 1, #ARGV, 3 do
  local id, record = ARGV[i], ARGV[i + 1]
  local account = sub(record, 1, 2)
  local blob, group = blob_of(id)
  local copy = copy_state(call('HGET', KEYS[9], account .. id))
  if copy ~= MOVING and copy ~= LEFT then
    if not blob then
      drop(id, group, record, ARGV[i + 2], '11')
    elseif sub(blob, 1, 2) ~= account then
      leave(account, id, blob_size(record), ARGV[i + 2])
      count(account, 'g', 1, blob_size(record))
    end
  end
end
return DONE
