-- KEYS: state, slices and parts of a manifest
-- One that no version has ever referred to is removed, also if it is not whole.
local state = redis.call('GET', KEYS[1])
if not state or state == 'w' then redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3]) end
return '+'
