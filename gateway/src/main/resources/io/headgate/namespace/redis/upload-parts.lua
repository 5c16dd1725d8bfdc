-- KEYS: the upload, its parts
-- ARGV: after this number, how many
-- Answers state, number of changes, what the upload is, how it ended, then parts; nothing if there is none.
local upload = redis.call('HMGET', KEYS[1], 's', 'v', 'h', 'c')
if not upload[1] then return {} end
for i = 2, 4 do upload[i] = upload[i] or '' end
local parts = redis.call('ZRANGEBYSCORE', KEYS[2], '(' .. ARGV[1], '+inf', 'LIMIT', 0, ARGV[2])
for i = 1, #parts do upload[4 + i] = parts[i] end
return upload
