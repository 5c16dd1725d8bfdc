-- KEYS: of the slot; 9 and 10 of copies
-- ARGV: account and encoded id, and record, of copies; those that are known stay as they are
for i = 1, #ARGV, 2 do
  local field, copy = ARGV[i], ARGV[i + 1]
  local state, account, id = copy_state(copy), sub(field, 1, 2), sub(field, 3)
  if call('HSETNX', KEYS[9], field, copy) == 1 then
    if state == GONE then
      call('ZADD', KEYS[10], 0, 'x' .. sub(copy, 9, 14) .. field)
    else
      count(account, 'g', 1, copy_size(copy))
      if state == MOVING then
        call('ZADD', KEYS[10], 0, 'v' .. field)
      else
        call('ZADD', KEYS[3], 0, account .. sub(copy, 9, 14) .. id)
      end
    end
  end
end
return DONE
