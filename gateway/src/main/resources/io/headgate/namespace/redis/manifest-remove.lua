-- KEYS: state, slices and parts of a manifest
-- One that no version has ever referred to is removed.
if redis.call('GET', KEYS[1]) == 'w' then redis.call('UNLINK', KEYS[1], KEYS[2], KEYS[3]) end
return '+'
