-- KEYS: 1 root, 2 records and 3 uploads of the range
-- ARGV: where a part of it went, where that begins, how many groups
-- Takes away what is not the range's any more. Answers whether that was all.
if call('HGET', KEYS[1], 'to') ~= ARGV[1] or call('HGET', KEYS[1], 'cut') ~= '1' then return '1' end
local border = ARGV[2]
local straddling = group_of(KEYS[2], border)
if straddling then
  local keys, entries = parse(straddling)
  local own = #keys
  while own > 0 and not before(keys[own], border) do own = own - 1 end
  if own < #keys then
    remove(KEYS[2], keys[1])
    if own > 0 then add(KEYS[2], entries, 1, own) end
  end
end
local groups = call('ZRANGEBYLEX', KEYS[2], '[' .. border, '+', 'LIMIT', 0, ARGV[3])
for i = 1, #groups do call('ZREM', KEYS[2], groups[i]) end
local uploads = call('ZRANGEBYLEX', KEYS[3], '[' .. border, '+', 'LIMIT', 0, ARGV[3])
for i = 1, #uploads do call('ZREM', KEYS[3], uploads[i]) end
if #groups + #uploads > 0 then return '0' end
call('HSET', KEYS[1], 'cut', '2')
return '1'
