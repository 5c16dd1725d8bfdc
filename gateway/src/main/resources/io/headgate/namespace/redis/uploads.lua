-- KEYS: 1 root and 2 uploads of the range
-- ARGV: epoch, from, to, how many
if not state_by(KEYS[1], ARGV[1]) then return { MOVED } end
return call('ZRANGEBYLEX', KEYS[2], ARGV[2], ARGV[3], 'LIMIT', 0, ARGV[4])
