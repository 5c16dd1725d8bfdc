-- ARGV: name, id of the claim that has it, entry, its claim id.
redis.call('INCR', CHANGES)
local there = find(ARGV[1])
if not there then return {} end
if there.id == ARGV[4] then return {'1'} end
if there.id ~= ARGV[2] then return {} end
remove(ARGV[1], there)
put(ARGV[1], ARGV[3])
return {'1'}
