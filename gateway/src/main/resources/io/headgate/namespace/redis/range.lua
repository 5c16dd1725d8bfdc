-- What the root of a range says: e its epoch, by which gateways know it, n and b how many objects it has and their bytes. While a part of it
-- is on its way into another range, which 'to' tells, the epoch is followed by + and the number of a round, in which each write notes
-- what it changes, and at last by !, when nothing is written any more.

-- What stands behind the epoch by which the range is known: nothing, + and the round, or !; nil if it has another.
local function state_by(root, epoch)
  local now = call('HGET', root, 'e')
  if now == epoch then return '' end
  if not now or sub(now, 1, #epoch) ~= epoch then return nil end
  local state = sub(now, #epoch + 1)
  return (state == '!' or sub(state, 1, 1) == '+') and state or nil
end

local function is_copied(state) return state and sub(state, 1, 1) == '+' end

-- Whether it may be written by one who knows it by that epoch, and the round in which changes are to be noted, if they are.
local function is_written_by(root, epoch)
  local state = state_by(root, epoch)
  if is_copied(state) then return true, sub(state, 2) end
  return state == ''
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
