-- KEYS: 1 root, 2 records, 3 uploads and 4 changes of the range
-- ARGV: epoch, where a part of it goes, epoch from now on, '' if all of it goes, where that part begins, its objects, its bytes
-- From now on the other range owns that part. Answers 1 if it does, m if this is not to be done any more, x if the counts are not right.
if call('HGET', KEYS[1], 'to') ~= ARGV[2] then return MOVED end
if call('HGET', KEYS[1], 'cut') then return '1' end
if call('HGET', KEYS[1], 'e') ~= ARGV[1] .. '!' then return MOVED end
if #ARGV[3] == 0 then
  if call('HGET', KEYS[1], 'n') ~= ARGV[5] or call('HGET', KEYS[1], 'b') ~= ARGV[6] then return 'x' end
  call('HSET', KEYS[1], 'e', 'gone', 'cut', '1', 'n', 0, 'b', 0)
else
  if call('HINCRBY', KEYS[1], 'n', integer(-ARGV[5])) < 0 then
    call('HINCRBY', KEYS[1], 'n', ARGV[5])
    return 'x'
  end
  call('HINCRBY', KEYS[1], 'b', integer(-ARGV[6]))
  call('HSET', KEYS[1], 'e', ARGV[3], 'cut', '1')
end
call('UNLINK', KEYS[4])
return '1'
