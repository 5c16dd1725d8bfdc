-- ARGV: name, claim id.
redis.call('INCR', CHANGES)
local entry = redis.call('HGET', NAMES, ARGV[1])
if not entry or parse(entry).id ~= ARGV[2] then return {} end
local id_ends = #ARGV[2] + 1
put(ARGV[1], string.sub(entry, 1, id_ends) .. 'L' .. string.sub(entry, id_ends + 2))
return {'1'}
