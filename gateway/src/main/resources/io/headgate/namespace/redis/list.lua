-- KEYS: 1 root and 2 records of the range
-- ARGV: epoch, first key, the key that it ends before ('' for none), least number of entries, most bytes
-- Answers groups in their order: the first may begin before the first key, the last end after the last. There are fewer entries than asked
-- for only if the range ends, or the bytes are enough.
if not state_by(KEYS[1], ARGV[1]) then return MOVED end
local set, wanted, room = KEYS[2], tonumber(ARGV[4]), tonumber(ARGV[5])
local finish = #ARGV[3] > 0 and '(' .. ARGV[3] or '+'
local groups, entries, bytes = {}, 0, 0

local function take(group)
  groups[#groups + 1] = group
  bytes = bytes + #group
  local at = 1
  while at <= #group do
    local nul = find(group, '\0', at, true)
    at = nul + 3 + byte(group, nul + 1) * 256 + byte(group, nul + 2)
    entries = entries + 1
  end
end

local first = group_of(set, ARGV[2])
if first then
  take(first)
  entries = 0 -- perhaps none of them is wanted
end
local start = '(' .. ARGV[2] .. '\1'
while entries < wanted and bytes < room do
  local more = call('ZRANGEBYLEX', set, start, finish, 'LIMIT', 0, 32)
  for i = 1, #more do
    take(more[i])
    if entries >= wanted or bytes >= room then break end
  end
  if #more < 32 then break end
  local last = more[32]
  start = '(' .. sub(last, 1, find(last, '\0', 1, true) - 1) .. '\1'
end
return groups
