-- KEYS: of the slot
-- ARGV: the operation's id
-- Answers what delete.lua answered, nothing if it has not been done.
local before_this = known(ARGV[1])
return before_this and cmsgpack.unpack(before_this) or {}
