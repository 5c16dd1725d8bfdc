-- Copies of blobs in accounts where they do not live:
--   KEYS[9]   account and encoded id: state, 2 bytes of the account that the move under way comes from, 5 of the size, 6 of when
--   KEYS[10]  moves under way, v and account and id; and copies whose bytes are gone, x and when and account and id
local MOVING, LEFT, GONE = 'm', 'g', 'x'

local function copy_state(copy) return copy and sub(copy, 1, 1) end

local function copy_size(copy) return struct.unpack('>I5', copy, 4) end

-- The copy is garbage of its account.
local function leave(account, id, size, since)
  call('HSET', KEYS[9], account .. id, LEFT .. '\0\0' .. struct.pack('>I5', size) .. since)
  call('ZADD', KEYS[3], 0, account .. since .. id)
end
