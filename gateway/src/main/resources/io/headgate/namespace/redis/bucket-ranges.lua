-- KEYS: the bucket, its ranges
-- ARGV: how many entries go, those, entries that come in their place
-- Answers whether they stand there now: they do not if those that go are gone otherwise.
local going = tonumber(ARGV[1])
local missing = 0
for i = 2 + going, #ARGV do
  if not redis.call('ZSCORE', KEYS[2], ARGV[i]) then missing = missing + 1 end
end
if missing == 0 then return '1' end
for i = 2, 1 + going do
  if not redis.call('ZSCORE', KEYS[2], ARGV[i]) then return '0' end
end
for i = 2, 1 + going do redis.call('ZREM', KEYS[2], ARGV[i]) end
for i = 2 + going, #ARGV do redis.call('ZADD', KEYS[2], 0, ARGV[i]) end
redis.call('HINCRBY', KEYS[1], 'v', 1)
return '1'
