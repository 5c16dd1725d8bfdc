-- KEYS: 1 root, 2 records and 3 uploads of a range; 4 root, 5 records and 6 uploads of the one that follows it
-- ARGV: epochs of both, epoch of the first from now on, the second as it stands among the bucket's ranges, most groups
-- The first takes what the second has. Answers 1 if it does, 0 if that is too much, m if one of them is not what it was.
if redis.call('HGET', KEYS[1], 'joined') == ARGV[4] and redis.call('HGET', KEYS[1], 'e') == ARGV[3] then return '1' end
for i = 1, 4, 3 do
  local root = redis.call('HMGET', KEYS[i], 'e', 'cut')
  if root[1] ~= ARGV[i == 1 and 1 or 2] or root[2] == '1' then return 'm' end
end
if redis.call('ZCARD', KEYS[5]) + redis.call('ZCARD', KEYS[6]) > tonumber(ARGV[5]) then return '0' end
for i = 2, 3 do
  local members = redis.call('ZRANGE', KEYS[3 + i], 0, -1)
  for m = 1, #members do redis.call('ZADD', KEYS[i], 0, members[m]) end
end
redis.call('HINCRBY', KEYS[1], 'n', redis.call('HGET', KEYS[4], 'n'))
redis.call('HINCRBY', KEYS[1], 'b', redis.call('HGET', KEYS[4], 'b'))
redis.call('HSET', KEYS[1], 'e', ARGV[3], 'joined', ARGV[4])
redis.call('HDEL', KEYS[1], 'to', 'cut', 'at')
redis.call('UNLINK', KEYS[4], KEYS[5], KEYS[6])
return '1'
