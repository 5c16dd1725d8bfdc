-- ARGV: the range of "region NUL name", the limit.
return page(REGIONS, ARGV[1], ARGV[2], ARGV[3])
