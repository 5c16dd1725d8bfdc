-- The record of a version, as far as scripts read it: flags, 16 bytes of the write's id, 2 of the account's number, 6 of the size, 16 of the
-- blob's id if it has one of its own, the entity tag after its length, and, if a flag says so, hash and number of the attempt.
local BLOB, OWN_ID, MANIFEST, ATTEMPT, REMEMBERED = 4, 8, 16, 64, 128

local function has(record, flags) return bit.band(byte(record, 1), flags) ~= 0 end

local function write_of(record) return sub(record, 2, 17) end

local function size_of(record) return struct.unpack('>I6', record, 20) end

-- What the version holds: a blob, or a manifest, which has the id of the write that completed it.
local function bytes_of(record)
  if has(record, OWN_ID) then return sub(record, 26, 41) end
  return has(record, BLOB + MANIFEST) and write_of(record) or nil
end

local function tag_at(record) return has(record, OWN_ID) and 42 or 26 end

local function etag_of(record)
  local at = tag_at(record)
  return sub(record, at, at + byte(record, at) % 128)
end

-- Why the condition on the current record forbids the write, if it does.
local function refused_by(condition, current)
  local kind = sub(condition, 1, 1)
  if kind == 'a' then return current and '4' end
  if kind == 'p' then return not current and '1' end
  if kind == 'w' then return not (current and write_of(current) == sub(condition, 2)) and '4' or nil end
  if kind ~= 'm' and kind ~= 'd' then return nil end
  if not current then return kind == 'm' and '1' or nil end
  local etag, at = etag_of(current), 2
  while at <= #condition do
    local to = at + byte(condition, at) % 128
    if sub(condition, at, to) == etag then return kind == 'd' and '4' or nil end
    at = to + 1
  end
  return kind == 'm' and '4' or nil
end

-- Whether a later attempt of the same call made the current record.
local function superseded(current, hash, number)
  if not current or #hash == 0 or not has(current, ATTEMPT) then return false end
  local at = tag_at(current)
  at = at + byte(current, at) % 128 + 1
  return sub(current, at, at + 7) == hash and byte(current, at + 8) > number
end
