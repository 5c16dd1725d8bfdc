-- The records of a range stand in one sorted set, whose members are groups of neighbours: key, NUL, length in two bytes, record, again and
-- again. All scores are 0, so the set orders groups by their first key. Keys hold no NUL.
local byte, char, sub, find = string.byte, string.char, string.sub, string.find
local call = redis.call

local MOST, MOST_BYTES = 8, 2048
local DONE, AGAIN, MOVED = '+', '=', 'm'

-- As Redis counts, whose integers are longer than Lua's numbers are written by itself.
local function integer(number) return string.format('%.0f', number + 0) end

-- By the server's clock.
local function now_millis()
  local time = call('TIME')
  return integer(time[1] * 1000 + math.floor(time[2] / 1000))
end

-- By bytes: Lua's own comparison goes by the server's locale.
local function before(a, b)
  local shorter = #a < #b and #a or #b
  local at = 1
  while at + 5 <= shorter do
    local x, y = struct.unpack('>I6', a, at), struct.unpack('>I6', b, at)
    if x ~= y then return x < y end
    at = at + 6
  end
  for i = at, shorter do
    local x, y = byte(a, i), byte(b, i)
    if x ~= y then return x < y end
  end
  return #a < #b
end

-- The group that holds the key, if any does.
local function group_of(set, key)
  return call('ZREVRANGEBYLEX', set, '(' .. key .. '\1', '-', 'LIMIT', 0, 1)[1]
end

-- The key's record in its group.
local function record_of(group, key)
  local at = 1
  while at <= #group do
    local nul = find(group, '\0', at, true)
    local to = nul + 2 + byte(group, nul + 1) * 256 + byte(group, nul + 2)
    if nul - at == #key and sub(group, at, nul - 1) == key then return sub(group, nul + 3, to) end
    at = to + 1
  end
end

local function parse(group)
  local keys, entries, at = {}, {}, 1
  while at <= #group do
    local nul = find(group, '\0', at, true)
    local to = nul + 2 + byte(group, nul + 1) * 256 + byte(group, nul + 2)
    keys[#keys + 1] = sub(group, at, nul - 1)
    entries[#entries + 1] = sub(group, at, to)
    at = to + 1
  end
  return keys, entries
end

local function remove(set, first)
  call('ZREMRANGEBYLEX', set, '[' .. first .. '\0', '(' .. first .. '\1')
end

local function add(set, entries, from, to)
  call('ZADD', set, 0, table.concat(entries, '', from, to))
end

-- Gives the key this record. The group is the one that holds the key, or would.
local function store(set, group, key, record)
  local entry = key .. '\0' .. char(math.floor(#record / 256), #record % 256) .. record
  group = group or call('ZRANGE', set, 0, 0)[1] -- less than all of them: it joins the first
  if not group then
    call('ZADD', set, 0, entry)
    return
  end
  local keys, entries = parse(group)
  local low, high = 1, #keys + 1
  while low < high do
    local middle = math.floor((low + high) / 2)
    if before(keys[middle], key) then low = middle + 1 else high = middle end
  end
  local bytes = #group + #entry
  if keys[low] == key then
    bytes = bytes - #entries[low]
    entries[low] = entry
  elseif low > #keys and (#keys >= MOST or bytes > MOST_BYTES) then
    call('ZADD', set, 0, entry) -- keys that come in order leave full groups behind
    return
  else
    table.insert(entries, low, entry)
  end
  remove(set, keys[1])
  if #entries > 1 and (#entries > MOST or bytes > MOST_BYTES) then
    local half = math.floor(#entries / 2)
    add(set, entries, 1, half)
    add(set, entries, half + 1, #entries)
  else
    add(set, entries, 1, #entries)
  end
end

-- Takes away the key, which is in the group. Few that are left join the group that follows.
local function erase(set, group, key)
  local keys, entries = parse(group)
  for i = 1, #keys do
    if keys[i] == key then
      table.remove(entries, i)
      break
    end
  end
  remove(set, keys[1])
  if #entries == 0 then return end
  local left = table.concat(entries)
  if #entries <= MOST / 4 then
    local following = call('ZRANGEBYLEX', set, '(' .. keys[#keys] .. '\1', '+', 'LIMIT', 0, 1)[1]
    if following and #following + #left <= MOST_BYTES then
      local others = parse(following)
      if #others + #entries <= MOST - 2 then
        remove(set, others[1])
        left = left .. following
      end
    end
  end
  call('ZADD', set, 0, left)
end
