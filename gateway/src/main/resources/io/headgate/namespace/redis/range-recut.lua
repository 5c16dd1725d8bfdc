-- KEYS: 1 root, 2 records and 3 changes of a range
-- ARGV: epoch, where a part of it went, epoch from now on, '' if all of it went, where that part begins
-- The range has forgotten that it was cut: it is cut again, and what is left is counted, which takes as long as there is.
if call('HGET', KEYS[1], 'to') ~= ARGV[2] then return '0' end
if call('HGET', KEYS[1], 'cut') then return '1' end
if not state_by(KEYS[1], ARGV[1]) then return '0' end
local objects, bytes = 0, 0
if #ARGV[3] > 0 then
  local from = '-'
  while true do
    local groups = call('ZRANGEBYLEX', KEYS[2], from, '(' .. ARGV[4], 'LIMIT', 0, 64)
    for i = 1, #groups do
      local keys, entries = parse(groups[i])
      for k = 1, #keys do
        if before(keys[k], ARGV[4]) then
          objects = objects + 1
          bytes = bytes + size_of(sub(entries[k], #keys[k] + 4))
        end
      end
      from = '(' .. groups[i]
    end
    if #groups < 64 then break end
  end
end
call('HSET', KEYS[1], 'e', #ARGV[3] > 0 and ARGV[3] or 'gone', 'cut', '1', 'n', objects, 'b', integer(bytes))
call('UNLINK', KEYS[3])
return '1'
