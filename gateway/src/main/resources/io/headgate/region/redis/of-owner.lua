-- ARGV: the range of "owner NUL name", the limit.
return page(OWNERS, ARGV[1], ARGV[2], ARGV[3])
