-- ARGV: name, entry. Answers the entry that had the name before.
redis.call('INCR', CHANGES)
local there = redis.call('HGET', NAMES, ARGV[1])
if there then return {there} end
put(ARGV[1], ARGV[2])
return {}
