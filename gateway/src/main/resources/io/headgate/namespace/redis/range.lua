-- What the root of a range says: e its epoch, by which gateways know it, n and b how many objects it has and their bytes. While a part of it
-- is on its way into another range, which 'to' tells, the epoch is followed by + and the number of a round, in which each write notes
-- what it changes, and at last by !, when nothing is written any more.

-- Whether it may be read by one who knows it by that epoch.
local function is_read_by(root, epoch)
  local now = call('HGET', root, 'e')
  if now == epoch then return true end
  local state = now and sub(now, 1, #epoch) == epoch and sub(now, #epoch + 1, #epoch + 1)
  return state == '+' or state == '!'
end

-- Whether it may be written, and the round in which changes are to be noted, if they are.
local function is_written_by(root, epoch)
  local now = call('HGET', root, 'e')
  if now == epoch then return true end
  if now and sub(now, 1, #epoch + 1) == epoch .. '+' then return true, sub(now, #epoch + 2) end
  return false
end

local OBJECT, UPLOAD = 'o', 'u'

-- Notes that an object or an upload has changed, if there is a round.
local function note(changes, round, kind, member)
  if round then call('ZADD', changes, round, kind .. member) end
end

-- A range that is being filled counts what has been done to it, so that nothing is done twice, or by one who thinks another did not.
-- Whether the next is to be done; or its answer.
local function next_fill(root, done)
  if call('HGET', root, 'e') ~= '-' then return false, '0' end
  local now = call('HGET', root, 'f')
  if now == integer(done + 1) then return false, '1' end
  if now ~= done then return false, '0' end
  call('HINCRBY', root, 'f', 1)
  return true
end
