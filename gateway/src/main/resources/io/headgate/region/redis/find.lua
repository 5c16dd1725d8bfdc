-- ARGV: name.
local entry = redis.call('HGET', NAMES, ARGV[1])
return entry and {entry} or {}
