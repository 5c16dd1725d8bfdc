-- KEYS: 1 root and 2 records of the range
-- ARGV: epoch, first key, the key that it ends before ('' for none), delimiter, bytes of the prefix, most lines, most bytes
-- Answers lines, k and an entry or p and a common prefix; then where to go on, '' if nothing follows.
if not state_by(KEYS[1], ARGV[1]) then return MOVED end
local set, finish, delimiter = KEYS[2], ARGV[3], ARGV[4]
local skipped, most, room = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
local lines, bytes, from = {}, 0, ARGV[2]

local group = group_of(set, from) or call('ZRANGE', set, 0, 0)[1]
while group do
  local keys, entries = parse(group)
  for i = 1, #keys do
    local key = keys[i]
    if not before(key, from) then
      if #finish > 0 and not before(key, finish) then
        lines[#lines + 1] = ''
        return lines
      end
      if #lines >= most or bytes >= room then
        lines[#lines + 1] = key
        return lines
      end
      local at = find(key, delimiter, skipped + 1, true)
      local line
      if at then
        local prefix = sub(key, 1, at + #delimiter - 1)
        from = sub(prefix, 1, -2) .. char(byte(prefix, -1) + 1) -- all that begin with it are passed over
        line = 'p' .. prefix
      else
        line = 'k' .. entries[i]
      end
      lines[#lines + 1] = line
      bytes = bytes + #line
    end
  end
  local last = keys[#keys]
  if before(last, from) then
    -- The group that would hold it, if that is another one, else the next.
    local seek = group_of(set, from)
    group = seek ~= group and seek or call('ZRANGEBYLEX', set, '(' .. last .. '\1', '+', 'LIMIT', 0, 1)[1]
  else
    group = call('ZRANGEBYLEX', set, '(' .. last .. '\1', '+', 'LIMIT', 0, 1)[1]
  end
end
lines[#lines + 1] = ''
return lines
