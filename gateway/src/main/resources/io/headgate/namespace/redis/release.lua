-- KEYS: of the slot
-- ARGV: the blob's encoded id, who holds it no more, since when, what is not to be looked at any more ('' for nothing)
release(ARGV[1], ARGV[2], ARGV[3])
if #ARGV[4] > 0 then call('ZREM', KEYS[8], ARGV[4]) end
return DONE
