-- KEYS: of the slot
-- ARGV: the write's id
-- Answers what came of a write to a range that has left the slot since, nothing if it has not been.
return known(ARGV[1])
