-- KEYS: of the slot
-- ARGV: encoded ids
-- Answers each blob's record, '' for one that is not known.
local answer = {}
for i = 1, #ARGV do answer[i] = blob_of(ARGV[i]) or '' end
return answer
