-- KEYS: a hash
-- ARGV: field
-- Answers the server's time in seconds and microseconds, and what the field holds.
local time = redis.call('TIME')
return { time[1], time[2], redis.call('HGET', KEYS[1], ARGV[1]) or '' }
