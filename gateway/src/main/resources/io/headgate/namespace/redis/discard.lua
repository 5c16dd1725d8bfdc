-- KEYS: of the slot
-- ARGV: encoded id, record and time of each
for i = 1, #ARGV, 3 do
  local blob, group = blob_of(ARGV[i])
  if not blob then drop(ARGV[i], group, ARGV[i + 1], ARGV[i + 2], '11') end
end
return DONE
