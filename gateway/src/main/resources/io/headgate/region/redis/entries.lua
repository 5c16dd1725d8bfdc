-- Stands before each script. Answers are lists; a change that is done answers one element. KEYS: entries by name; "owner NUL name" of live entries; "region NUL name" of all entries; a number that every
-- change makes larger, so that who waits for replicas after it waits for all changes before.
local NAMES, OWNERS, REGIONS, CHANGES = KEYS[1], KEYS[2], KEYS[3], KEYS[4]

-- An entry is: claim id, C or L, milliseconds, region, owner, with NUL between them.
local function parse(entry)
  local id, state, region, owner = string.match(entry, '^(%Z+)%z(%u)%z%-?%d+%z(%Z+)%z(%Z+)$')
  return {id = id, live = state == 'L', region = region, owner = owner}
end

local function find(name)
  local entry = redis.call('HGET', NAMES, name)
  return entry and parse(entry) or nil
end

local function remove(name, old)
  redis.call('HDEL', NAMES, name)
  redis.call('ZREM', OWNERS, old.owner .. '\0' .. name)
  redis.call('ZREM', REGIONS, old.region .. '\0' .. name)
end

local function put(name, entry)
  local new = parse(entry)
  redis.call('HSET', NAMES, name, entry)
  redis.call('ZADD', REGIONS, 0, new.region .. '\0' .. name)
  if new.live then
    redis.call('ZADD', OWNERS, 0, new.owner .. '\0' .. name)
  end
end

-- The entries behind a page of an index, with their names.
local function page(index, from, to, limit)
  local answer = {}
  for _, member in ipairs(redis.call('ZRANGEBYLEX', index, from, to, 'LIMIT', 0, limit)) do
    local name = string.match(member, '^%Z+%z(.*)$')
    answer[#answer + 1] = name
    answer[#answer + 1] = redis.call('HGET', NAMES, name)
  end
  return answer
end
