-- KEYS: of the slot
-- ARGV: account, after this encoded id ('' to begin), how many blobs, how many groups
-- Answers where it stopped, '' at the end of the slot, then id and size of each.
local answer = { '' }
local from = #ARGV[2] > 0 and ARGV[2] or ''
local group = #from > 0 and group_of(KEYS[1], from) or call('ZRANGE', KEYS[1], 0, 0)[1]
for i = 1, tonumber(ARGV[4]) do
  if not group then break end
  local keys, entries = parse(group)
  for k = 1, #keys do
    local blob = sub(entries[k], #keys[k] + 4)
    if before(from, keys[k]) and sub(blob, 1, 2) == ARGV[1] and state_of(blob) ~= GARBAGE then
      answer[#answer + 1] = keys[k]
      answer[#answer + 1] = integer(blob_size(blob))
      if #answer > 2 * tonumber(ARGV[3]) then
        answer[1] = keys[k]
        return answer
      end
    end
  end
  answer[1] = keys[#keys]
  group = call('ZRANGEBYLEX', KEYS[1], '(' .. keys[#keys] .. '\1', '+', 'LIMIT', 0, 1)[1]
end
if not group then answer[1] = '' end
return answer
