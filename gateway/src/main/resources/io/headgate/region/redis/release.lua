-- ARGV: name, claim id.
redis.call('INCR', CHANGES)
local there = find(ARGV[1])
if not there or there.id ~= ARGV[2] then return {} end
remove(ARGV[1], there)
return {'1'}
