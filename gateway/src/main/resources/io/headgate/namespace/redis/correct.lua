-- KEYS: of the slot; 9 what is counted there
-- ARGV: the correction's id, epoch of the range ('' if it is none's), then fields and what is to be added to them
-- Answers m if the range has moved.
if known(ARGV[1]) then return AGAIN end
if #ARGV[2] > 0 and not is_written_by(KEYS[9], ARGV[2]) then return MOVED end
for i = 3, #ARGV, 2 do call('HINCRBY', KEYS[9], ARGV[i], ARGV[i + 1]) end
remember(ARGV[1], AGAIN)
return DONE
